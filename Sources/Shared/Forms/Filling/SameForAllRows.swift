/// Expressions that come to the same in all rows of a repeat, as `max(instance('prices')/root/item[
/// state = /data/state]/price)` does: those are evaluated once.
struct SameForAllRows {
    /// The names from the root to the question, and to the outermost repeat around it.
    private let origin: [String]
    private let repetition: [String]

    /// Nil outside repeats.
    init?(_ path: String, in form: FormDefinition) {
        guard let outermost = form.repetitions.first(where: { path.hasPrefix($0.path + "/") })
        else { return nil }
        origin = [form.parts.root] + path.split(separator: "/").map { String($0) }
        repetition = [form.parts.root] + outermost.path.split(separator: "/").map { String($0) }
    }

    func holds(for expression: FormExpression) -> Bool {
        holds(for: expression.tree, inList: false)
    }

    /// - Parameter inList: within a predicate on the nodes of a list, which relative paths look at.
    private func holds(for tree: ExpressionTree, inList: Bool) -> Bool {
        switch tree {
        case .number, .text: true
        case .negate, .chain, .union:
            tree.children.allSatisfy { holds(for: $0, inList: inList) }
        case .call(let call):
            !Self.ofOneRow.contains(call.name)
                && (!call.arguments.isEmpty || FunctionCall.same.contains(call.name))
                && call.arguments.allSatisfy { holds(for: $0, inList: inList) }
        case .path(let path): holds(for: path, inList: inList)
        }
    }

    private func holds(for path: LocationPath, inList: Bool) -> Bool {
        switch path.start {
        case .context where inList:
            return path.children.allSatisfy { holds(for: $0, inList: true) }
        case .expression(.call(let call), _) where call.name == "instance":
            return call.arguments.allSatisfy { holds(for: $0, inList: inList) }
                && path.children.dropFirst().allSatisfy { holds(for: $0, inList: true) }
        default:
            guard path.steps.allSatisfy(\.predicates.isEmpty),
                let names = path.names(from: origin)
            else { return false }
            return !names.starts(with: repetition) && !repetition.starts(with: names)
        }
    }

    private static let ofOneRow: Set<String> = FunctionCall.differing.union([
        "position", "last", "current", "indexed-repeat", "name", "local-name", "namespace-uri",
    ])
}
