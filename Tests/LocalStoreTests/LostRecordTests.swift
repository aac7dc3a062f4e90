import Coding
import Inspections
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

extension Device {
    /// What is kept of records that the restored server no longer has and has not taken: record, field
    /// and value.
    func keptValues() throws -> [String] {
        let rows = try store.sql(
            """
            SELECT record_id, name, value FROM __sync_lost_field WHERE refusal IS NOT ''
            ORDER BY record_id, name
            """, write: false
        ).rows
        return rows.map { $0.map(\.plain).joined(separator: " ") }
    }

    /// Somebody's inspection, with its form, that a backup of the server does not hold yet.
    /// - Returns: the backup.
    func pullTheirs(from server: StoryServer) throws -> StoryServer.Contents {
        let backup = server.contents
        server.edit(
            "theirs",
            [
                "@form": .string(TestForm.id), "@formVersion": .string("1"),
                "pressure": .integer(160),
            ])
        try sync(server)
        return backup
    }
}

@Suite("T86 a record that only devices have any more, after a restore of the server")
struct LostRecordTests {
    private let device: Device
    private let server = StoryServer()
    private static let day: Int64 = 86_400_000

    init() throws { device = try Device() }

    private func pullTheirs() throws -> StoryServer.Contents {
        try device.pullTheirs(from: server)
    }

    private var kept: Int { get throws { try device.store.status().keptFromBefore } }

    @Test("T86 it is kept apart: in no list, view or digest, not in the queue, and told by status")
    func keptApart() throws {
        let backup = try pullTheirs()
        #expect(try device.number("SELECT count(*) FROM \(TestForm.id)") == 1)
        #expect(try device.store.status().keptFromBefore == 0)
        server.restore(backup)
        let report = try device.pullAll(from: server)
        #expect(report.removed == 1 && report.sitesDiffering == [])
        #expect(try device.store.inspections() == [])
        #expect(try device.number("SELECT count(*) FROM \(TestForm.id)") == 0)
        #expect(
            try device.keptValues() == [
                "theirs @form \(TestForm.id)", "theirs @formVersion 1", "theirs pressure 160",
            ])
        let row = try device.store.sql(
            "SELECT record_id, table_name, version, server_epoch FROM __sync_lost", write: false)
        #expect(row.rows == [[.text("theirs"), .text("inspection"), .integer(1), .integer(2)]])
        try device.store.note(CycleNote(digest: .equal))
        let status = try device.store.status()
        #expect(status.keptFromBefore == 1 && status.state == "synced")
        #expect(!status.nothingUnsynced, "with the device the last copy would be lost")
        for _ in 1...2 { try device.sync(server) }
        #expect(server.records["theirs"] == nil)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 no statement of a person changes what is kept")
    func notWritable() throws {
        let backup = try pullTheirs()
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(throws: StoreError.self) {
            try device.store.sql("DELETE FROM __sync_lost", write: true)
        }
        #expect(try kept == 1)
        try device.finish()
    }

