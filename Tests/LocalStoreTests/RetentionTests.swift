import Coding
import Inspections
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

/// What is old and settled goes; what waits, was typed or is in review stays whatever its age.
struct RetentionTests {
    private let device: Device
    private let server = StoryServer()
    private static let day: Int64 = 86_400_000

    init() throws { device = try Device() }

    /// A day at which upkeep runs, on both clocks.
    private func pass(days: Int64) throws {
        device.clock.advance(milliseconds: days * Self.day)
        server.pass(milliseconds: days * Self.day)
        try device.sync(server)
        #expect(try device.store.isUpkeepDue())
        #expect(try device.store.upkeep())
        #expect(try device.store.audit() == [])
    }

    private func count(_ table: String) throws -> Int64? {
        try device.number("SELECT count(*) FROM \(table)")
    }

    private func finished(
        _ state: String = "approved", notes: String = "old"
    ) throws -> RecordID {
        let id = try device.newInspection()
        try device.store.set([("notes", .string(notes)), ("pressure", .double(160.5))], on: id)
        try device.sync(server)
        server.edit(
            Self.finding(of: id), ["text": .string("leak")], table: "finding",
            parent: id)
        server.edit(id, ["@state": .string(state)])
        try device.sync(server)
        return id
    }

    @Test(
        "M07 an acknowledged mutation stays thirty days of the server's clock, counted from its answer"
    )
    func acknowledged() throws {
        _ = try device.acceptedInspectionOf(server)
        try pass(days: 1)
        try pass(days: 29)
        #expect(try count("__sync_outbox") == 1)
        try pass(days: 1)
        #expect(try count("__sync_outbox") == 0)
        #expect(try count("__sync_outbox_field") == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T58 a clock of the device that runs off makes nothing old", arguments: [-56, 80])
    func wrongClock(years: Int64) throws {
        _ = try device.acceptedInspectionOf(server)
        try pass(days: 1)
        device.clock.advance(milliseconds: years * 365 * Self.day)
        #expect(try device.store.isUpkeepDue())
        try device.sync(server)
        try device.store.upkeep()
        #expect(try count("__sync_outbox") == 1)
        try device.finish()
    }

    @Test("a row that is put back into the queue and settled again counts from then on")
    func settledAgain() throws {
        let id = try device.acceptedInspectionOf(server)
        try pass(days: 1)
        try device.mark(id, "PENDING")
        try pass(days: 29)
        #expect(try device.store.outbox() == [])
        try pass(days: 1)
        #expect(try count("__sync_outbox") == 1)
        try device.finish()
    }

    @Test("T71 an update after a purge is no conflict, in both directions")
    func updateAfterPurge() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        try pass(days: 1)
        try pass(days: 31)
        #expect(try count("__sync_outbox") == 0)
        server.edit(id, ["notes": .string("theirs")])
        try device.sync(server)
        #expect(try device.value("notes", of: id) == .string("theirs"))
        try device.store.set([("notes", .string("mine again"))], on: id)
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("mine again"))
        #expect(try device.store.conflicts().isEmpty)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a tombstone goes once the cursor has passed it; restored, the record comes back whole")
    func tombstone() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("kept"))], on: id)
        try device.sync(server)
        server.delete(id)
        try pass(days: 1)
        #expect(
            try count("record") == 1, "a restored server may have to hear of what was done to it")
        try pass(days: 30)
        #expect(try count("record") == 0)
        #expect(try count("field") == 0)
        server.edit(id, [Mutation.deletedField: .integer(0)])
        try device.sync(server)
        #expect(try device.value("notes", of: id) == .string("kept"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a tombstone on which work waits, or below which records live, stays")
    func tombstoneWithWork() throws {
        let worked = try device.acceptedInspectionOf(server)
        let parent = try device.acceptedInspectionOf(server)
        server.edit("finding", ["text": .string("leak")], table: "finding", parent: parent)
        server.delete(parent)
        try device.store.set([("notes", .string("mine"))], on: worked)
        server.delete(worked)
        try pass(days: 1)
        #expect(try device.store.conflicts(of: worked).count == 1)
        #expect(try count("record WHERE is_deleted = 1") == 2)
        #expect(try device.store.digests() != [:])
        try device.finish()
    }

    @Test("history and log go after a year, not those of a record on which work waits")
    func historyAndLog() throws {
        let ids = try (1...2).map { _ in try device.acceptedInspectionOf(server) }
        try device.store.settle { database in
            for id in ids {
                try database.execute(
                    """
                    INSERT INTO __sync_history (record_id, name, value, lamport, node, rule, at_utc)
                    VALUES (?, 'notes', 'lost', 1, 'node-b', 'lww', '1970-01-01T00:00:00.000Z')
                    """, [.text(id.rawValue)])
            }
        }
        try device.store.log("cycle", "synced")
        try pass(days: 1)
        #expect(try (count("__sync_history"), count("__sync_log")) == (2, 1))
        try device.store.set([("notes", .string("waits"))], on: ids[0])
        try device.mark(ids[0], "FAILED")
        try pass(days: 366)
        #expect(try (count("__sync_history"), count("__sync_log")) == (1, 0))
        #expect(try device.store.history(of: ids[0]).count == 1)
        try device.finish()
    }

    @Test(
        "an inspection finished for a year leaves its answers to the server; the digests stay equal",
        arguments: ["complete", "approved"])
    func archive(state: String) throws {
        let id = try finished(state)
        try pass(days: 1)
        try pass(days: 364)
        #expect(try device.value("notes", of: id) == .string("old"))
        try pass(days: 1)
        #expect(try device.value("notes", of: id) == .null)
        #expect(try count("field WHERE name IN ('notes', 'pressure', 'text')") == 0)
        #expect(try device.store.inspections().isEmpty)
        #expect(try count(TestForm.id) == 0, "nor in the view of its form")
        try device.expectNothingPending(server)

        server.edit(id, ["@state": .string("returned"), "doors": .integer(4)])
        try device.sync(server)
        #expect(try device.store.inspections().isEmpty, "not before all that belongs to it is here")
        try device.sync(server)
        #expect(try device.value("notes", of: id) == .string("old"))
        #expect(try device.value("text", of: Self.finding(of: id)) == .string("leak"))
        #expect(try device.store.inspections().map(\.id) == [id])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "a finding that changes brings back the inspection that it belongs to, and the rest of it")
    func archiveOfFinding() throws {
        let id = try finished()
        let other = try finished()
        try pass(days: 1)
        try pass(days: 366)
        #expect(try count("__sync_archived") == 4)
        server.edit(Self.finding(of: id), ["text": .string("leaks again")], table: "finding")
        for _ in 1...2 { try device.sync(server) }
        #expect(try device.value("notes", of: id) == .string("old"))
        #expect(try device.value("text", of: Self.finding(of: id)) == .string("leaks again"))
        #expect(try device.store.inspections().map(\.id) == [id])
        #expect(try count("__sync_archived") == 2, "nobody asked for the other")
        #expect(try device.value("notes", of: other) == .null)
        // Nor does a pull from the beginning for another reason.
        try device.store.restartPull()
        try device.pullAll(from: server)
        #expect(try count("__sync_archived") == 2)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "an archived inspection that changes while all is pulled anew comes back with its findings")
    func archiveInFullPull() throws {
        let id = try finished()
        try pass(days: 1)
        try pass(days: 366)
        server.edit(id, ["@state": .string("returned")])
        try device.store.restartPull()
        for _ in 1...2 { try device.sync(server) }
        #expect(try device.value("notes", of: id) == .string("old"))
        #expect(try device.value("text", of: Self.finding(of: id)) == .string("leak"))
        #expect(try device.store.inspections().map(\.id) == [id])
        #expect(try count("__sync_archived") == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    private static func finding(of id: RecordID) -> RecordID {
        RecordID("finding-\(id.rawValue)")
    }

    @Test(
        "old as it is, an inspection stays whole while something of it waits or was typed",
        arguments: ["row", "draft", "below", "screen"])
    func archiveWithWork(kind: String) throws {
        let id = try finished("complete")
        try pass(days: 1)
        switch kind {
        case "row":
            try device.store.reopen(id)
            try device.mark(id, "FAILED")
        case "draft": try device.store.saveDraft("half", of: "notes", in: id)
        case "screen": try device.store.hold(["notes"], of: id)
        default:
            try device.store.saveDraft("half", of: "text", in: RecordID("finding-\(id.rawValue)"))
        }
        try pass(days: 366)
        #expect(try device.value("notes", of: id) == .string("old"))
        #expect(try count("__sync_archived") == 0)
        try device.finish()
    }

    @Test(
        "however old, an inspection stays whole and named while something found in it is to be mended",
        arguments: ["pending", "corrected", "closed"])
    func archiveWithFinding(status: String) throws {
        let id = try finished()
        server.edit(
            "open",
            [
                "@question": "doors", "@severity": "major", "@status": .string(status),
                "@note": "hinge torn",
            ], table: "finding", parent: id)
        try device.sync(server)
        try pass(days: 1)
        for _ in 1...2 { try pass(days: 366) }
        guard status == "pending" else {
            #expect(try device.store.openFindings().isEmpty)
            #expect(try count("__sync_archived") == 3)
            return try device.finish()
        }
        let listed = try device.store.openFindings()
        #expect(listed.map(\.view.finding.note) == ["hinge torn"])
        #expect(listed.map(\.inspection.id) == [id])
        #expect(listed.allSatisfy { $0.inspection.name.hasPrefix("Cold chain ") })
        #expect(try device.value("notes", of: id) == .string("old"))
        // Mended, it has its year, and goes.
        server.edit("open", ["@status": "closed"], table: "finding", parent: id)
        try device.sync(server)
        for _ in 1...2 { try pass(days: 366) }
        #expect(try count("__sync_archived") == 3)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what was found in a row that is deleted since keeps no inspection")
    func archiveWithBuriedFinding() throws {
        let id = try finished()
        let repetition: [FieldName: FieldValue] = [
            "@repeat": "door", "@form": .string(TestForm.id), "@formVersion": "1",
        ]
        server.edit("row", repetition, table: "repeat", parent: id)
        server.edit(
            "open",
            [
                "@question": "door/seal", "@row": "row", "@severity": "major",
                "@status": "pending",
            ], table: "finding", parent: id)
        try device.sync(server)
        server.edit("row", ["@deleted": .integer(1)], table: "repeat", parent: id)
        try device.sync(server)
        try pass(days: 1)
        for _ in 1...2 { try pass(days: 366) }
        #expect(try device.store.openFindings().isEmpty)
        #expect(try count("__sync_archived WHERE record_id = '\(id)'") == 1)
        try device.finish()
    }

    @Test("upkeep stops between slices when it is asked to, and comes back")
    func interrupted() throws {
        for _ in 1...300 { _ = try device.newInspection() }
        try device.sync(server)
        try pass(days: 1)
        device.clock.advance(milliseconds: 31 * Self.day)
        server.pass(milliseconds: 31 * Self.day)
        try device.sync(server)
        var asked = 0
        let isDone = try device.store.upkeep {
            asked += 1; return asked < 6
        }
        #expect(!isDone)
        #expect(try device.store.isUpkeepDue())
        #expect(try device.store.upkeep())
        #expect(try count("__sync_outbox") == 0)
        #expect(try !device.store.isUpkeepDue())
        try device.finish()
    }

    @Test(
        "cut off after any slice, a store is whole, and the next upkeep does the rest",
        arguments: 0..<10)
    func cutOff(slices: Int) throws {
        for _ in 1...70 { _ = try device.newInspection() }
        _ = try finished(notes: String(repeating: "long ", count: 4000))
        try pass(days: 1)
        device.clock.advance(milliseconds: 366 * Self.day)
        server.pass(milliseconds: 366 * Self.day)
        try device.sync(server)
        var asked = 0
        _ = try device.store.upkeep {
            asked += 1
            return asked <= slices
        }
        #expect(try device.store.audit() == [])
        try device.reopen()
        #expect(try device.store.upkeep())
        #expect(try count("__sync_outbox") == 0)
        #expect(try count("__sync_archived") == 2)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("M07 a year of work does not make the file grow without end")
    func year() throws {
        var pages: [Int64] = []
        for month in 1...24 {
            for _ in 1...10 { _ = try finished(notes: String(repeating: "long ", count: 400)) }
            try pass(days: 15)
            try pass(days: 15)
            _ = try device.store.writer.perform { try $0.checkpoint(.truncate) }
            if month % 6 == 0 { pages.append(try device.number("PRAGMA page_count") ?? 0) }
            #expect(try device.number("PRAGMA freelist_count") == 0)
        }
        // Half a year more of the same adds what stays of a finished inspection, not its answers.
        #expect(pages[3] - pages[2] < (pages[1] - pages[0]) / 2, "\(pages)")
        try device.expectNothingPending(server)
        try device.finish()
    }
}
