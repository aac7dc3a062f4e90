/// Repeats: equal siblings, counted from 1.
enum RepeatFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction("position", .between(0, 1), position),
        ExpressionFunction("indexed-repeat", .oneOf([3, 5, 7]), indexedRepeat),
    ]

    /// `position(..)` is which of its equals a node is; `position()` in a predicate is the place among
    /// the nodes chosen from.
    @Sendable
    private static func position(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        guard call.count == 1 else {
            let place = call.context.place?.position ?? call.context.node.position
            return .number(Double(place))
        }
        let node = try call.nodes(0).first
        try call.evaluation.spend(1, at: call.call.place)
        return .number(Double(node?.position ?? 0))
    }

    /// `indexed-repeat(/data/pump/tag, /data/pump, 2)` is the tag of the second pump. Levels that are
    /// not indexed are those that the expression stands in, or the node that a predicate tests.
    @Sendable
    private static func indexedRepeat(
        _ call: Arguments
    ) throws(ExpressionError) -> ExpressionValue {
        let target = try names(0, call)
        var indexes: [Int: Int] = [:]
        for argument in stride(from: 1, to: call.count, by: 2) {
            let group = try names(argument, call)
            guard group.count < target.count, target.starts(with: group) else {
                throw call.problem(
                    "argument \(argument + 1) has to be a repeat around argument 1")
            }
            indexes[group.count] = max(1, try call.integer(argument + 1) ?? 1)
        }
        var nodes = [call.evaluation.origin.tree.document]
        var own = place(of: call).lineage[...]
        for (depth, name) in target.enumerated() {
            let around = own.popFirst()
            if around?.name != name { own = [] }
            var next: [Node] = []
            for node in nodes {
                let children = node.children.filter { $0.name == name }
                try call.evaluation.spend(
                    1 + node.entry.children.count, at: call.call.place)
                if let index = indexes[depth + 1] {
                    if children.indices.contains(index - 1) { next.append(children[index - 1]) }
                    if around?.position != index { own = [] }
                } else if let around, depth + 1 < target.count, children.contains(around) {
                    next.append(around)
                } else {
                    next += children
                }
            }
            nodes = next
        }
        return .nodes(call.evaluation.origin.tree.relevant(nodes))
    }

    private static func place(of call: Arguments) -> Node {
        let origin = call.evaluation.origin
        return call.context.node.tree === origin.tree ? call.context.node : origin
    }

    /// The names from the root that a path goes through, seen from the node of the expression.
    private static func names(
        _ index: Int, _ call: Arguments
    ) throws(ExpressionError) -> [String] {
        guard case .path(let path) = call.call.arguments[index],
            let names = path.names(from: place(of: call).lineage.map(\.name))
        else {
            throw call.problem("argument \(index + 1) has to be a plain path")
        }
        return names
    }
}

extension Node {
    /// From the root element to the node itself.
    var lineage: [Node] {
        var nodes: [Node] = []
        var next: Node? = self
        while let node = next, !node.isDocument {
            nodes.append(node)
            next = node.parent
        }
        return nodes.reversed()
    }
}

extension LocationPath {
    /// The names from the root that the path goes through, when it is evaluated at a node with these
    /// names above it (its own the last). Nil for a path that leads into another document, above the
    /// root or along other axes than child, parent and self. Predicates are passed over.
    package func names(from context: [String]) -> [String]? {
        var names: [String]
        switch start {
        case .root: names = []
        case .context: names = context
        case .expression(.call(let call), _) where call.name == "current": names = context
        case .expression: return nil
        }
        for step in steps {
            switch (step.axis, step.test) {
            case (.child, .name(let name)): names.append(name)
            case (.parent, .node):
                guard names.popLast() != nil else { return nil }
            case (.itself, .node): continue
            default: return nil
            }
        }
        return names
    }
}
