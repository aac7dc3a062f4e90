package import Coding

/// How typed text is read.
package enum TypingRules: Sendable {
    /// In commands and files: the C locale, so that a script means the same everywhere.
    case command
    /// On the screen: a decimal comma or point, whichever the keypad has.
    case screen
}

extension Question {
    /// The value that a text stands for, checked against type, choices and hard limits. An empty
    /// text is `.null`: it clears the answer.
    /// - Parameters:
    ///   - today: what `t` and `+3d` count from; nil where such dates are not understood.
    ///   - zone: whose offset a day and time gets that is typed without one; nil to refuse those.
    ///   - now: what `t` and `now` mean for a time, in milliseconds since 1970-01-01 UTC; nil where such
    ///     times are not understood.
    ///   - offered: what the question offers at the moment (`FormFilling.offered`); nil where that is not
    ///     known.
    package func parse(
        _ text: String, rules: TypingRules, today: CivilDate?, zone: ExpressionZone? = nil,
        now: Int64? = nil, offered: [Choice]? = nil
    ) throws(AnswerProblem) -> FieldValue {
        let clock = TypedMoment(today: today, zone: zone, now: now)
        let choices = TypedChoices(of: self, offered: offered)
        let value = try read(text, rules: rules, clock, choices)
        if let problem = problem(with: value) { throw problem }
        return value
    }

    private func read(
        _ text: String, rules: TypingRules, _ clock: TypedMoment, _ choices: TypedChoices
    ) throws(AnswerProblem) -> FieldValue {
        if case .text = type {
            if text.allSatisfy(\.isWhitespace) { return .null }
            do throws(FieldValueError) {
                return try FieldValue(text: text)
            } catch {
                throw error == .tooLong ? .tooLong : .controlCharacter
            }
        }
        let trimmed = TypedText.trimmed(text)
        if trimmed.isEmpty { return .null }
        switch type {
        case .note: throw .takesNoAnswer
        case .text: return .null  // answered above
        case .integer: return try TypedNumber(trimmed, rules: rules).whole()
        case .decimal: return try TypedNumber(trimmed, rules: rules).value()
        case .choice, .verdict: return .string(try choices.name(of: trimmed))
        case .choices, .ranking: return .string(try choices.names(in: trimmed))
        case .date:
            guard let date = TypedDate.read(trimmed, today: clock.today) else { throw .notADate }
            return .string(date.description)
        default: return .string(try readText(trimmed, clock))
        }
    }

    private func readText(
        _ text: String, _ clock: TypedMoment
    ) throws(AnswerProblem) -> String {
        switch type {
        case .time:
            guard let time = clock.time(text) else { throw .notATime }
            return time.description
        case .dateTime:
            guard let moment = clock.moment(text) else { throw .notAMoment }
            return moment.description
        case .point:
            guard let point = GeoPoint(text) else { throw .notAPoint }
            return point.description
        case .trace, .shape:
            guard let points = GeoPoint.points(text) else { throw .notATrace }
            return points.map(\.description).joined(separator: ";")
        case .acknowledge:
            guard ["ok", "yes", "y", "x", "1", "true"].contains(text.lowercased()) else {
                throw .notOffered
            }
            return Question.acknowledged
        default: return text
        }
    }
}

enum TypedText {
    static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

/// A number as it is typed: sign, digits, one decimal mark, exponent. No hexadecimal, infinity or
/// grouping: `1,234` is 1.234 on the screen and refused in a command, never twelve hundred.
struct TypedNumber {
    private var text: String

    init(_ text: String, rules: TypingRules) throws(AnswerProblem) {
        self.text = text
        guard rules == .screen else { return }
        self.text = text.replacing("−", with: "-")
        let marks = self.text.filter { $0 == "," || $0 == "." }
        guard marks.count <= 1 else { throw .ambiguousNumber }
        self.text = self.text.replacing(",", with: ".")
    }

