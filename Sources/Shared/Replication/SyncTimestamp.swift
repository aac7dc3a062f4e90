/// `2026-03-02T08:00:00.000Z` and milliseconds since 1970. For people to read: nothing is ordered
/// or decided by it.
package enum SyncTimestamp {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// - Parameter milliseconds: since 1970-01-01T00:00:00Z, leap seconds not counted; cut to the
    ///   years 0000 to 9999.
    package static func text(_ milliseconds: Int64) -> String {
        let instant = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let day = floorDivide(instant, millisecondsPerDay)
        let time = instant - day * millisecondsPerDay
        let (year, month, date) = civil(fromDay: day)
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(date, 2))T\(pad(time / 3_600_000, 2)):"
            + "\(pad(time / 60_000 % 60, 2)):\(pad(time / 1_000 % 60, 2)).\(pad(time % 1_000, 3))Z"
    }

    /// Exactly the form that `text` writes.
    package static func milliseconds(_ text: String) throws(ReplicationError) -> Int64 {
        let shape = Array("0000-00-00T00:00:00.000Z".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count == shape.count else { throw .malformedTimestamp }
        var numbers: [Int64] = [0]
        for (byte, expected) in zip(bytes, shape) {
            if expected == UInt8(ascii: "0") {
                guard (0x30...0x39).contains(byte) else { throw .malformedTimestamp }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - 0x30)
            } else {
                guard byte == expected else { throw .malformedTimestamp }
                numbers.append(0)
            }
        }
        let day = day(year: numbers[0], month: numbers[1], date: numbers[2])
        guard (1...12).contains(numbers[1]),
            civil(fromDay: day) == (numbers[0], numbers[1], numbers[2]),
            numbers[3] < 24, numbers[4] < 60, numbers[5] < 60
        else { throw .malformedTimestamp }
        let seconds = numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]
        return day * millisecondsPerDay + seconds * 1_000 + numbers[6]
    }

    // Days and dates of the Gregorian calendar as in Howard Hinnant's "chrono-compatible low-level
    // date algorithms": years begin in March, so that the leap day is the last of its year.

    private static func civil(fromDay day: Int64) -> (Int64, Int64, Int64) {
        let shifted = day + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let date = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, date)
    }

    private static func day(year: Int64, month: Int64, date: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = floorDivide(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + date - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
