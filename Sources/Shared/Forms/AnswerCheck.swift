package import Coding

/// Whether a value may be the answer to a question. `.null` always may: an answer can be cleared,
/// and only *complete* asks for required ones.
extension Question {
    package func problem(with value: FieldValue) -> AnswerProblem? {
        if value.isNull { return nil }
        switch type {
        case .note: return .takesNoAnswer
        case .text(let multiline): return Self.problem(with: value, multiline: multiline)
        case .barcode, .file: return Self.problem(with: value, multiline: false)
        case .integer, .decimal: return numberProblem(with: value)
        case .choice, .verdict:
            guard case .string(let name) = value else { return .wrongType }
            return isInList(name[...]) ? nil : .notOffered
        case .date:
            guard case .string(let text) = value else { return .wrongType }
            return CivilDate(text) == nil ? .notADate : nil
        case .choices, .ranking, .time, .dateTime, .point, .trace, .shape, .acknowledge:
            guard case .string(let text) = value else { return .wrongType }
            return problem(withText: text)
        }
    }

    private func problem(withText text: String) -> AnswerProblem? {
        switch type {
        case .time: TimeOfDay(text) == nil ? .notATime : nil
        case .dateTime: PointInTime(text) == nil ? .notAMoment : nil
        case .point: GeoPoint(text) == nil ? .notAPoint : nil
        case .trace: GeoPoint.points(text).map { $0.count >= 2 } ?? false ? nil : .notATrace
        case .shape: GeoPoint.isShape(text) ? nil : .notATrace
        case .acknowledge: text == Question.acknowledged ? nil : .notOffered
        default: problem(withNames: text)
        }
    }

    /// Choices that are made of answers, as of a repeat's rows, are no list: `FormFilling` knows them.
    private func isInList(_ name: Substring) -> Bool {
        filter?.labelName != nil || list.choice(named: String(name)) != nil
    }

    /// Names joined by single spaces, each offered and none twice.
    private func problem(withNames text: String) -> AnswerProblem? {
        let names = text.split(separator: " ", omittingEmptySubsequences: false)
        guard names.allSatisfy(isInList) else { return .notOffered }
        return Set(names).count == names.count ? nil : .choiceTwice
    }

    /// What stands for a statement that was acknowledged, as in ODK.
    package static let acknowledged = "OK"

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

    /// Decimal steps are no binary fractions: a thousandth of a step beside it counts as on it.
    private static func isStep(_ number: Double, of step: Double, from start: Double) -> Bool {
        let steps = (number - start) / step
        return abs(steps - steps.rounded()) < 0.001
    }

    private func numberProblem(with value: FieldValue) -> AnswerProblem? {
        guard let number = value.number else { return .wrongType }
        guard number.isFinite else { return .notANumber }
        if type == .integer, case .double = value.canonical { return .notWhole }
        if let minimum = limits.hardMinimum, number < minimum { return .belowMinimum(minimum) }
        if let maximum = limits.hardMaximum, number > maximum { return .aboveMaximum(maximum) }
        if let step = limits.step, !Self.isStep(number, of: step, from: limits.hardMinimum ?? 0) {
            return .notAStep(step)
        }
        return nil
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
