package import Coding

/// When a section or question is relevant: a small typed language over the other answers.
///
/// The empty answer (never given, cleared, or itself irrelevant) behaves as in XPath 1.0: it is
/// unequal to every value, and neither less nor greater than any.
package indirect enum Condition: Equatable, Sendable {
    case compare(question: String, Comparison, FieldValue)
    /// The answer, read as space-separated names, contains this one.
    case selected(question: String, name: String)
    case answered(question: String)
    case all([Condition])
    case any([Condition])
    case not(Condition)

    package enum Comparison: String, Sendable, CaseIterable {
        case equal = "="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// Whether the condition holds; `answer` gives a question's value, `.null` where it has none.
    package func holds(_ answer: (String) -> FieldValue) -> Bool {
        switch self {
        case .compare(let question, let comparison, let value):
            comparison.holds(answer(question), value)
        case .selected(let question, let name):
            Self.names(in: answer(question)).contains { $0 == name }
        case .answered(let question):
            answer(question) != .null
        case .all(let conditions):
            conditions.allSatisfy { $0.holds(answer) }
        case .any(let conditions):
            conditions.contains { $0.holds(answer) }
        case .not(let condition):
            !condition.holds(answer)
        }
    }

    /// The questions that the condition looks at.
    package var questions: Set<String> {
        switch self {
        case .compare(let question, _, _), .selected(let question, _), .answered(let question):
            [question]
        case .all(let conditions), .any(let conditions):
            conditions.reduce(into: []) { $0.formUnion($1.questions) }
        case .not(let condition):
            condition.questions
        }
    }

    private static func names(in value: FieldValue) -> [Substring] {
        guard case .string(let text) = value else { return [] }
        return text.split(separator: " ")
    }
}

extension Condition.Comparison {
    func holds(_ left: FieldValue, _ right: FieldValue) -> Bool {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: Self.isOrdered(left, right, <, <)
        case .lessOrEqual: Self.isOrdered(left, right, <=, <=)
        case .greater: Self.isOrdered(left, right, >, >)
        case .greaterOrEqual: Self.isOrdered(left, right, >=, >=)
        }
    }

    /// Numbers compare with numbers, texts (dates among them) with texts; all else has no order.
    private static func isOrdered(
        _ left: FieldValue, _ right: FieldValue, _ numbers: (Double, Double) -> Bool,
        _ texts: (String, String) -> Bool
    ) -> Bool {
        if let left = left.number, let right = right.number { return numbers(left, right) }
        if case .string(let left) = left, case .string(let right) = right {
            return texts(left, right)
        }
        return false
    }
}

extension FieldValue {
    /// The value as a number, nil for text and for nothing. Integers beyond ±2^53 round.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .null, .string: nil
        }
    }
}
