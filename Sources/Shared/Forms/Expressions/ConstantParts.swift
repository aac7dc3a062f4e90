/// What is the same for all nodes that a predicate chooses from is evaluated once: in
/// `item[region = /data/region]` over 50,000 rows the right side is.
extension Evaluation {
    /// The predicate with such paths replaced by their text. Only operands of operators, of `not` and
    /// of `selected` are: those look at nothing but the text.
    /// - Parameter isOwnTree: whether the nodes are the record's own, so that a path from its root may
    ///   lead from each of them elsewhere.
    func withConstants(
        _ predicate: ExpressionTree, _ isOwnTree: Bool
    ) throws(ExpressionError) -> ExpressionTree {
        switch predicate {
        case .chain(let first, let links):
            var changed: [ChainLink] = []
            for link in links {
                changed.append(
                    ChainLink(
                        sign: link.sign, operand: try constant(link.operand, isOwnTree),
                        place: link.place))
            }
            return .chain(try constant(first, isOwnTree), changed)
        case .call(let call) where ["not", "selected"].contains(call.name):
            var arguments: [ExpressionTree] = []
            for argument in call.arguments { arguments.append(try constant(argument, isOwnTree)) }
            return .call(
                FunctionCall(name: call.name, arguments: arguments, place: call.place))
        default:
            return predicate
        }
    }

    private func constant(
        _ operand: ExpressionTree, _ isOwnTree: Bool
    ) throws(ExpressionError) -> ExpressionTree {
        guard case .path(let path) = operand else {
            let inner = try withConstants(operand, isOwnTree)
            return isOwnTree ? inner : reckoned(inner)
        }
        guard path.isIndependentOfContext, !isOwnTree || path.start != .root else {
            return operand
        }
        let nodes = origin.tree.relevant(try nodes(of: path, Context(node: origin)))
        guard let node = nodes.first else { return .text("") }
        let text = node.text
        // What is more than its text stays what it is.
        guard nodes.count == 1, !node.entry.kinds.contains(.truth), node.isTrue != text.isEmpty
        else { return operand }
        return .text(text)
    }

    /// What looks at no row, and comes to the same for each, as what it comes to. What fails is left to
    /// whoever comes by it.
    private func reckoned(_ operand: ExpressionTree) -> ExpressionTree {
        guard operand.isSameForAllRows else { return operand }
        do throws(ExpressionError) {
            switch try value(of: operand, Context(node: origin)) {
            case .number(let number): return .number(number)
            case .text(let text): return .text(text)
            default: return operand
            }
        } catch {
            return operand
        }
    }
}

extension ExpressionTree {
    /// Only calls that look at their arguments alone.
    fileprivate var isSameForAllRows: Bool {
        switch self {
        case .number, .text: true
        case .negate(let inner): inner.isSameForAllRows
        case .chain(let first, let links):
            first.isSameForAllRows && links.allSatisfy(\.operand.isSameForAllRows)
        case .union: false
        case .path(let path): path.isIndependentOfContext
        case .call(let call): call.isSameForAllRows
        }
    }
}

extension FunctionCall {
    fileprivate var isSameForAllRows: Bool {
        if name == "position", arguments.count == 1, case .path(let path) = arguments[0] {
            return path.isIndependentOfContext
        }
        return Self.plain.contains(name) && !arguments.isEmpty
            && arguments.allSatisfy(\.isSameForAllRows)
    }

    private static let plain: Set<String> = [
        "concat", "coalesce", "if", "string", "number", "int", "round", "translate", "substr",
        "substring-before", "substring-after", "normalize-space", "selected-at", "format-date",
        "abs", "floor", "ceiling", "join",
    ]
}

extension LocationPath {
    /// Whether it leads to the same nodes wherever it is evaluated.
    var isIndependentOfContext: Bool {
        guard steps.allSatisfy(\.predicates.isEmpty) else { return false }
        switch start {
        case .root: return true
        case .context: return false
        case .expression(.call(let call), let predicates):
            return call.name == "current" && call.arguments.isEmpty && predicates.isEmpty
        case .expression: return false
        }
    }
}

/// `region = 'north'`: what nearly all filters of long lists come to once their constant parts are
/// known. Tried on 50,000 rows at each answer, so it goes the short way.
struct CellTest {
    let name: String
    let text: String

    /// The tests that a predicate consists of, `and` between them; nil when there is anything else.
    static func all(in predicate: ExpressionTree) -> [CellTest]? {
        if let test = CellTest(predicate) { return [test] }
        guard case .chain(let first, let links) = predicate,
            links.allSatisfy({ $0.sign == .and }), let first = CellTest(first)
        else { return nil }
        var tests = [first]
        for link in links {
            guard let test = CellTest(link.operand) else { return nil }
            tests.append(test)
        }
        return tests
    }

    private init?(_ tree: ExpressionTree) {
        guard case .chain(.path(let path), let links) = tree, links.count == 1,
            links[0].sign == .equal, case .text(let text) = links[0].operand,
            path.start == .context, path.steps.count == 1, path.steps[0].axis == .child,
            path.steps[0].predicates.isEmpty, case .name(let name) = path.steps[0].test
        else { return nil }
        self.name = name
        self.text = text
    }

    /// - Precondition: all in the node is relevant, as it is in a secondary instance.
    func holds(for node: Node) -> Bool {
        guard !node.isAttribute, let number = node.tree.number(of: name) else {
            return text.isEmpty
        }
        var isMissing = true
        for child in node.tree.entries[node.index].children
        where node.tree.entries[child].name == number {
            isMissing = false
            if Node(tree: node.tree, index: child).text == text { return true }
        }
        return isMissing && text.isEmpty
    }
}
