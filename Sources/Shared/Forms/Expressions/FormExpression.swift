/// An expression of a form: its text as the author wrote it, and what it means.
///
/// Coded as its text, and read anew when decoded; so a stored expression keeps every limit again.
package struct FormExpression: Hashable, Sendable {
    package let source: String
    package let tree: ExpressionTree
    /// What its value depends on.
    let needs: FillingSurroundings.Calculations
    /// Whether it keeps what it came to first.
    let isOnce: Bool

    package init(_ source: String) throws(ExpressionError) {
        self.init(source: source, tree: try ExpressionParser.tree(of: source))
    }

    init(source: String, tree: ExpressionTree) {
        self.source = source
        self.tree = tree
        needs = tree.calls.map { Self.needs(of: $0) }.max() ?? .answers
        isOnce = tree.calls.contains { $0.name == "once" }
    }

    private static func needs(of call: FunctionCall) -> FillingSurroundings.Calculations {
        // What was saved last here was saved by another device elsewhere, and by none on the server.
        if call.name == "instance", case .text(let id)? = call.arguments.first,
            id.contains("last-saved")
        {
            return .all
        }
        return needs[call.name] ?? .answers
    }

    /// By function; all others need answers alone.
    private static let needs: [String: FillingSurroundings.Calculations] = [
        "today": .day, "date": .day, "date-time": .day, "format-date": .day,
        "format-date-time": .day, "decimal-date-time": .day, "decimal-time": .day,
        "now": .all, "random": .all, "randomize": .all, "uuid": .all, "property": .all,
    ]

    /// `true()`
    package static let always = FormExpression(
        source: "true()",
        tree: .call(FunctionCall(name: "true", arguments: [], place: Place(1))))

    /// What is wrong with the calls in it: functions that are not known, wrong counts of arguments.
    /// Evaluation finds these only when it comes by; an author wants to know before.
    package var callProblems: [ExpressionError] {
        tree.calls.compactMap { call in
            guard let function = FunctionTable.function(named: call.name) else {
                return FunctionTable.unknown(call)
            }
            return function.arityProblem(of: call)
        }
    }

    /// What is wrong with texts in it that say how others are read or written: letters that a date format
    /// has not, regular expressions that cannot be read. Where one is come by, the expression comes to
    /// nothing.
    package var patternProblems: [ExpressionError] {
        tree.calls.compactMap { call in
            guard call.arguments.count == 2, case .text(let pattern) = call.arguments[1] else {
                return nil
            }
            switch call.name {
            case "format-date", "format-date-time": return DateFormat.problem(of: pattern, in: call)
            case "regex": return Evaluation.problem(ofPattern: pattern, at: call.place)
            default: return nil
            }
        }
    }

    package static func == (left: FormExpression, right: FormExpression) -> Bool {
        left.source == right.source
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
    }
}

extension FormExpression: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        try self.init(container.decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(source)
    }
}

extension FormExpression: CustomStringConvertible {
    package var description: String { source }
}

extension ExpressionTree {
    /// The trees directly inside this one, predicates included.
    package var children: [ExpressionTree] {
        switch self {
        case .number, .text: []
        case .negate(let inner): [inner]
        case .chain(let first, let links): [first] + links.map(\.operand)
        case .union(let members): members
        case .call(let call): call.arguments
        case .path(let path): path.children
        }
    }

    /// All calls in it, in the order of the text.
    package var calls: [FunctionCall] {
        var calls: [FunctionCall] = []
        collectCalls(into: &calls)
        return calls
    }

    private func collectCalls(into calls: inout [FunctionCall]) {
        if case .call(let call) = self { calls.append(call) }
        for child in children { child.collectCalls(into: &calls) }
    }
}

extension LocationPath {
    package var children: [ExpressionTree] {
        let inSteps = steps.flatMap(\.predicates)
        guard case .expression(let start, let predicates) = start else { return inSteps }
        return [start] + predicates + inSteps
    }
}
