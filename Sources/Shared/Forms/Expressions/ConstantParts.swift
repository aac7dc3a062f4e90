/// What is the same for all nodes that a predicate chooses from is evaluated once: in
/// `item[region = /data/region]` over 50,000 rows the right side is.
extension Evaluation {
    /// The predicate with such paths replaced by their text. Only operands of operators, of `not` and
    /// of `selected` are: those look at nothing but the text.
    func withConstants(_ predicate: ExpressionTree) throws(ExpressionError) -> ExpressionTree {
        switch predicate {
        case .chain(let first, let links):
            var changed: [ChainLink] = []
            for link in links {
                changed.append(
                    ChainLink(
                        sign: link.sign, operand: try constant(link.operand),
                        place: link.place))
            }
            return .chain(try constant(first), changed)
        case .call(let call) where ["not", "selected"].contains(call.name):
            var arguments: [ExpressionTree] = []
            for argument in call.arguments { arguments.append(try constant(argument)) }
            return .call(
                FunctionCall(name: call.name, arguments: arguments, place: call.place))
        default:
            return predicate
        }
    }

    private func constant(_ operand: ExpressionTree) throws(ExpressionError) -> ExpressionTree {
        guard case .path(let path) = operand else { return try withConstants(operand) }
        guard path.isIndependentOfContext else { return operand }
        let nodes = try nodes(of: path, Context(node: origin))
        return nodes.count > 1 ? operand : .text(nodes.first?.text ?? "")
    }
}

extension LocationPath {
    /// Whether it leads to the same nodes wherever it is evaluated.
    fileprivate var isIndependentOfContext: Bool {
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
