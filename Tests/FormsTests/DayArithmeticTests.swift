import Foundation
import Testing

@testable import Forms

/// A date counts whole days of the calendar, whatever the clocks do between.
@Suite("Days between dates")
struct DayArithmeticTests {
    static let zones = [
        "UTC", "Europe/Oslo", "America/New_York", "Asia/Kathmandu", "Pacific/Apia",
        "America/Phoenix", "Australia/Lord_Howe",
    ]

    private static func world(_ zone: String) throws -> ExpressionWorld {
        let zone = try #require(TimeZone(identifier: zone))
        var world = try ExpressionWorld(
            """
            <data><d>2026-03-28</d><e>2026-10-24</e><n>2026-03-07</n><f>2026-10-31</f>
            <dt>2026-10-24T10:00:00.000+00:00</dt></data>
            """)
        world.surroundings.zone = ExpressionZone { seconds in
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds)))
        }
        return world
    }

    @Test(
        "are whole over both changes of the clock",
        arguments: [
            ("date('2026-04-01') - /data/d", "4"), ("int(date('2026-04-01') - /data/d)", "4"),
            ("date('2026-04-01') - /data/d >= 4", "true"),
            ("int(date('2026-04-01') - /data/n)", "25"),
            ("int(date('2026-11-05') - /data/e)", "12"),
            ("int(date('2026-11-05') - /data/f)", "5"),
            ("int(date('2026-04-01') - date('2026-03-07'))", "25"),
            ("/data/d - /data/e", "-210"), ("(/data/d + 30) - /data/d", "30"),
            ("int((/data/d - date('2026-03-01')) div 7)", "3"),
            ("int(/data/d)", "20540"), ("string(number(/data/d))", "20540"),
            ("int(/data/e)", "20750"), ("/data/d + 1 = date('2026-03-29')", "true"),
            ("/data/d + 4 = '2026-04-01'", "true"), ("/data/d + 4 >= date('2026-04-01')", "true"),
            ("/data/d + 4 > date('2026-04-01')", "false"),
            ("/data/e + 2 < date('2026-10-26')", "false"),
            ("/data/e + 2 <= date('2026-10-26')", "true"),
            ("format-date(/data/d + 30, '%Y-%m-%d')", "2026-04-27"),
            ("format-date(/data/e + 30, '%Y-%m-%d')", "2026-11-23"),
            ("date(decimal-date-time(/data/d) + 30)", "2026-04-27"),
            ("date(/data/e + 30)", "2026-11-23"), ("/data/dt > /data/e - 1", "true"),
        ], zones)
    func days(example: (expression: String, expected: String), zone: String) throws {
        let text = try Self.world(zone).text(example.expression, at: "/data")
        #expect(text == example.expected, "\(zone)")
    }

    @Test("what passed between two times is what really passed", arguments: zones)
    func times(zone: String) throws {
        let world = try Self.world(zone)
        // Oslo's clock shows 02:30 twice in this night.
        let (start, end) = ("'2026-10-25T02:50:00+02:00'", "'2026-10-25T02:10:00+01:00'")
        #expect(
            try world.text("round((date-time(\(end)) - date-time(\(start))) * 1440)") == "20")
        #expect(try world.text("date-time(\(end)) > date-time(\(start))") == "true")
        #expect(try world.text("\(end) > \(start)") == "true")
    }

    @Test("each day of two years is one more than the day before", arguments: zones)
    func everyDay(zone: String) throws {
        let world = try Self.world(zone)
        let zone = world.surroundings.zone
        let first = try #require(CivilDate("2025-06-01")).daysSinceEpoch
        for day in first..<(first + 730) {
            let date = try #require(CivilDate(daysSinceEpoch: day))
            let moment = try #require(Moment(date.description, in: zone))
            #expect(zone.wholeDays(of: moment) == Double(day))
            #expect(zone.moment(days: zone.days(of: moment)) == moment)
            let next = try #require(CivilDate(daysSinceEpoch: day + 1))
            let other = try #require(Moment(next.description, in: zone))
            #expect(zone.days(from: moment, to: other) == 1)
        }
    }
}
