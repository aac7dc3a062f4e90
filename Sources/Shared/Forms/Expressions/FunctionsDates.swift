/// Dates and times.
enum DateFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction("today", .exactly(0), today),
        ExpressionFunction("now", .exactly(0), now),
        ExpressionFunction("date", .exactly(1), date),
        ExpressionFunction("date-time", .exactly(1), dateTime),
        ExpressionFunction("format-date", .exactly(2), format),
        ExpressionFunction("format-date-time", .exactly(2), format),
        ExpressionFunction("decimal-date-time", .exactly(1), decimalDateTime),
        ExpressionFunction("decimal-time", .exactly(1), decimalTime),
    ]

    private static func current(_ call: Arguments) throws(ExpressionError) -> Moment {
        let now = call.surroundings.now()
        guard let moment = Moment(milliseconds: now, showsTime: true) else {
            throw call.problem("the clock shows no year from 1 to 9999")
        }
        return moment
    }

    @Sendable
    private static func now(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .moment(try current(call))
    }

    @Sendable
    private static func today(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .moment(call.zone.startOfDay(try current(call)))
    }

    /// Of a moment, the day that it is in, and so of an answer that is one; of a text or number of the
    /// author's own what it says, time included.
    @Sendable
    private static func date(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let value = try call.value(0)
        if case .moment(let moment) = value { return .moment(call.zone.startOfDay(moment)) }
        if case .number(let days) = value.unpacked, days.isNaN { return .number(.nan) }
        guard let moment = try moment(value, call) else { return .empty }
        if case .nodes = value, NumberText.parse(value.text(in: call.zone)) == nil {
            return .moment(call.zone.startOfDay(moment))
        }
        return .moment(moment)
    }

    @Sendable
    private static func dateTime(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let value = try call.value(0)
        if case .number(let days) = value.unpacked, days.isNaN { return .number(.nan) }
        return try moment(value, call).map { .moment($0) } ?? .empty
    }

    /// Nil for what is blank.
    /// - Throws: when there is something that is no date.
    private static func moment(
        _ value: ExpressionValue, _ call: Arguments
    ) throws(ExpressionError) -> Moment? {
        guard !value.isBlank else { return nil }
        switch value.unpacked {
        case .moment(let moment), .days(let moment): return moment
        case .boolean: throw call.problem("a truth value is no date")
        case .number(let days):
            guard let moment = call.zone.moment(days: days) else {
                throw call.problem("the number is out of range for a date")
            }
            return moment
        case let other:
            let text = other.text(in: call.zone)
            if let moment = Moment(text, in: call.zone) { return moment }
            // A node that a calculation filled with days.
            guard case .nodes = value, let days = NumberText.parse(text),
                let moment = call.zone.moment(days: days)
            else { throw call.problem("the text is no date") }
            return moment
        }
    }

    @Sendable
    private static func format(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        guard let moment = try moment(try call.value(0), call) else { return .empty }
        let pattern = try call.text(1)
        switch DateFormat.text(of: WallTime(wall: call.zone.wall(moment)), as: pattern) {
        case .success(let text): return try call.made(text)
        case .failure(let unknown): throw unknown.error(in: call.call)
        }
    }

    @Sendable
    private static func decimalDateTime(
        _ call: Arguments
    ) throws(ExpressionError) -> ExpressionValue {
        let value = try call.value(0).unpacked
        if case .text(let text) = value {
            guard !text.isEmpty else { return .empty }
            return .number(Moment(text, in: call.zone).map(call.zone.days) ?? .nan)
        }
        return .number(value.number(in: call.zone))
    }

    /// The time of day in the zone as a fraction of the day.
    @Sendable
    private static func decimalTime(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        switch try call.value(0).unpacked {
        case .text(let text):
            if let fraction = Moment.fractionOfDay(text, in: call.zone) {
                return .number(fraction)
            }
            return .number(Moment(text, in: call.zone).map { fraction(of: $0, call) } ?? .nan)
        case .moment(let moment), .days(let moment): return .number(fraction(of: moment, call))
        case let other:
            let number = other.number(in: call.zone)
            return .number(number - number.rounded(.down))
        }
    }

    private static func fraction(of moment: Moment, _ call: Arguments) -> Double {
        let wall = call.zone.wall(moment)
        let day = wall.flooredQuotient(Moment.millisecondsOfDay)
        return Double(wall - day * Moment.millisecondsOfDay)
            / Double(Moment.millisecondsOfDay)
    }
}

/// The escapes of `format-date`, with English names.
enum DateFormat {
    struct UnknownEscape: Error {
        let escape: String

        func error(in call: FunctionCall) -> ExpressionError {
            ExpressionError(
                .badArgument, at: call.place, "\(call.name)(): the format has no \"\(escape)\"")
        }
    }

    static func problem(of pattern: String, in call: FunctionCall) -> ExpressionError? {
        guard case .failure(let unknown) = text(of: WallTime(wall: 0), as: pattern) else {
            return nil
        }
        return unknown.error(in: call)
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
    private static let days = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    static func text(of time: WallTime, as pattern: String) -> Result<String, UnknownEscape> {
        var text = ""
        var rest = pattern[...]
        while let letter = rest.popFirst() {
            guard letter == "%" else {
                text.append(letter)
                continue
            }
            let escape = rest.popFirst()
            guard let part = escape.flatMap({ part($0, of: time) }) else {
                let shown = escape.map { ShownText.clean(String($0)) } ?? ""
                return .failure(UnknownEscape(escape: "%" + shown))
            }
            text += part
        }
        return .success(text)
    }

    private static func part(_ escape: Character, of time: WallTime) -> String? {
        let date = time.date
        return switch escape {
        case "Y": padded(date.year, to: 4)
        case "y": twoDigits(date.year % 100)
        case "m": twoDigits(date.month)
        case "n": String(date.month)
        case "B": months[date.month - 1]
        case "b": String(months[date.month - 1].prefix(3))
        case "d": twoDigits(date.day)
        case "e": String(date.day)
        case "H": twoDigits(time.hour)
        case "h": String(time.hour)
        case "M": twoDigits(time.minute)
        case "S": twoDigits(time.second)
        case "3": padded(time.millisecond, to: 3)
        case "A": days[time.weekday]
        case "a": String(days[time.weekday].prefix(3))
        case "W": String(week(of: time))
        case "%": "%"
        default: nil
        }
    }

    /// As JavaRosa counts them: weeks begin on Sunday, and the one with the first of January in it is the
    /// first, its last days of December too.
    private static func week(of time: WallTime) -> Int {
        let day = time.date.daysSinceEpoch
        let saturday = day + 6 - time.weekday
        let firsts = [time.date.year, time.date.year + 1].compactMap {
            CivilDate(year: $0, month: 1, day: 1)?.daysSinceEpoch
        }
        guard let first = firsts.last(where: { $0 <= saturday }) else { return 1 }
        let weekdayOfFirst = (time.weekday + 7 - (day - first) % 7) % 7
        return max(0, day - first + weekdayOfFirst) / 7 + 1
    }
}
