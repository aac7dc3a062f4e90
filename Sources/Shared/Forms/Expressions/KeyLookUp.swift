/// `item[county = concat('k', ${number})]` over a list of 50,000 rows: the right side is the same for
/// all of them, so the rows are found by an index (`ColumnIndex`) instead of by going through them.
///
/// Only where that comes to exactly what going through them would. Texts are compared with texts; a
/// number, a truth or a moment is compared by other rules, and goes through the rows.
struct KeyLookUp {
    let column: String
    let key: ExpressionTree
    /// Whether the rows found are those chosen; else the predicate is tried on each of them.
    let isWhole: Bool

    /// Of parts joined by `and`, the first of this kind.
    init?(_ predicate: ExpressionTree) {
        var parts = [predicate]
        if case .chain(let first, let links) = predicate,
            links.allSatisfy({ $0.sign == .and })
        {
            parts = [first] + links.map(\.operand)
        }
        for part in parts {
            if let (column, key) = Self.equality(part) {
                self.column = column
                self.key = key
                isWhole = parts.count == 1
                // Who asks for a place among the rows has to be given all of them.
                guard isWhole || !predicate.calls.contains(where: Self.asksForPlace) else {
                    return nil
                }
                return
            }
            // What stands before it is not tried on the rows that are not found. It might have failed.
            guard Self.cannotFail(part) else { return nil }
        }
        return nil
    }

    private static func asksForPlace(_ call: FunctionCall) -> Bool {
        ["position", "last"].contains(call.name)
    }

    private static func equality(
        _ part: ExpressionTree
    ) -> (column: String, key: ExpressionTree)? {
        guard case .chain(let left, let links) = part, links.count == 1,
            links[0].sign == .equal
        else { return nil }
        let right = links[0].operand
        if let column = column(left), right.isSameForAllChosenFrom { return (column, right) }
        if let column = column(right), left.isSameForAllChosenFrom { return (column, left) }
        return nil
    }

    /// The name, where the tree is no more than the name of a child.
    private static func column(_ tree: ExpressionTree) -> String? {
        guard case .path(let path) = tree, path.start == .context, path.steps.count == 1,
            path.steps[0].axis == .child, path.steps[0].predicates.isEmpty,
            case .name(let name) = path.steps[0].test
        else { return nil }
        return name
    }

    /// A comparison of cells and constants always comes to something.
    private static func cannotFail(_ part: ExpressionTree) -> Bool {
        guard case .chain(let first, let links) = part,
            links.allSatisfy({ Evaluation.Comparison($0.sign) != nil })
        else { return false }
        return ([first] + links.map(\.operand)).allSatisfy { operand in
            switch operand {
            case .number, .text: true
            default: column(operand) != nil
            }
        }
    }
}

extension ExpressionTree {
    /// Whether it comes to the same for all nodes that a predicate around it chooses from.
    fileprivate var isSameForAllChosenFrom: Bool {
        switch self {
        case .number, .text: true
        case .negate, .chain, .union:
            children.allSatisfy(\.isSameForAllChosenFrom)
        case .call(let call):
            !FunctionCall.differing.contains(call.name)
                && (!call.arguments.isEmpty || FunctionCall.same.contains(call.name))
                && call.arguments.allSatisfy(\.isSameForAllChosenFrom)
        case .path(let path):
            path.isSameForAllChosenFrom
                && !path.children.flatMap(\.calls).contains {
                    FunctionCall.differing.contains($0.name)
                }
        }
    }
}

extension LocationPath {
    /// The predicates of a path look at the nodes that it leads to, so its beginning decides.
    fileprivate var isSameForAllChosenFrom: Bool {
        switch start {
        case .root: true
        case .context: false
        case .expression(let start, _): start.isSameForAllChosenFrom
        }
    }
}

extension FunctionCall {
    /// They may come to something else each time that they are called.
    static let differing: Set<String> = ["random", "randomize", "uuid", "once"]
    /// Without an argument, and yet not about the node that they stand beside.
    static let same: Set<String> = ["true", "false", "pi", "today", "now", "version", "current"]
}

extension Evaluation {
    /// Fewer rows are gone through as fast.
    private static let fewRows = 32

    /// The children of a list's node that the first predicate of a step chooses; nil where the rows
    /// have to be gone through to tell.
    func lookUp(
        _ step: PathStep, under node: Node, at place: Place
    ) throws(ExpressionError) -> [Node]? {
        guard step.axis == .child, node.tree !== origin.tree, !node.isAttribute,
            node.tree.entries[node.index].children.count > Self.fewRows,
            case .name(let name) = step.test, let predicate = step.predicates.first,
            let lookUp = KeyLookUp(predicate), let row = node.tree.number(of: name),
            let column = node.tree.number(of: lookUp.column), let text = key(lookUp.key, node),
            let index = node.tree.columns.index(
                of: ColumnIndexes.Column(parent: node.index, row: row, name: column),
                in: node.tree)
        else { return nil }
        let rows = index.rows(equalTo: text)
        try spend(1 + rows.count, at: place)
        let found = rows.map { Node(tree: node.tree, index: $0) }
        return lookUp.isWhole ? found : try choose(from: found, predicate, at: place)
    }

    /// The text that is looked for; nil for what is no text, and for what fails: then whoever goes
    /// through the rows finds out whether it is come by at all.
    private func key(_ tree: ExpressionTree, _ node: Node) -> String? {
        do throws(ExpressionError) {
            switch try value(of: tree, Context(node: node)) {
            case .text(let text): return text
            case .nodes(let nodes):
                guard let only = nodes.first else { return "" }
                guard nodes.count == 1, case .text(let text) = only.value else { return nil }
                return text
            case .number, .boolean, .moment, .days: return nil
            }
        } catch {
            return nil
        }
    }
}
