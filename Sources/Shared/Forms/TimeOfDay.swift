/// A time on the wall, without a day: `14:00`, as it was meant where it was given. It never moves with
/// a zone or with summer time.
package struct TimeOfDay: Hashable, Sendable, CustomStringConvertible {
    package let hour: Int
    package let minute: Int
    package let second: Int

    package init?(hour: Int, minute: Int, second: Int = 0) {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else {
            return nil
        }
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// `9:30`, `14:00`, `1400`, `14:00:05`, `14:00:05.000+01:00`: a fraction and an offset, as other
    /// programs write them, are left out.
    package init?(_ text: String) {
        var digits = text[...]
        if let mark = digits.firstIndex(where: { $0 == "+" || $0 == "-" || $0 == "Z" }) {
            guard Self.isOffset(digits[mark...]) else { return nil }
            digits = digits[..<mark]
        }
        if let point = digits.firstIndex(of: ".") {
            let fraction = digits[digits.index(after: point)...]
            guard !fraction.isEmpty, Self.areDigits(fraction), digits.contains(":") else {
                return nil
            }
            digits = digits[..<point]
        }
        if digits.count == 4, Self.areDigits(digits) {
            digits.insert(":", at: digits.index(digits.startIndex, offsetBy: 2))
        }
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count),
            parts.allSatisfy({ (1...2).contains($0.count) && Self.areDigits($0) }),
            parts.dropFirst().allSatisfy({ $0.count == 2 })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count else { return nil }
        self.init(
            hour: numbers[0], minute: numbers[1], second: numbers.count == 3 ? numbers[2] : 0)
    }

    /// `14:00:00`
    package var description: String {
        [hour, minute, second].map { Self.padded($0) }.joined(separator: ":")
    }

    static func padded(_ number: Int, to width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    static func areDigits(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// `Z`, `+01`, `+0100`, `+01:00`.
    static func isOffset(_ text: Substring) -> Bool { offset(text) != nil }

    /// Seconds east of UTC.
    static func offset(_ text: Substring) -> Int? {
        if text == "Z" { return 0 }
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard digits.count == 2 || digits.count == 4, areDigits(digits[...]),
            let hours = Int(digits.prefix(2)), hours <= 14
        else { return nil }
        let minutes = Int(digits.dropFirst(2)) ?? 0
        guard minutes < 60 else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}

/// A day and a time with the offset that was in force where it was given: an instant that stays the
/// same wherever it is read, and shows what the clock showed there.
package struct PointInTime: Hashable, Sendable, CustomStringConvertible {
    package let day: CivilDate
    package let time: TimeOfDay
    /// Seconds east of UTC.
    package let offset: Int

    /// `2026-03-14T09:30:00.000+01:00`, with a space for the `T`, and without seconds or fraction.
    /// - Parameter zone: whose offset counts where none is given; nil to refuse that.
    package init?(_ text: String, in zone: ExpressionZone? = nil) {
        guard text.utf8.count <= 40, let mark = text.firstIndex(where: { $0 == "T" || $0 == " " }),
            let day = CivilDate(String(text[..<mark]))
        else { return nil }
        let rest = text[text.index(after: mark)...]
        guard let time = TimeOfDay(String(rest)) else { return nil }
        self.day = day
        self.time = time
        if let sign = rest.firstIndex(where: { $0 == "+" || $0 == "-" || $0 == "Z" }) {
            guard let given = TimeOfDay.offset(rest[sign...]) else { return nil }
            offset = given
        } else {
            guard let zone else { return nil }
            let wall = Self.wallMilliseconds(day, time)
            offset = Int((wall - zone.instant(wall: wall)) / 1000)
        }
    }

    /// To the second.
    /// - Parameter milliseconds: since 1970-01-01 UTC.
    package init?(milliseconds: Int64, in zone: ExpressionZone) {
        offset = zone.offset(milliseconds.flooredQuotient(1_000))
        let wall = WallTime(wall: milliseconds + Int64(offset) * 1_000)
        guard let time = TimeOfDay(hour: wall.hour, minute: wall.minute, second: wall.second)
        else { return nil }
        self.time = time
        day = wall.date
    }

    private static func wallMilliseconds(_ day: CivilDate, _ time: TimeOfDay) -> Int64 {
        let seconds = (time.hour * 60 + time.minute) * 60 + time.second
        return (Int64(day.daysSinceEpoch) * 86_400 + Int64(seconds)) * 1000
    }

    /// Milliseconds since 1970-01-01 UTC.
    package var milliseconds: Int64 {
        Self.wallMilliseconds(day, time) - Int64(offset) * 1000
    }

    package var description: String {
        let minutes = abs(offset) / 60
        let sign = offset < 0 ? "-" : "+"
        return "\(day)T\(time).000\(sign)\(TimeOfDay.padded(minutes / 60)):"
            + TimeOfDay.padded(minutes % 60)
    }
}
