/// Finding the nodes that a path leads to.
extension Evaluation {
    func nodes(of path: LocationPath, _ context: Context) throws(ExpressionError) -> [Node] {
        switch path.start {
        case .root: return try absolute(path, context)
        case .context: return try follow(path.steps[...], from: [context.node], at: path.place)
        case .expression(let start, let predicates):
            guard case .nodes(var nodes) = try value(of: start, context) else {
                throw ExpressionError(
                    .badArgument, at: path.place, "only nodes have parts to choose from")
            }
            for predicate in predicates {
                nodes = try choose(from: nodes, predicate, at: path.place)
            }
            return try follow(path.steps[...], from: nodes, at: path.place)
        }
    }

    /// A path from the root goes, as far as it names the ancestors of the node that the expression
    /// belongs to, through these very ones: inside the second repeat, `/data/pump/tag` is the tag of
    /// the second pump. Its last step is free, so that `count(/data/pump)` counts all of them.
    ///
    /// Within a predicate the node under test comes first: in `/data/pump[/data/pump/size > 3]` each
    /// pump is asked for its own size.
    private func absolute(
        _ path: LocationPath, _ context: Context
    ) throws(ExpressionError) -> [Node] {
        var node = origin.tree.document
        var steps = path.steps[...]
        var lines = [origin.lineage[...]]
        if context.node != origin, context.node.tree === origin.tree {
            lines.insert(context.node.lineage[...], at: 0)
        }
        while steps.count > 1, let step = steps.first, step.axis == .child,
            step.predicates.isEmpty, case .name(let name) = step.test,
            let next = lines.compactMap(\.first).first(where: { $0.name == name })
        {
            node = next
            steps.removeFirst()
            // Who went another way has no say from here on.
            lines = lines.filter { $0.first == next }.map { $0.dropFirst() }
        }
        return try follow(steps, from: [node], at: path.place)
    }

    private func follow(
        _ steps: ArraySlice<PathStep>, from start: [Node], at place: Place
    ) throws(ExpressionError) -> [Node] {
        var nodes = start
        for step in steps {
            nodes = try follow(step, from: nodes, at: place)
        }
        return nodes
    }

    private func follow(
        _ step: PathStep, from nodes: [Node], at place: Place
    ) throws(ExpressionError) -> [Node] {
        var found: [Node] = []
        var matcher = StepMatcher(test: step.test)
        for node in nodes {
            var candidates: [Node] = []
            var predicates = step.predicates[...]
            if let rows = try lookUp(step, under: node, at: place) {
                candidates = rows
                predicates.removeFirst()
            } else {
                try collect(step.axis, from: node, &matcher, into: &candidates, at: place)
            }
            for predicate in predicates {
                candidates = try choose(from: candidates, predicate, at: place)
            }
            found += candidates
        }
        switch step.axis {
        case .child, .itself, .attribute, .namespace: return found
        default: return nodes.count > 1 ? Self.inDocumentOrder(found) : found.sortedByPlace
        }
    }

    private func collect(
        _ axis: PathStep.Axis, from node: Node, _ matcher: inout StepMatcher,
        into found: inout [Node], at place: Place
    ) throws(ExpressionError) {
        func keep(_ candidate: Node) {
            if matcher.matches(candidate) { found.append(candidate) }
        }
        switch axis {
        case .child:
            guard !node.isAttribute else { return }
            let children = node.tree.entries[node.index].children
            try spend(1 + children.count, at: place)
            let before = found.count
            for child in children { keep(Node(tree: node.tree, index: child)) }
            glanced(at: children.count - (found.count - before))
            if case .text = matcher.test, children.isEmpty, !node.entry.text.isEmpty {
                found.append(node)
            }
        case .parent:
            try spend(1, at: place)
            if let parent = node.parent { keep(parent) }
        case .itself:
            try spend(1, at: place)
            keep(node)
        case .attribute:
            guard !node.isAttribute else { return }
            try spend(1 + node.entry.attributes.count, at: place)
            for attribute in node.entry.attributes.indices {
                keep(Node(tree: node.tree, index: node.index, attribute: attribute))
            }
        case .ancestor, .ancestorOrSelf:
            if axis == .ancestorOrSelf { keep(node) }
            var next = node.parent
            while let ancestor = next {
                try spend(1, at: place)
                keep(ancestor)
                next = ancestor.parent
            }
        case .descendant, .descendantOrSelf:
            if axis == .descendantOrSelf { keep(node) }
            var waiting = Array(node.children.reversed())
            while let next = waiting.popLast() {
                try spend(1, at: place)
                keep(next)
                waiting += next.children.reversed()
            }
        case .followingSibling, .precedingSibling:
            guard !node.isAttribute, let siblings = node.parent?.children else { return }
            try spend(siblings.count, at: place)
            let wanted =
                axis == .followingSibling
                ? siblings.filter { $0.index > node.index }
                : siblings.reversed().filter { $0.index < node.index }
            for sibling in wanted { keep(sibling) }
        case .namespace:
            return
        }
    }

    /// The nodes for which a predicate holds; a number is a position.
    func choose(
        from nodes: [Node], _ predicate: ExpressionTree, at place: Place
    ) throws(ExpressionError) -> [Node] {
        if case .number(let wanted) = predicate {
            guard let position = Int(exactly: wanted), nodes.indices.contains(position - 1) else {
                return []
            }
            return [nodes[position - 1]]
        }
        let isOwnTree = nodes.first?.tree === origin.tree
        let test = nodes.count > 8 ? try withConstants(predicate, isOwnTree) : predicate
        if !isOwnTree, let wanted = CellTest.all(in: test) {
            try spend(nodes.count * wanted.count, at: place)
            return nodes.filter { node in wanted.allSatisfy { $0.holds(for: node) } }
        }
        var chosen: [Node] = []
        for (index, node) in nodes.enumerated() {
            try spend(1, at: place)
            let context = Context(node: node, place: (index + 1, nodes.count))
            let value = try value(of: test, context)
            let holds =
                if case .number(let number) = value { number == Double(index + 1) } else {
                    value.boolean
                }
            if holds { chosen.append(node) }
        }
        return chosen
    }
}

extension [Node] {
    fileprivate var sortedByPlace: [Node] {
        sorted { ($0.index, $0.attribute) < ($1.index, $1.attribute) }
    }
}

/// A test of a step; the name is looked up once for each tree and compared as a number.
private struct StepMatcher {
    let test: PathStep.Test
    private var tree: ObjectIdentifier?
    private var number: Int?

    init(test: PathStep.Test) {
        self.test = test
    }

    mutating func matches(_ node: Node) -> Bool {
        switch test {
        case .node: return true
        case .text: return false
        case .any: return !node.isDocument
        case .prefix(let prefix): return node.name.hasPrefix(prefix + ":")
        case .name(let name):
            if node.isAttribute { return node.name == name }
            guard !node.isDocument else { return false }
            let identity = ObjectIdentifier(node.tree)
            if tree != identity {
                tree = identity
                number = node.tree.number(of: name)
            }
            return node.tree.entries[node.index].name == number
        }
    }
}
