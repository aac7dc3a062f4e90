/// What an expression looks at, so that a change re-evaluates only what depends on it.
package struct ExpressionDependencies: Equatable, Sendable {
    /// Paths of the main document, `/data/pump/tag`, that the value depends on. A path to a group or
    /// repeat stands for all that is in it.
    package var paths: Set<String> = []
    /// Groups of which it depends on the expressions of their own, not on what is in them: those around
    /// a node, whose relevance it inherits. No expression names these; whoever knows the form adds them.
    package var groups: Set<String> = []
    /// Ids of secondary instances.
    package var instances: Set<String> = []
    /// Whether it asks for the clock or for chance, and so may differ without any change.
    package var isVolatile = false
    /// Whether it looks at places that cannot be told beforehand (`//`, `*`, other axes): then it
    /// depends on the whole document.
    package var isUnbounded = false

    package init() {}
}

extension FormExpression {
    /// - Parameter path: of the node that the expression belongs to, `/data/pump/size`.
    package func dependencies(at path: String) -> ExpressionDependencies {
        let names = path.split(separator: "/").map { String($0) }
        var collector = DependencyCollector(origin: names)
        collector.collect(tree, context: .main(names))
        return collector.found
    }
}

private struct DependencyCollector {
    /// Where relative paths begin.
    enum Context {
        case main([String])
        /// In a secondary instance: relative paths name nothing of the main document.
        case elsewhere
    }

    let origin: [String]
    var found = ExpressionDependencies()

    init(origin: [String]) {
        self.origin = origin
    }

    private static let volatile: Set<String> = ["now", "today", "random", "uuid", "randomize"]

    mutating func collect(_ tree: ExpressionTree, context: Context) {
        switch tree {
        case .path(let path): collect(path, context)
        case .call(let call): collect(call, context)
        default: for child in tree.children { collect(child, context: context) }
        }
    }

    private mutating func collect(_ call: FunctionCall, _ context: Context) {
        if Self.volatile.contains(call.name) { found.isVolatile = true }
        if call.name == "pulldata" || call.name == "instance" {
            if case .text(let id)? = call.arguments.first, id != ExpressionFunction.pointMark {
                found.instances.insert(id)
            }
        }
        if call.name == "position" {
            collectPosition(call, context)
            return
        }
        for argument in call.arguments { collect(argument, context: context) }
    }

    /// A position depends on which rows there are, not on what is in them. Whoever adds or deletes one
    /// evaluates everything.
    private mutating func collectPosition(_ call: FunctionCall, _ context: Context) {
        for argument in call.arguments {
            guard case .path(let path) = argument else {
                collect(argument, context: context)
                continue
            }
            for predicate in path.steps.flatMap(\.predicates) {
                collect(predicate, context: .elsewhere)
            }
        }
    }

    private mutating func collect(_ path: LocationPath, _ context: Context) {
        var names: [String]?
        switch path.start {
        case .root: names = []
        case .context: if case .main(let own) = context { names = own }
        case .expression(.call(let call), let predicates):
            if call.name == "current" { names = origin }
            collect(call, context)
            for predicate in predicates { collect(predicate, context: .elsewhere) }
        case .expression(let start, let predicates):
            collect(start, context: context)
            for predicate in predicates { collect(predicate, context: .elsewhere) }
        }
        for step in path.steps {
            names = names.flatMap { follow(step, from: $0) }
            for predicate in step.predicates {
                collect(predicate, context: names.map { .main($0) } ?? .elsewhere)
            }
        }
        if let names { insert(names) }
    }

    /// Nil from where it can no longer be told.
    private mutating func follow(_ step: PathStep, from names: [String]) -> [String]? {
        switch (step.axis, step.test) {
        case (.child, .name(let name)): return names + [name]
        case (.child, .text), (.itself, .node), (.attribute, _): return names
        case (.parent, .node) where !names.isEmpty: return Array(names.dropLast())
        default:
            found.isUnbounded = true
            return nil
        }
    }

    private mutating func insert(_ names: [String]) {
        guard !names.isEmpty else {
            found.isUnbounded = true
            return
        }
        found.paths.insert("/" + names.joined(separator: "/"))
    }
}

