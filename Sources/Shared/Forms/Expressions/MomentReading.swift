/// Dates and times as ISO 8601 writes them, read for expressions.
extension Moment {
    /// A date, `2026-5-7` or `2026-05-07`, or one with a time, `2026-05-07T14:03:59.500+02:00`.
    /// Without an offset the zone says which instant is meant. Nil where there is no such day or time.
    package init?(_ text: String, in zone: ExpressionZone) {
        var reader = DigitReader(text)
        guard let date = reader.date() else { return nil }
        let midnight = Int64(date.daysSinceEpoch) * Self.millisecondsOfDay
        if reader.isAtEnd {
            self.init(milliseconds: zone.instant(wall: midnight))
            return
        }
        guard reader.take("T") || reader.take(" "), let time = reader.time(),
            let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let wall = midnight + time
        switch offset {
        case .none: self.init(milliseconds: zone.instant(wall: wall))
        case .seconds(let seconds): self.init(milliseconds: wall - Int64(seconds) * 1_000)
        }
    }

    /// A time of day, `14:03` or `14:03:59.500+02:00`, as a fraction of the day in the zone; its
    /// offset is that of the first of January 1970. Nil where there is no such time.
    package static func fractionOfDay(_ text: String, in zone: ExpressionZone) -> Double? {
        var reader = DigitReader(text)
        guard let time = reader.time(), let offset = reader.offset(), reader.isAtEnd else {
            return nil
        }
        var wall = time
        if case .seconds(let seconds) = offset {
            wall += Int64(zone.offset(0) - seconds) * 1_000
        }
        let day = wall.flooredQuotient(millisecondsOfDay) * millisecondsOfDay
        return Double(wall - day) / Double(millisecondsOfDay)
    }
}

/// Takes a text apart from the front.
private struct DigitReader {
    enum Offset: Equatable {
        case none
        case seconds(Int)
    }

    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == scalar.value else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func number(_ widths: ClosedRange<Int>) -> Int? {
        var value = 0
        var count = 0
        while count < widths.upperBound, let byte = rest.first, (0x30...0x39).contains(byte) {
            value = value * 10 + Int(byte - 0x30)
            count += 1
            rest.removeFirst()
        }
        return widths.contains(count) ? value : nil
    }

    mutating func date() -> CivilDate? {
        guard let year = number(4...4), take("-"), let month = number(1...2), take("-"),
            let day = number(1...2)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// Milliseconds since midnight.
    mutating func time() -> Int64? {
        guard let hour = number(1...2), hour < 24, take(":"), let minute = number(2...2),
            minute < 60
        else { return nil }
        var second = 0
        var millisecond = 0
        if take(":") {
            guard let found = number(2...2), found < 60 else { return nil }
            second = found
            if take(".") {
                guard let found = fraction() else { return nil }
                millisecond = found
            }
        }
        return Int64(((hour * 60 + minute) * 60 + second) * 1_000 + millisecond)
    }

    /// Digits after the point as milliseconds; what is finer is cut off.
    private mutating func fraction() -> Int? {
        var value = 0
        var count = 0
        while let byte = rest.first, (0x30...0x39).contains(byte) {
            if count < 3 { value = value * 10 + Int(byte - 0x30) }
            count += 1
            rest.removeFirst()
        }
        guard count > 0 else { return nil }
        for _ in count..<max(count, 3) { value *= 10 }
        return value
    }

    /// `Z`, `+02`, `+0200`, `-07:00`, or nothing. Nil for what is none of these.
    mutating func offset() -> Offset? {
        if take("Z") { return .seconds(0) }
        if isAtEnd { return Offset.none }
        let sign = take("-") ? -1 : 1
        guard sign < 0 || take("+"), let hour = number(2...2), hour < 24 else { return nil }
        guard !isAtEnd else { return .seconds(sign * hour * 3_600) }
        _ = take(":")
        guard let minute = number(2...2), minute < 60 else { return nil }
        return .seconds(sign * (hour * 60 + minute) * 60)
    }
}
