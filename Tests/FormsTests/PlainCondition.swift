import Coding
import Forms

/// A condition in the plainest terms, to hold the evaluator against: as a text, and by its meaning.
indirect enum PlainCondition: Equatable {
    case compare(question: String, String, FieldValue)
    case selected(question: String, name: String)
    case answered(question: String)
    case all([PlainCondition])
    case any([PlainCondition])
    case not(PlainCondition)

    static let comparisons = ["=", "!=", "<", "<=", ">", ">="]

    var text: String {
        switch self {
        case .compare(let question, let sign, .string(let text)):
            "/data/\(question) \(sign) '\(text)'"
        case .compare(let question, let sign, let value):
            "/data/\(question) \(sign) \(value.plainText)"
        case .selected(let question, let name): "selected(/data/\(question), '\(name)')"
        case .answered(let question): "/data/\(question) != ''"
        case .all(let inner):
            inner.isEmpty ? "true()" : "(" + inner.map(\.text).joined(separator: " and ") + ")"
        case .any(let inner):
            inner.isEmpty ? "false()" : "(" + inner.map(\.text).joined(separator: " or ") + ")"
        case .not(let inner): "not(\(inner.text))"
        }
    }

    /// Nothing is unequal to every value, and neither less nor greater than any.
    func holds(_ answer: (String) -> FieldValue) -> Bool {
        switch self {
        case .compare(let question, let sign, let value):
            Self.compare(answer(question), sign, value)
        case .selected(let question, let name):
            answer(question).plainText.split(separator: " ").contains { $0 == name }
        case .answered(let question): !answer(question).isNull
        case .all(let inner): inner.allSatisfy { $0.holds(answer) }
        case .any(let inner): inner.contains { $0.holds(answer) }
        case .not(let inner): !inner.holds(answer)
        }
    }

    /// Two texts are equal as texts; everything else is compared as numbers, and a day is one.
    private static func compare(_ left: FieldValue, _ sign: String, _ right: FieldValue) -> Bool {
        if sign == "=" || sign == "!=" {
            let isText = if case .string = right { true } else { false }
            let isEqual =
                isText ? left.plainText == right.plainText : number(left) == number(right)
            return isEqual == (sign == "=")
        }
        let (left, right) = (number(left), number(right))
        return switch sign {
        case "<": left < right
        case "<=": left <= right
        case ">": left > right
        default: left >= right
        }
    }

    private static func number(_ value: FieldValue) -> Double {
        if let number = value.number { return number }
        guard case .string(let text) = value else { return .nan }
        return CivilDate(text).map { Double($0.daysSinceEpoch) } ?? .nan
    }
}
