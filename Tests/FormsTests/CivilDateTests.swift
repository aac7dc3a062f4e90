import Forms
import Testing

@Suite("Civil dates")
struct CivilDateTests {
    @Test(
        "days before and after the epoch",
        arguments: [
            ("1970-01-01", 0), ("1970-01-02", 1), ("1969-12-31", -1), ("2000-02-29", 11_016),
            ("2026-11-30", 20_787), ("0001-01-01", -719_162), ("9999-12-31", 2_932_896),
        ])
    func days(text: String, days: Int) throws {
        let date = try #require(CivilDate(text))
        #expect(date.daysSinceEpoch == days)
        #expect(CivilDate(daysSinceEpoch: days) == date)
    }

    @Test("the days of 800 years, two full cycles of the calendar, follow each other")
    func everyDay() throws {
        var previous = try #require(CivilDate("1599-12-31"))
        let last = try #require(CivilDate("2399-12-31"))
        while previous < last, let next = previous.adding(days: 1) {
            guard previous < next, CivilDate(next.description) == next else {
                Issue.record("\(previous) is followed by \(next)")
                return
            }
            previous = next
        }
        #expect(previous == last)
        #expect(CivilDate("9999-12-31")?.adding(days: 1) == nil)
        #expect(CivilDate("0001-01-01")?.adding(days: -1) == nil)
    }

    @Test(
        "what is no day is no date",
        arguments: [
            "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-4-3",
            "2026/04/03", "20260403", "0000-01-01", "2026-04-03 ", "２０２６-04-03", "",
        ])
    func refused(text: String) {
        #expect(CivilDate(text) == nil)
    }
}