/// Which nodes have to be evaluated anew, and in which order. Built once for a form.
package struct DependencyGraph: Equatable, Sendable {
    /// The nodes whose expressions look at each other in a circle.
    package struct Cycle: Error, Equatable, CustomStringConvertible {
        /// In the order in which each looks at the next; the last looks at the first.
        package let paths: [String]

        package var description: String {
            "these look at each other in a circle: "
                + (paths + paths.prefix(1)).joined(separator: " → ")
        }
    }

    /// Each node with an expression, after all that it looks at.
    package let order: [String]
    private let dependents: [String: [String]]
    /// Those that look at a group's own expressions only.
    private let inheritors: [String: [String]]
    private let ranks: [String: Int]
    private let unbounded: [String]

    /// - Parameter dependencies: of the expressions of each node, joined, by the node's path.
    ///   References of a node to itself are passed over: a constraint looks at its own answer.
    /// - Throws: `Cycle`
    package init(_ dependencies: [String: ExpressionDependencies]) throws(Cycle) {
        let computed = dependencies.keys.sorted()
        let tree = PathTree(computed)
        var sources: [String: [Source]] = [:]
        var dependents: [String: [String]] = [:]
        var inheritors: [String: [String]] = [:]
        for node in computed {
            guard let found = dependencies[node] else { continue }
            var looked: Set<String> = []
            var certain: Set<String> = []
            for path in found.paths {
                if path != node { dependents[path, default: []].append(node) }
                looked.formUnion(tree.within(path))
                certain.insert(path)
            }
            for group in found.groups where dependencies[group] != nil {
                inheritors[group, default: []].append(node)
                looked.insert(group)
                certain.insert(group)
            }
            looked.remove(node)
            sources[node] = looked.sorted().map {
                Source(path: $0, isCertain: certain.contains($0))
            }
        }
        self.dependents = dependents
        self.inheritors = inheritors
        unbounded = computed.filter { dependencies[$0]?.isUnbounded ?? false }
        order = try Self.order(computed, sources)
        ranks = Dictionary(
            order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private init() {
        order = []
        dependents = [:]
        inheritors = [:]
        ranks = [:]
        unbounded = []
    }

    /// Of a form without expressions.
    package static let none = DependencyGraph()

    /// The nodes to evaluate anew after changes at these paths, each after what it looks at.
    package func affected(by changes: some Sequence<String>) -> [String] {
        var seen: Set<String> = Set(unbounded)
        var waiting = Array(changes) + unbounded
        while let path = waiting.popLast() {
            let found =
                Self.prefixes(of: path).flatMap { dependents[$0] ?? [] } + (inheritors[path] ?? [])
            for dependent in found where seen.insert(dependent).inserted {
                waiting.append(dependent)
            }
        }
        return seen.sorted { (ranks[$0] ?? 0) < (ranks[$1] ?? 0) }
    }

    /// The path itself and the groups around it: who looks at a group looks at all in it.
    private static func prefixes(of path: String) -> [String] {
        var prefixes: [String] = []
        for index in path.indices.dropFirst() where path[index] == "/" {
            prefixes.append(String(path[..<index]))
        }
        return prefixes + [path]
    }

    /// Depth first without recursion: a chain of calculations may be longer than the stack.
    private static func order(
        _ nodes: [String], _ sources: [String: [Source]]
    ) throws(Cycle) -> [String] {
        var order: [String] = []
        var done: Set<String> = []
        for start in nodes where !done.contains(start) {
            var path = [(node: start, next: 0)]
            var onPath: Set<String> = [start]
            while let (node, next) = path.last {
                let looked = sources[node] ?? []
                guard next < looked.count else {
                    order.append(node)
                    done.insert(node)
                    onPath.remove(node)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let source = looked[next]
                if onPath.contains(source.path) {
                    // The node that closes the circle, and those before it on the way round.
                    let circle = path.drop { $0.node != source.path }
                    let isCertain = circle.dropLast().allSatisfy { step in
                        (sources[step.node] ?? [])[step.next - 1].isCertain
                    }
                    guard !isCertain || !source.isCertain else {
                        throw Cycle(paths: circle.map(\.node))
                    }
                } else if !done.contains(source.path) {
                    path.append((source.path, 0))
                    onPath.insert(source.path)
                }
            }
        }
        return order
    }
}

/// A node that another looks at.
private struct Source: Equatable {
    let path: String
    /// Whether it is named itself. Who names a group, as `count(/data/pump)` does, may look at all in it
    /// or at nothing: such a circle is put in some order instead of being refused.
    let isCertain: Bool
}

/// Sorted paths, to find those at or below one.
private struct PathTree {
    private let sorted: [String]

    init(_ paths: [String]) {
        sorted = paths.map { $0 + "/" }.sorted()
    }

    func within(_ path: String) -> [String] {
        let prefix = path + "/"
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < prefix { low = middle + 1 } else { high = middle }
        }
        return sorted[low...].prefix { $0.hasPrefix(prefix) }.map { String($0.dropLast()) }
    }
}
