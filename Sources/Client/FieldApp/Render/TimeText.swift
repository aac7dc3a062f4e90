import Forms
import Phrases

/// Times as they read on the screen: where the device stands, short, and only to be read.
struct TimeText {
    let moment: Moment

    /// `08:02` for today, else `03-02 08:02`; `never` for none.
    func clock(_ wall: Int64?) -> String {
        guard let wall else { return say("never") }
        let local = wall / 1_000 + Int64(moment.zone)
        let (day, second) = local.quotientFloored(by: 86_400)
        let time = "\(twoDigits(second / 3_600)):\(twoDigits(second / 60 % 60))"
        guard let date = CivilDate(daysSinceEpoch: day), date != moment.today else { return time }
        return "\(twoDigits(date.month))-\(twoDigits(date.day)) \(time)"
    }

    /// How long ago: `under 1 min`, `5 min`, `3 h`, `12 d`. What lies ahead (a clock set back) is
    /// the first.
    func age(_ wall: Int64?) -> String {
        guard let wall else { return "?" }
        return span(moment.wall - wall)
    }

    /// How long until then, in the same words.
    func wait(_ wall: Int64) -> String { span(wall - moment.wall) }

    private func span(_ milliseconds: Int64) -> String {
        let minutes = milliseconds / 60_000
        if minutes < 1 { return say("under 1 min") }
        if minutes < 60 { return say("\(minutes) min") }
        if minutes < 48 * 60 { return "\(minutes / 60) h" }
        return "\(minutes / (24 * 60)) d"
    }

    private func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension Int64 {
    /// Quotient and remainder with the remainder never negative: days before 1970 too.
    fileprivate func quotientFloored(by divisor: Int64) -> (Int, Int) {
        let remainder = (self % divisor + divisor) % divisor
        return (Int((self - remainder) / divisor), Int(remainder))
    }
}
