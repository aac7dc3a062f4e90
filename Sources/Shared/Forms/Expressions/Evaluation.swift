/// One evaluation of one expression: what it may ask, and what it has cost so far.
final class Evaluation {
    let surroundings: ExpressionSurroundings
    /// The node that the expression belongs to: `current()`.
    let origin: Node
    private let mostSteps: Int
    private(set) var steps = 0
    /// Steps over children of another name, which cost next to nothing.
    private var glances = 0
    private var patterns: [String: WholeMatcher] = [:]

    init(
        surroundings: ExpressionSurroundings, origin: Node,
        mostSteps: Int = ExpressionLimits.steps
    ) {
        self.surroundings = surroundings
        self.origin = origin
        self.mostSteps = mostSteps
    }

    /// Where a part of the expression is evaluated.
    struct Context {
        let node: Node
        /// Position and count among the nodes that a predicate chooses from; nil outside predicates.
        var place: (position: Int, count: Int)?
    }

    var zone: ExpressionZone { surroundings.zone }

    /// Of the steps taken so far those of others than were looked for.
    func glanced(at count: Int) { glances += count }

    /// What the evaluation has cost, in steps that cost about the same.
    var cost: Int { 1 + steps - glances + glances / 32 }

    func spend(_ count: Int, at place: Place) throws(ExpressionError) {
        steps += count
        guard steps <= mostSteps else {
            throw ExpressionError(
                .tooLarge, at: place,
                "this expression needs more than \(mostSteps) steps")
        }
    }

    /// A text of so many bytes is read or made: counted, so that long texts cannot be had for nothing.
    func spend(bytes: Int, at place: Place) throws(ExpressionError) {
        try spend(bytes / 16, at: place)
    }

    /// Each node by itself, of which somebody reads the text: for a group all that is in it.
    func values(
        of nodes: [Node], at place: Place
    ) throws(ExpressionError) -> [ExpressionValue] {
        var values: [ExpressionValue] = []
        values.reserveCapacity(nodes.count)
        for node in nodes {
            try spend(node.isAttribute ? 1 : node.tree.entries[node.index].size, at: place)
            values.append(.nodes([node]))
        }
        return values
    }

    /// A regular expression made ready, once for all rows that it is tried on.
    func pattern(_ text: String, at place: Place) throws(ExpressionError) -> WholeMatcher {
        if let pattern = patterns[text] { return pattern }
        let pattern = try Self.matcher(text, at: place)
        try spend(pattern.states, at: place)
        patterns[text] = pattern
        return pattern
    }

    /// What is wrong with a regular expression; nil where it can be read.
    static func problem(ofPattern text: String, at place: Place) -> ExpressionError? {
        do throws(ExpressionError) {
            _ = try matcher(text, at: place)
            return nil
        } catch {
            return error
        }
    }

    private static func matcher(
        _ text: String, at place: Place
    ) throws(ExpressionError) -> WholeMatcher {
        do {
            return try WholeMatcher(text)
        } catch {
            throw error.expressionError(at: place)
        }
    }

    func value(
        of tree: ExpressionTree, _ context: Context
    ) throws(ExpressionError) -> ExpressionValue {
        switch tree {
        case .number(let number): return .number(number)
        case .text(let text): return .text(text)
        case .negate(let inner):
            return .number(-(try value(of: inner, context).number(in: zone)))
        case .chain(let first, let links): return try chain(first, links, context)
        case .union(let members): return try union(members, context)
        case .call(let call): return try self.call(call, context)
        case .path(let path):
            let nodes = origin.tree.relevant(try nodes(of: path, context))
            // Who asks for the text of a group reads all that is in it.
            if let first = nodes.first { try spend(first.entry.size, at: path.place) }
            return .nodes(nodes)
        }
    }

    private func call(
        _ call: FunctionCall, _ context: Context
    ) throws(ExpressionError) -> ExpressionValue {
        try spend(1, at: call.place)
        guard let function = FunctionTable.function(named: call.name) else {
            throw FunctionTable.unknown(call)
        }
        if let problem = function.arityProblem(of: call) { throw problem }
        return try function.evaluate(Arguments(call: call, evaluation: self, context: context))
    }