    func value() throws(AnswerProblem) -> FieldValue {
        guard let shape else { throw .notANumber }
        if shape == .whole, let integer = Int64(text) { return .integer(integer) }
        // Double's own reader also takes "nan", "inf" and hexadecimal: the shape excluded them.
        guard let double = Double(text), double.isFinite else { throw .tooManyDigits }
        do throws(FieldValueError) {
            return try FieldValue(number: double)
        } catch {
            throw .notANumber
        }
    }

    func whole() throws(AnswerProblem) -> FieldValue {
        guard let shape else { throw .notANumber }
        guard shape == .whole else { throw .notWhole }
        guard let integer = Int64(text) else { throw .tooManyDigits }
        return .integer(integer)
    }

    private enum Shape { case whole, fraction }

    private var shape: Shape? {
        var rest = text.utf8[...]
        skipSign(&rest)
        let before = skipDigits(&rest)
        var after = 0
        var shape = Shape.whole
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            after = skipDigits(&rest)
            shape = .fraction
        }
        guard before + after > 0 else { return nil }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            skipSign(&rest)
            guard skipDigits(&rest) > 0 else { return nil }
            shape = .fraction
        }
        return rest.isEmpty ? shape : nil
    }

    private func skipSign(_ rest: inout Substring.UTF8View) {
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
            rest.removeFirst()
        }
    }

    private func skipDigits(_ rest: inout Substring.UTF8View) -> Int {
        var count = 0
        while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            rest.removeFirst()
            count += 1
        }
        return count
    }
}

/// A date as it is typed: `2026-03-14`, `20260314`, `t` for today, `+3d`, `-2w`.
enum TypedDate {
    static func read(_ text: String, today: CivilDate?) -> CivilDate? {
        if let date = CivilDate(text) { return date }
        if text.utf8.count == 8, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            let digits = Array(text)
            return CivilDate(
                String(digits[0..<4]) + "-" + String(digits[4..<6]) + "-" + String(digits[6..<8]))
        }
        guard let today else { return nil }
        if text == "t" || text == "T" { return today }
        return offset(text).flatMap { today.adding(days: $0) }
    }

    /// Days of `+3d`, `-1w`, `+10`.
    private static func offset(_ text: String) -> Int? {
        var rest = text[...]
        guard let sign = rest.popFirst(), sign == "+" || sign == "-" else { return nil }
        var unit = 1
        if let last = rest.last, let days = ["d": 1, "w": 7][last.lowercased()] {
            unit = days
            rest.removeLast()
        }
        guard (1...5).contains(rest.utf8.count), rest.utf8.allSatisfy({ (48...57).contains($0) }),
            let count = Int(rest)
        else { return nil }
        return (sign == "-" ? -count : count) * unit
    }
}

/// Times as they are typed: as `TimeOfDay` and `PointInTime` read them, the day also in digits or left
/// out for today, `t` or `now` for this minute.
struct TypedMoment {
    let today: CivilDate?
    let zone: ExpressionZone?
    let now: Int64?

    func time(_ text: String) -> TimeOfDay? {
        if let time = TimeOfDay(text) { return time }
        guard Self.meansNow(text), let here = present else { return nil }
        return TimeOfDay(hour: here.time.hour, minute: here.time.minute)
    }

    func moment(_ text: String) -> PointInTime? {
        if let moment = PointInTime(text, in: zone) { return moment }
        if Self.meansNow(text) { return present }
        if let time = TimeOfDay(text), let today {
            return PointInTime("\(today) \(time)", in: zone)
        }
        let words = text.split(separator: " ")
        guard words.count == 2, let day = TypedDate.read(String(words[0]), today: today) else {
            return nil
        }
        return PointInTime("\(day) \(words[1])", in: zone)
    }

    private static func meansNow(_ text: String) -> Bool {
        ["t", "now"].contains(text.lowercased())
    }

    private var present: PointInTime? {
        guard let zone, let now else { return nil }
        return PointInTime(milliseconds: now, in: zone)
    }
}