    @Test(
        "T86 shown by the server again it is whole, and nothing is kept beside it",
        arguments: [false, true])
    func shownAgain(afterAnotherRestore: Bool) throws {
        let backup = try pullTheirs()
        server.restore(backup)
        try device.pullAll(from: server)
        if afterAnotherRestore {
            server.restore(server.contents)
            try device.pullAll(from: server)
            #expect(try kept == 1)
        }
        // Whoever made it offers it again, and has gone on.
        server.edit(
            "theirs",
            [
                "@form": .string(TestForm.id), "@formVersion": .string("1"),
                "pressure": .integer(160), "doors": .integer(2),
            ])
        try device.pullAll(from: server, limit: 1)
        #expect(try device.value("doors", of: "theirs") == .integer(2))
        #expect(try kept == 0)
        #expect(try device.keptValues() == [])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 a record that was handed in long ago and that nothing offers again is kept as well")
    func ownRecord() throws {
        let backup = server.contents
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(7))], on: id)
        try device.sync(server)
        try device.store.upkeep()
        device.clock.advance(milliseconds: 31 * Self.day)
        server.pass(milliseconds: 31 * Self.day)
        try device.sync(server)
        try device.store.upkeep()
        #expect(try device.number("SELECT count(*) FROM __sync_outbox") == 0)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try device.keptValues().contains("\(id) doors 7"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 one with work on it stays where it is, and is kept when that work is given up")
    func underWork() throws {
        let backup = try pullTheirs()
        try device.store.set([("pressure", .integer(99))], on: "theirs")
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try kept == 1, "its copy goes to the server, and the work after it")
        #expect(try device.store.inspections().map(\.id) == ["theirs"])
        let row = try #require(try device.store.outbox().first)
        try device.store.fail(row.mutationId, error: "refused")
        try device.store.discard(row.mutationId)
        #expect(try device.store.inspections() == [])
        #expect(try device.keptValues().contains("theirs pressure 160"))
        #expect(try device.store.history(of: "theirs").map(\.value) == [.integer(99)])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 where its maker never comes again, this device's copy brings it back, as theirs")
    func broughtBack() throws {
        let backup = try pullTheirs()
        server.edit(
            "part", ["pressure": .integer(5)], by: "node-c", table: RecordTable.repetition,
            parent: "theirs")
        try device.sync(server)
        let before = server.records
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try kept == 2)
        try device.offerCopies(to: server)
        #expect(try kept == 0)
        for (id, record) in before {
            let stored = try #require(server.records[id])
            #expect(stored.fields.mapValues(\.value) == record.fields.mapValues(\.value))
            #expect(stored.fields.mapValues(\.stamp) == record.fields.mapValues(\.stamp))
        }
        try device.pullAll(from: server)
        #expect(try device.value("pressure", of: "theirs") == .integer(160))
        try device.store.note(CycleNote(digest: .equal))
        #expect(try device.store.status().nothingUnsynced)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 an older value that a restored server shows does not take the place of a newer one")
    func olderShown() throws {
        server.edit("theirs", ["pressure": .integer(150), "doors": .integer(1)])
        let backup = server.contents
        server.edit("theirs", ["pressure": .integer(160)], by: "node-c")
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try device.keptValues() == ["theirs pressure 160"])
        #expect(try device.value("pressure", of: "theirs") == .integer(150), "as the server says")
        try device.offerCopies(to: server)
        #expect(server.records["theirs"]?.fields["pressure"]?.value == .integer(160))
        #expect(server.records["theirs"]?.fields["pressure"]?.stamp.node == "node-c")
        try device.pullAll(from: server)
        #expect(try device.value("pressure", of: "theirs") == .integer(160))
        #expect(try kept == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 one's own older value is not offered over a colleague's newer one, which goes as a copy"
    )
    func supersededByColleague() throws {
        server.edit("theirs", ["pressure": .integer(150)])
        try device.sync(server)
        let backup = server.contents
        try device.store.set([("pressure", .integer(155))], on: "theirs")
        try device.sync(server)
        server.edit("theirs", ["pressure": .integer(160)], by: "node-c")
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try device.store.outbox() == [])
        try device.offerCopies(to: server)
        #expect(server.records["theirs"]?.fields["pressure"]?.value == .integer(160))
        #expect(server.records["theirs"]?.fields["pressure"]?.stamp.node == "node-c")
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 of what two restores took from one question the newest is kept")
    func twoRestores() throws {
        server.edit("theirs", ["pressure": .integer(150)])
        let backup = server.contents
        for value: Int64 in [160, 170] {
            while server.contents.clock.counter < value { _ = server.contents.clock.tick() }
            server.edit("theirs", ["pressure": .integer(value)], by: "node-c")
            try device.pullAll(from: server)
            server.restore(backup)
            try device.pullAll(from: server)
            #expect(try device.keptValues() == ["theirs pressure \(value)"])
        }
        try device.offerCopies(to: server)
        #expect(server.records["theirs"]?.fields["pressure"]?.value == .integer(170))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 a value cleared since the backup is cleared again")
    func cleared() throws {
        server.edit("theirs", ["pressure": .integer(150)])
        let backup = server.contents
        server.edit("theirs", ["pressure": .null], by: "node-c")
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        try device.offerCopies(to: server)
        #expect(server.records["theirs"]?.fields["pressure"]?.value == .null)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 a value below an edit that waits is offered after it, and replaces nothing")
    func belowAnEdit() throws {
        server.edit("theirs", ["pressure": .integer(150)])
        let backup = server.contents
        server.edit("theirs", ["pressure": .integer(160)], by: "node-c")
        try device.sync(server)
        try device.store.set([("pressure", .integer(170))], on: "theirs")
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try device.keptValues() == ["theirs pressure 160"])
        try device.sync(server)
        try device.offerCopies(to: server)
        #expect(server.records["theirs"]?.fields["pressure"]?.value == .integer(170))
        try device.pullAll(from: server)
        #expect(try device.keptValues() == [])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 a question that was typed into and cleared before it was sent is no lost value")
    func neverSigned() throws {
        server.edit("theirs", ["pressure": .integer(150)])
        let backup = server.contents
        try device.sync(server)
        try device.store.set([("doors", .integer(1))], on: "theirs")
        try device.store.set([("doors", .null)], on: "theirs")
        server.restore(backup)
        server.edit("theirs", ["doors": .integer(5)], by: "node-c")
        for _ in 1...2 { try device.sync(server) }
        #expect(try kept == 0)
        #expect(try device.store.copiesToOffer() == nil)
        #expect(try device.value("doors", of: "theirs") == .integer(5))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what is out of scope, deleted or pruned goes as always, and no copy of it stays")
    func otherReasons() throws {
        let backup = try pullTheirs()
        server.edit("deleted", ["pressure": .integer(1)])
        try device.sync(server)
        server.delete("deleted")
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try device.keptValues().allSatisfy { $0.hasPrefix("theirs ") })
        #expect(try kept == 1)
        server.edit("pruned", ["pressure": .integer(1)])
        try device.sync(server)
        server.delete("pruned")
        server.prune()
        try device.pullAll(from: server)
        #expect(try device.value("pressure", of: "pruned") == .null)
        #expect(try kept == 1)
        try device.offerCopies(to: server)
        #expect(try kept == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("one out of scope under work goes with that work, also after a restore")
    func outOfScope() throws {
        let backup = try pullTheirs()
        try device.store.set([("pressure", .integer(99))], on: "theirs")
        var page = try device.nextPage(from: server)
        page.removed = ["theirs"]
        try device.store.apply(page: page)
        server.restore(backup)
        try device.pullAll(from: server)
        let row = try #require(try device.store.outbox().first)
        try device.store.fail(row.mutationId, error: "refused")
        try device.store.discard(row.mutationId)
        #expect(try device.store.inspections() == [])
        #expect(try kept == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("M07 it goes after a year of the server's clock, whatever the device's says")
    func purged() throws {
        let backup = try pullTheirs()
        server.restore(backup)
        try device.pullAll(from: server)
        try device.store.upkeep()
        for (days, expected) in [(364, 1), (1, 0)] {
            device.clock.advance(milliseconds: 4000 * Self.day)
            server.pass(milliseconds: Int64(days) * Self.day)
            try device.sync(server)
            try device.store.upkeep()
            #expect(try kept == expected)
        }
        #expect(try device.keptValues() == [])
        try device.finish()
    }
}
