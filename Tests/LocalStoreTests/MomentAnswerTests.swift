import Coding
import Forms
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("Answers that stay what they are while clock and zone change")
struct MomentAnswerTests {
    /// Oslo in 2026: summer time from 29 March, 01:00 UTC.
    private static let oslo = ExpressionZone { seconds in
        seconds >= 1_774_746_000 ? 7_200 : 3_600
    }

    @Test("F30 the name of an instance stays the same over five savings")
    func instanceID() throws {
        let (device, id) = try Device.withRound()
        for number in 1...5 {
            try device.reopen()
            try device.answer(id, ("site", .string("Pier \(number)")))
            #expect(
                try device.value("meta/instanceID", of: id) == .string("uuid:" + id.rawValue))
        }
        #expect(try device.queue(id).count == 1)
        try device.finish()
    }

    @Test("F43 a time of day stays where it was set, over summer time and three savings")
    func timeOfDay() throws {
        let device = try Device(zone: Self.oslo)
        try device.store.store(form: try RoundForm.form)
        let id = try device.newRound()
        device.clock.set(to: 1_774_700_000_000)
        try device.answer(id, ("at", "14:00:00"))
        device.clock.set(to: 1_774_800_000_000)
        for number in 1...3 {
            try device.reopen()
            try device.answer(id, ("site", .string("Pier \(number)")))
            #expect(try device.value("at", of: id) == "14:00:00")
            #expect(try device.store.filling(of: id).value(of: AnswerKey("at")) == "14:00:00")
        }
        try device.finish()
    }

    @Test("F45 an instant stays the same when the zone changes while the form is filled in")
    func instant() throws {
        let device = try Device(zone: Self.oslo)
        try device.store.store(form: try RoundForm.form)
        let id = try device.newRound()
        let question = try #require(try RoundForm.form.question(named: "when"))
        let value = try question.parse(
            "2026-03-14 09:30", rules: .command, today: nil, zone: Self.oslo)
        try device.answer(id, ("when", value))
        try device.reopen(zone: ExpressionZone(fixedOffset: -25_200))
        try device.answer(id, ("site", "Pier 4"))
        #expect(
            try device.value("when", of: id) == "2026-03-14T09:30:00.000+01:00")
        try device.finish()
    }
}