    private func union(
        _ members: [ExpressionTree], _ context: Context
    ) throws(ExpressionError) -> ExpressionValue {
        var nodes: [Node] = []
        for member in members {
            guard case .nodes(let more) = try value(of: member, context) else {
                throw ExpressionError(.badArgument, at: Place(1), "\"|\" joins nodes only")
            }
            nodes += more
        }
        return .nodes(Self.inDocumentOrder(nodes))
    }

    /// Each node once. Nodes of several trees stay grouped by tree, as they came.
    static func inDocumentOrder(_ nodes: [Node]) -> [Node] {
        var trees: [ObjectIdentifier] = []
        var byTree: [ObjectIdentifier: Set<Node>] = [:]
        for node in nodes {
            let tree = ObjectIdentifier(node.tree)
            if byTree[tree] == nil { trees.append(tree) }
            byTree[tree, default: []].insert(node)
        }
        return trees.flatMap { tree in
            (byTree[tree] ?? []).sorted {
                ($0.index, $0.attribute) < ($1.index, $1.attribute)
            }
        }
    }

    private func chain(
        _ first: ExpressionTree, _ links: [ChainLink], _ context: Context
    ) throws(ExpressionError) -> ExpressionValue {
        var left = try value(of: first, context)
        for link in links {
            try spend(1, at: link.place)
            switch link.sign {
            // The right side may have no value where it is not needed.
            case .or where left.boolean: left = .boolean(true)
            case .and where !left.boolean: left = .boolean(false)
            case .or, .and: left = .boolean(try value(of: link.operand, context).boolean)
            default:
                let right = try value(of: link.operand, context)
                left = try combine(left, link, right)
            }
        }
        return left
    }

    private func combine(
        _ left: ExpressionValue, _ link: ChainLink, _ right: ExpressionValue
    ) throws(ExpressionError) -> ExpressionValue {
        if let comparison = Comparison(link.sign) {
            return .boolean(try compare(left, comparison, right, at: link.place))
        }
        if link.sign == .subtract || link.sign == .add {
            return .number(sum(left, link.sign, right))
        }
        let left = left.number(in: zone)
        let right = right.number(in: zone)
        switch link.sign {
        case .multiply: return .number(left * right)
        case .divide: return .number(left / right)
        default: return .number(left.truncatingRemainder(dividingBy: right))
        }
    }
}

extension Evaluation {
    /// Dates are reckoned with in whole milliseconds, so that a day more is the next day, and what lies
    /// between two is no fraction short of a day.
    private func sum(
        _ left: ExpressionValue, _ sign: Operator, _ right: ExpressionValue
    ) -> Double {
        let moments = (left.moment(in: zone), right.moment(in: zone))
        if sign == .subtract, let end = moments.0, let start = moments.1 {
            return zone.days(from: start, to: end)
        }
        let numbers = (left.number(in: zone), right.number(in: zone))
        let sum = sign == .add ? numbers.0 + numbers.1 : numbers.0 - numbers.1
        return moments.0 == nil && moments.1 == nil ? sum : sum.roundedToMillisecond
    }
}

extension FormExpression {
    /// What the expression comes to at a node.
    package func value(
        at node: Node, in surroundings: ExpressionSurroundings
    ) throws(ExpressionError) -> ExpressionValue {
        let evaluation = Evaluation(surroundings: surroundings, origin: node)
        return try evaluation.value(of: tree, Evaluation.Context(node: node))
    }

    package func text(
        at node: Node, in surroundings: ExpressionSurroundings
    ) throws(ExpressionError) -> String {
        try value(at: node, in: surroundings).text(in: surroundings.zone)
    }

    package func number(
        at node: Node, in surroundings: ExpressionSurroundings
    ) throws(ExpressionError) -> Double {
        try value(at: node, in: surroundings).number(in: surroundings.zone)
    }

    package func boolean(
        at node: Node, in surroundings: ExpressionSurroundings
    ) throws(ExpressionError) -> Bool {
        try value(at: node, in: surroundings).boolean
    }
}
