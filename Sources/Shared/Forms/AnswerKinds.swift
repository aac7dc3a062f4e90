/// Which answers are more than texts: numbers, where a number is asked for, and what an expression of the
/// form makes that may come to a truth or a number.
///
/// Truths are stored and shown as the words `true` and `false`. As conditions they are what they say, and
/// 0 is not true: `relevant="/data/big"` does not hold where `big` is false, nor where it is 0, though
/// either is no empty text. `if(., 'true', 'false')` makes words, and every word but the empty one counts
/// as true.
struct AnswerKinds {
    private var kinds: [String: NodeContent.Kinds] = [:]
    private let root: String

    subscript(path: String) -> NodeContent.Kinds { kinds[path] ?? [] }

    init(_ check: FormCheck, _ parts: FormParts) {
        root = parts.root
        for question in check.questions where question.type.isNumber {
            kinds[question.path] = .number
        }
        var made: [(path: String, tree: ExpressionTree)] = []
        // In the order of evaluation, so that one round finds nearly all of them.
        for entry in check.graph.order where !entry.hasSuffix(RuleDependencies.checkMark) {
            let path = String(entry.dropFirst(root.count + 2))
            if let calculate = check.rules[path]?.calculate { made.append((path, calculate.tree)) }
        }
        for action in parts.actions {
            guard case .expression(let expression) = action.value else { continue }
            made.append((action.target, expression.tree))
        }
        // A number that a truth is asked for is one or zero.
        made.removeAll { kinds[$0.path] == .number }
        for _ in 0..<Self.mostRounds {
            let before = kinds
            for (path, tree) in made {
                kinds[path, default: []].formUnion(self.kinds(of: tree, at: path))
            }
            if kinds == before { break }
        }
    }

    /// What actions set may be handed on in a circle of any length.
    private static let mostRounds = 20

    /// What an expression may come to.
    private func kinds(of tree: ExpressionTree, at path: String) -> NodeContent.Kinds {
        switch tree {
        case .text: return []
        case .number, .negate: return .number
        case .union(let members): return kinds(of: members[...], at: path)
        case .chain(_, let links):
            let isTruth = links.contains { $0.sign.precedence <= Operator.less.precedence }
            return isTruth ? .truth : .number
        case .path(let other):
            let own = [root] + path.split(separator: "/").map(String.init)
            guard let names = other.names(from: own) else { return [] }
            return self[names.dropFirst().joined(separator: "/")]
        case .call(let call):
            if Self.truths.contains(call.name) { return .truth }
            if Self.numbers.contains(call.name) { return .number }
            return kinds(of: Self.handedOn(by: call), at: path)
        }
    }

    private func kinds(
        of trees: ArraySlice<ExpressionTree>, at path: String
    ) -> NodeContent.Kinds {
        trees.reduce(into: []) { $0.formUnion(kinds(of: $1, at: path)) }
    }

    private static let truths: Set<String> = [
        "true", "false", "not", "boolean", "boolean-from-string", "checklist",
        "weighted-checklist", "selected", "is-selected", "contains", "starts-with", "ends-with",
        "regex", "geofence",
    ]

    private static let numbers: Set<String> = [
        "number", "int", "round", "floor", "ceiling", "abs", "sqrt", "pow", "exp", "exp10",
        "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "pi", "random",
        "sum", "min", "max", "count", "count-non-empty", "count-selected", "position", "last",
        "string-length", "decimal-date-time", "decimal-time", "area", "distance",
    ]

    /// Arguments that a function may give back as they are.
    private static func handedOn(by call: FunctionCall) -> ArraySlice<ExpressionTree> {
        switch call.name {
        case "if": call.arguments.dropFirst()
        case "coalesce": call.arguments[...]
        case "once", "depend", "indexed-repeat", "randomize": call.arguments.prefix(1)
        default: []
        }
    }
}
