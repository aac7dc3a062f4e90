package import Coding

/// What a form makes, brought into the type of the question that it is for: calculations, defaults and
/// values that actions set.
extension Question {
    /// The answer that an expression comes to, as JavaRosa stores it: of a moment the day, the time or
    /// both, as the question asks; of a number days since 1970-01-01 where a day or moment is asked
    /// for, and no fraction where a whole number is; of a truth the word, or one and zero where a number
    /// is asked for. What cannot be had so is left as it is.
    func value(of found: ExpressionValue, in zone: ExpressionZone) -> FieldValue {
        let found = found.unpacked
        if type.isNumber, case .boolean(let truth) = found { return .integer(truth ? 1 : 0) }
        // What is divided by nothing is no answer that anybody could add up.
        if type.isNumber, case .number(let number) = found, !number.isFinite { return .null }
        let text = found.answer(in: zone)
        if let moment = moment(of: found, in: zone), let cast = cast(moment, in: zone) {
            return .string(cast)
        }
        return value(ofText: text)
    }

    /// Whether what an expression comes to is another day or time in another zone.
    func isCast(_ found: ExpressionValue, in zone: ExpressionZone) -> Bool {
        moment(of: found.unpacked, in: zone) != nil
    }

    /// The answer that a text of the form stands for, such as a default.
    package func value(
        ofExpression text: String, in zone: ExpressionZone
    ) -> FieldValue {
        if NumberText.parse(text) != nil { return value(ofText: text) }
        return value(of: .text(text), in: zone)
    }

    /// The moment that is meant, where one is asked for and it has to be brought into its type.
    private func moment(of found: ExpressionValue, in zone: ExpressionZone) -> Moment? {
        switch (type, found) {
        case (.date, .moment(let moment)), (.dateTime, .moment(let moment)),
            (.time, .moment(let moment)), (.date, .days(let moment)),
            (.dateTime, .days(let moment)):
            return moment
        case (.date, .number(let days)), (.dateTime, .number(let days)):
            return zone.moment(days: days)
        case (.date, .text(let text)), (.dateTime, .text(let text)), (.time, .text(let text)):
            if problem(with: .string(text)) == nil { return nil }
            if type != .time, let days = NumberText.parse(text) {
                return zone.moment(days: days)
            }
            return Moment(text, in: zone)
        default: return nil
        }
    }

    private func cast(_ moment: Moment, in zone: ExpressionZone) -> String? {
        let wall = WallTime(wall: zone.wall(moment))
        switch type {
        case .date: return wall.date.description
        case .time:
            return TimeOfDay(hour: wall.hour, minute: wall.minute, second: wall.second)?
                .description
        case .dateTime:
            return Moment(milliseconds: moment.milliseconds, showsTime: true).map(zone.text)
        default: return nil
        }
    }

    /// A number where the question asks for one and the text is one, else the text itself without
    /// control characters, which no answer has.
    private func value(ofText text: String) -> FieldValue {
        let text = ShownText.answer(text, multiline: type == .text(multiline: true))
        guard !text.isEmpty else { return .null }
        if type.isNumber, let number = NumberText.parse(text), number.isFinite {
            let value = FieldValue.double(number).canonical
            if type == .integer, case .double = value {
                return FieldValue.double(number.rounded(.towardZero)).canonical
            }
            return value
        }
        return .string(text)
    }
}
