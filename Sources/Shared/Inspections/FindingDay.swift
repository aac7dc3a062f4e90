internal import Coding
package import Forms

/// The day until which something has to be mended, as people type it.
package enum FindingDay {
    /// - Returns: `YYYY-MM-DD`; nil for an empty text, which takes the day away.
    /// - Throws: `notADate`.
    package static func read(
        _ text: String, rules: TypingRules, today: CivilDate?, zone: ExpressionZone
    ) throws(AnswerProblem) -> String? {
        let question = Question(path: BuiltInField.due, label: "", type: .date)
        let value = try question.parse(text, rules: rules, today: today, zone: zone)
        return value.isNull ? nil : value.plainText
    }
}
