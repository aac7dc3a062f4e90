package import Coding

/// Whether a value may be the answer to a question. `.null` always may: an answer can be cleared,
/// and only *complete* asks for required ones.
extension Question {
    package func problem(with value: FieldValue) -> AnswerProblem? {
        if value.isNull { return nil }
        switch type {
        case .note: return .takesNoAnswer
        case .text(let multiline): return Self.problem(with: value, multiline: multiline)
        case .integer, .decimal: return numberProblem(with: value)
        case .choice, .verdict:
            guard case .string(let name) = value else { return .wrongType }
            return choice(named: name) == nil ? .notOffered : nil
        case .date:
            guard case .string(let text) = value else { return .wrongType }
            return CivilDate(text) == nil ? .notADate : nil
        }
    }

    /// Whether an allowed number is so unusual that the screen asks for a confirmation.
    package func isUnusual(_ value: FieldValue) -> Bool {
        guard let number = value.number else { return false }
        return number < (limits.softMinimum ?? number) || number > (limits.softMaximum ?? number)
    }

    private static func problem(with value: FieldValue, multiline: Bool) -> AnswerProblem? {
        guard case .string(let text) = value else { return .wrongType }
        if text.utf8.count > FieldValue.longestText { return .tooLong }
        return ShownText.hasControlCharacters(text, multiline: multiline)
            ? .controlCharacter : nil
    }

    private func numberProblem(with value: FieldValue) -> AnswerProblem? {
        guard let number = value.number else { return .wrongType }
        guard number.isFinite else { return .notANumber }
        if type == .integer, case .double = value.canonical { return .notWhole }
        if let minimum = limits.hardMinimum, number < minimum { return .belowMinimum(minimum) }
        if let maximum = limits.hardMaximum, number > maximum { return .aboveMaximum(maximum) }
        return nil
    }
}
