import Coding
import Forms
import Inspections
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

/// Earlier visits to the same equipment, in an order that asks no clock.
struct VisitTests {
    private let device: Device
    private let server = StoryServer()
    private static let asset: RecordID = "asset-1"

    init() throws {
        device = try Device()
        server.edit("site", ["@title": .string("Pier 4")], table: RecordTable.site)
        for asset in ["asset-1", "asset-2"] {
            server.edit(
                RecordID(asset), ["@tag": .string("EQ-77")], table: RecordTable.asset,
                parent: "site")
        }
        try device.sync(server)
    }

    private func begin(_ asset: RecordID? = VisitTests.asset) throws -> RecordID {
        try device.store.createInspection(form: TestForm.id, version: "1", asset: asset)
    }

    private func visited(
        _ pressure: Double, _ asset: RecordID? = VisitTests.asset
    ) throws -> RecordID {
        let id = try begin(asset)
        try answer(pressure, id)
        try device.store.complete(id)
        return id
    }

    private func answer(_ pressure: Double, _ id: RecordID) throws {
        try device.store.change(
            id, by: [.answer(AnswerKey("pressure"), .double(pressure))])
    }

    private func previous(_ id: RecordID) throws -> String? {
        try device.store.previousVisit(of: id)?.inspection
    }

    /// What one that is begun now would see.
    private func history() throws -> [String] {
        try device.store.visits(before: begin(), limit: 9).map(\.inspection)
    }

    @Test("F58 the second visit to the same asset, offline, shows the first one's value and day")
    func secondVisit() throws {
        let first = try visited(152)
        try device.sync(server)
        device.clock.advance(milliseconds: 30 * 86_400_000)
        let second = try begin()
        try answer(160.5, second)
        let visit = try #require(try device.store.previousVisit(of: second))
        #expect(visit.inspection == first.rawValue && visit.day == "2026-03-02")
        let key = AnswerKey("pressure")
        let found = try #require(
            try device.store.filling(of: second).previous(at: key, in: visit))
        #expect(found.value == .integer(152) && found.change == 8.5)
        #expect(found.words("152 psi") == "152 psi on 2026-03-02, +8.5")
        try device.finish()
    }

    @Test("visits keep their order whatever the clock of the device says", arguments: [-56, 80])
    func clocks(years: Int64) throws {
        let first = try visited(1)
        device.clock.advance(milliseconds: years * 365 * 86_400_000)
        let second = try visited(2)
        device.clock.advance(milliseconds: -years * 365 * 86_400_000)
        let third = try begin()
        #expect(try previous(third) == second.rawValue)
        #expect(try previous(second) == first.rawValue)
        #expect(try previous(first) == nil)
        #expect(try history() == [second.rawValue, first.rawValue])
        #expect(
            try device.store.visits(before: third, limit: 1).map(\.inspection) == [second.rawValue])
        try device.finish()
    }

    @Test(
        "an approval or a correction of an earlier visit makes it no later one",
        arguments: [false, true])
    func lateNews(corrects: Bool) throws {
        let first = try visited(1)
        let second = try visited(2)
        try device.sync(server)
        server.edit(first, ["@state": .string(corrects ? "returned" : "approved")])
        try device.sync(server)
        if corrects {
            // Its supervisor sent it back: what was found then is compared with what was before it.
            try device.store.change(
                first, by: [.answer(AnswerKey("notes"), .string("gauge read again"))])
            #expect(try previous(first) == nil)
            #expect(try history() == [second.rawValue], "it is no finished visit meanwhile")
            try device.store.complete(first)
        }
        let third = try begin()
        #expect(try previous(third) == second.rawValue)
        #expect(try history() == [second.rawValue, first.rawValue])
        try device.finish()
    }

    @Test("whoever begins after hearing of a visit comes after it, whoever made that")
    func fromOthers() throws {
        let mine = try visited(1)
        try device.sync(server)
        // Others are busy: the counter that they have reached is above this device's.
        for _ in 1...50 { _ = server.contents.clock.tick() }
        server.edit(
            "theirs",
            [
                "@form": .string(TestForm.id), "@formVersion": .string("1"),
                "@state": .string("complete"), "pressure": .double(7),
            ], parent: Self.asset)
        let begunBefore = try begin()
        try answer(2, begunBefore)
        try device.sync(server)
        let begunAfter = try begin()
        try answer(3, begunAfter)
        #expect(try previous(begunAfter) == "theirs")
        #expect(try previous(begunBefore) == mine.rawValue, "nobody here knew of the other")
        #expect(try device.store.previousVisit(of: begunAfter)?.day == "2026-03-02")
        try device.finish()
    }

    @Test("other equipment, other forms, open, deleted and unassigned inspections are no visits")
    func whatCounts() throws {
        var other = FormParts(id: "other", version: "1", title: "Other")
        other.sections = try TestForm.coldChain.sections
        try device.store.store(form: try FormDefinition(other))
        _ = try visited(1, "asset-2")
        _ = try visited(2, nil)
        let open = try begin()
        try answer(3, open)
        let otherForm = try device.store.createInspection(
            form: "other", version: "1", asset: Self.asset)
        try answer(4, otherForm)
        try device.store.complete(otherForm)
        let deleted = try visited(5)
        try device.sync(server)
        try device.store.delete(deleted)
        let now = try begin()
        #expect(try previous(now) == nil)
        #expect(try history().isEmpty)
        #expect(try previous(begin(nil)) == nil)
        #expect(throws: StoreError.unknownRecord("none")) {
            try device.store.previousVisit(of: "none")
        }
        try device.finish()
    }

    @Test("F58 M07 the last visit of an asset stays when older ones have left their answers")
    func retention() throws {
        let first = try visited(1)
        let second = try visited(2)
        let elsewhere = try visited(3, "asset-2")
        try device.sync(server)
        server.edit(
            "finding", ["@question": .string("pressure")], table: RecordTable.finding,
            parent: second)
        for days in [1, 366, 366] as [Int64] {
            device.clock.advance(milliseconds: days * 86_400_000)
            server.pass(milliseconds: days * 86_400_000)
            try device.sync(server)
            #expect(try device.store.upkeep())
        }
        #expect(try device.value("pressure", of: first) == .null)
        #expect(try device.value("pressure", of: elsewhere) == .integer(3))
        #expect(try device.value("@question", of: "finding") == .string("pressure"))
        try device.expectNothingPending(server)
        #expect(try history() == [second.rawValue])
        #expect(try previous(begin()) == second.rawValue)
        try device.finish()
    }

    @Test("visits are found by their asset, and read by the keys of their fields")
    func plan() throws {
        let plan = try device.store.reading.read { database in
            try database.query(
                "EXPLAIN QUERY PLAN " + Connection.visitsOfAsset,
                [.text("a"), .text("f"), .integer(1), .text("i"), .integer(1)]
            ) { try $0.text(3) }
        }
        #expect(plan.contains { $0.contains("record_by_parent") }, "\(plan)")
        let scans = plan.filter { $0.hasPrefix("SCAN") && !$0.contains("SUBQUERY") }
        #expect(scans.isEmpty, "\(plan)")
        try device.finish()
    }
}
