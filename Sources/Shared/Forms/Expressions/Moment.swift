/// A date or a point in time, as expressions reckon with it: milliseconds since 1970-01-01 UTC.
///
/// A day begins at midnight in the zone of the evaluation. As a number it is days with fraction, as
/// the clock on the wall counts them, as text it is ISO 8601 in that zone.
package struct Moment: Hashable, Sendable {
    package let milliseconds: Int64
    /// Whether it is written with its time even at midnight, as `now()` is.
    package let showsTime: Bool

    static let millisecondsOfDay: Int64 = 86_400_000
    /// Years 1 to 9999.
    private static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// Nil outside the years 1 to 9999.
    package init?(milliseconds: Int64, showsTime: Bool = false) {
        guard Self.range.contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
        self.showsTime = showsTime
    }

}

/// Difference to UTC in seconds, by seconds since 1970-01-01 UTC.
package struct ExpressionZone: Sendable {
    package let offset: @Sendable (_ secondsSinceEpoch: Int64) -> Int

    /// What it was on 1970-01-01, from where days are counted.
    private let offsetAtEpoch: Int

    package init(offset: @escaping @Sendable (_ secondsSinceEpoch: Int64) -> Int) {
        self.offset = offset
        offsetAtEpoch = offset(0)
    }

    package init(fixedOffset seconds: Int) {
        self.init { _ in seconds }
    }

    /// Milliseconds on the wall, as if they were UTC.
    func wall(_ moment: Moment) -> Int64 {
        let seconds = moment.milliseconds.flooredQuotient(1_000)
        return moment.milliseconds + Int64(offset(seconds)) * 1_000
    }

    /// The instant at which the wall shows this; in an hour that the clock skips or repeats, one near
    /// it.
    func instant(wall: Int64) -> Int64 {
        let seconds = wall.flooredQuotient(1_000)
        let guess = Int64(offset(seconds))
        return wall - Int64(offset(seconds - guess)) * 1_000
    }

    /// Days since 1970-01-01T00:00 UTC as they are counted on the wall: from one midnight to the next it is
    /// one, also where the clock is put forward or back between them.
    package func days(of moment: Moment) -> Double { Self.days(milliseconds(of: moment)) }

    /// The moment that is so many days after 1970-01-01T00:00 UTC on the wall; nil outside the years 1 to
    /// 9999.
    package func moment(days: Double) -> Moment? {
        let milliseconds = (days * Double(Moment.millisecondsOfDay)).rounded()
        guard milliseconds.isFinite, abs(milliseconds) < 1e15 else { return nil }
        return Moment(
            milliseconds: instant(wall: Int64(milliseconds) + Int64(offsetAtEpoch) * 1_000))
    }

    /// As `number()` of it is written: whole days, of a date those on the wall.
    func writtenDays(of moment: Moment) -> Double {
        isDate(moment) ? wholeDays(of: moment) : days(of: moment).rounded(.down)
    }

    /// Whole days on the wall since 1970-01-01.
    func wholeDays(of moment: Moment) -> Double {
        Double(wall(moment).flooredQuotient(Moment.millisecondsOfDay))
    }

    /// Days from one moment to another: whole ones from date to date, and what really passed from time to
    /// time.
    func days(from start: Moment, to end: Moment) -> Double {
        let isPassed = !isDate(start) && !isDate(end)
        return Self.days(
            isPassed
                ? end.milliseconds - start.milliseconds
                : milliseconds(of: end) - milliseconds(of: start))
    }

    private func isDate(_ moment: Moment) -> Bool {
        !moment.showsTime && WallTime(wall: wall(moment)).isMidnight
    }

    private func milliseconds(of moment: Moment) -> Int64 {
        wall(moment) - Int64(offsetAtEpoch) * 1_000
    }

    private static func days(_ milliseconds: Int64) -> Double {
        Double(milliseconds) / Double(Moment.millisecondsOfDay)
    }

    /// The beginning of the day that the moment is in.
    func startOfDay(_ moment: Moment) -> Moment {
        let wall = wall(moment)
        let midnight =
            wall.flooredQuotient(Moment.millisecondsOfDay) * Moment.millisecondsOfDay
        return Moment(milliseconds: instant(wall: midnight)) ?? moment
    }

    /// `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm:ss.sss±hh:mm` where it is not midnight.
    func text(_ moment: Moment) -> String {
        let parts = WallTime(wall: wall(moment))
        if parts.isMidnight && !moment.showsTime { return parts.date.description }
        let offset = offset(moment.milliseconds.flooredQuotient(1_000))
        return parts.date.description + "T" + parts.time + Self.text(offset: offset)
    }

    private static func text(offset seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        return (seconds < 0 ? "-" : "+") + twoDigits(minutes / 60) + ":"
            + twoDigits(minutes % 60)
    }
}

/// A date and a time of day as they stand on the wall.
struct WallTime {
    let date: CivilDate
    let hour: Int
    let minute: Int
    let second: Int
    let millisecond: Int
    /// 0 is Sunday.
    let weekday: Int

    /// - Parameter wall: milliseconds, as if the wall showed UTC.
    init(wall: Int64) {
        let day = wall.flooredQuotient(Moment.millisecondsOfDay)
        let rest = Int(wall - day * Moment.millisecondsOfDay)
        date = CivilDate(daysSinceEpoch: Int(day)) ?? Self.epoch
        hour = rest / 3_600_000
        minute = rest / 60_000 % 60
        second = rest / 1_000 % 60
        millisecond = rest % 1_000
        weekday = ((Int(day) + 4) % 7 + 7) % 7
    }

    private static let epoch: CivilDate = {
        guard let epoch = CivilDate(year: 1970, month: 1, day: 1) else {
            preconditionFailure("1970-01-01 is a day")
        }
        return epoch
    }()

    var isMidnight: Bool { hour == 0 && minute == 0 && second == 0 && millisecond == 0 }

    /// `hh:mm:ss.sss`
    var time: String {
        twoDigits(hour) + ":" + twoDigits(minute) + ":" + twoDigits(second) + "."
            + padded(millisecond, to: 3)
    }
}

func twoDigits(_ number: Int) -> String { padded(number, to: 2) }

func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
    /// The quotient towards minus infinity.
    func flooredQuotient(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
