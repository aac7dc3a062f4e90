import Coding
import Replication
import SQLite
import Testing

@testable import LocalStore

/// Rows and findings that somebody worked on here, while their inspection was deleted elsewhere.
@Suite("Work below what was deleted elsewhere")
struct DeletedAboveTests {
    private let device: Device
    private let server = StoryServer()
    private let id: RecordID

    init() throws {
        device = try Device()
        id = try device.acceptedInspectionOf(server)
        try child("row", RecordTable.repetition, of: id)
        try child("inner", RecordTable.repetition, of: "row")
        try device.sync(server)
        try device.expectNothingPending(server)
    }

    private func child(_ id: RecordID, _ table: String, of parent: RecordID) throws {
        try device.store.edit { database in
            try database.insertRecord(id, table: table, parent: parent)
            try database.write(.string("as made"), to: "note", of: id)
        }
    }

    /// An edit of an inner row and a new finding; nothing of the inspection itself.
    private func work() throws {
        try device.store.set([("note", .string("frost"))], on: "inner")
        try child("finding", RecordTable.finding, of: id)
    }

    private var statuses: [String] {
        get throws { try device.store.outbox().map { "\($0.recordId) \($0.status)" } }
    }

    private func expectQuestion() throws {
        #expect(try statuses == ["inner PENDING", "finding PENDING", "\(id) CONFLICT"])
        let conflict = try #require(try device.store.conflicts(of: id).first)
        #expect(conflict.column == Mutation.deletedField && conflict.rule == "tombstone")
        let listed = try #require(try device.store.inspections().first { $0.id == id })
        #expect(listed.sync == .conflict)
        #expect(try device.value("note", of: "inner") == .string("frost"))
    }

    @Test("F27 the inspection is in conflict: restored, what waits below it is sent")
    func restored() throws {
        try work()
        server.delete(id)
        try device.sync(server)
        try expectQuestion()
        // Nothing changes until somebody decides, whatever is synchronised.
        try device.sync(server)
        try expectQuestion()
        try device.store.resolve(id, [Mutation.deletedField: .mine])
        #expect(try !statuses.contains { $0.hasSuffix("FAILED") })
        try device.sync(server)
        #expect(server.records[id]?.isDeleted == false)
        #expect(server.records["inner"]?.fields["note"]?.value == .string("frost"))
        #expect(server.records["finding"]?.fields["note"]?.value == .string("as made"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "F27 let go, what waits below it goes with it, into the history", arguments: [true, false])
    func letGo(byDiscard: Bool) throws {
        try work()
        server.delete(id)
        try device.sync(server)
        if byDiscard {
            let asked = try #require(try device.store.outbox().last)
            #expect(try device.store.recordsRemoved(byDiscarding: asked.mutationId) == ["finding"])
            try device.store.discard(asked.mutationId)
        } else {
            try device.store.resolve(id, [Mutation.deletedField: .theirs])
        }
        #expect(try device.store.outbox() == [])
        #expect(try device.store.inspections() == [])
        #expect(try device.number("SELECT count(*) FROM record WHERE id = 'finding'") == 0)
        #expect(try device.store.history(of: "inner").map(\.value) == [.string("frost")])
        #expect(try device.store.history(of: "finding").map(\.value) == [.string("as made")])
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("where the tombstone came first, the same is asked")
    func pulledFirst() throws {
        try work()
        server.delete(id)
        try device.pullAll(from: server)
        #expect(try statuses == ["inner PENDING", "finding PENDING"], "a pull makes no row (M11)")
        try device.sync(server)
        try expectQuestion()
        try device.store.resolve(id, [Mutation.deletedField: .mine])
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a row that was deleted elsewhere is asked about as an inspection is")
    func deletedRow() throws {
        try device.store.set([("note", .string("frost"))], on: "inner")
        server.delete("row")
        try device.sync(server)
        #expect(try statuses == ["inner PENDING", "row CONFLICT"])
        try device.store.resolve("row", [Mutation.deletedField: .mine])
        try device.sync(server)
        #expect(server.records["inner"]?.fields["note"]?.value == .string("frost"))
        #expect(server.records["row"]?.isDeleted == false)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("with the row and the inspection deleted both are asked about, and both are needed")
    func bothDeleted() throws {
        try device.store.set([("note", .string("frost"))], on: "inner")
        server.delete("row")
        server.delete(id)
        try device.sync(server)
        #expect(try statuses == ["inner PENDING", "row CONFLICT", "\(id) CONFLICT"])
        try device.store.resolve(id, [Mutation.deletedField: .mine])
        try device.sync(server)
        #expect(try statuses == ["inner PENDING", "row CONFLICT"])
        try device.store.resolve("row", [Mutation.deletedField: .mine])
        try device.sync(server)
        #expect(server.records["inner"]?.fields["note"]?.value == .string("frost"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what somebody else has restored meanwhile is not asked about any more")
    func restoredElsewhere() throws {
        try work()
        server.delete(id)
        try device.sync(server)
        try expectQuestion()
        server.restore(id)
        try device.sync(server)
        try device.sync(server)
        #expect(server.records["inner"]?.fields["note"]?.value == .string("frost"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("an edit of the inspection itself asks once, and takes along what waits below")
    func editedToo() throws {
        for restores in [true, false] {
            let id = try device.acceptedInspectionOf(server)
            let row = RecordID("row-\(restores)")
            try child(row, RecordTable.repetition, of: id)
            try device.sync(server)
            try device.store.set([("notes", .string("mine"))], on: id)
            try device.store.set([("note", .string("frost"))], on: row)
            server.delete(id)
            try device.sync(server)
            #expect(try statuses == ["\(id) CONFLICT", "\(row) PENDING"])
            try device.store.resolve(id, ["notes": restores ? .mine : .theirs])
            try device.sync(server)
            let kept = server.records[row]?.fields["note"]?.value
            #expect(kept == .string(restores ? "frost" : "as made"))
            try device.expectNothingPending(server)
        }
        try device.finish()
    }

    @Test("deleted once more while the restoration was under way, it is asked about once more")
    func deletedAgain() throws {
        try work()
        server.delete(id)
        try device.sync(server)
        try device.store.resolve(id, [Mutation.deletedField: .mine])
        server.restore(id)
        server.delete(id)
        try device.sync(server)
        try expectQuestion()
        try device.store.resolve(id, [Mutation.deletedField: .mine])
        try device.sync(server)
        #expect(server.records["inner"]?.fields["note"]?.value == .string("frost"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "restored and deleted once more, and that pulled before it is decided, it is asked about once"
    )
    func newerDeletion() throws {
        for isEdited in [false, true] {
            let id = try device.acceptedInspectionOf(server)
            let row = RecordID("row-\(isEdited)")
            try child(row, RecordTable.repetition, of: id)
            try device.sync(server)
            try device.store.set([("note", .string("frost"))], on: row)
            if isEdited { try device.store.set([("notes", .string("mine"))], on: id) }
            server.delete(id)
            try device.sync(server)
            server.restore(id)
            server.delete(id)
            try device.pullAll(from: server)
            let column = try #require(try device.store.conflicts(of: id).first).column
            #expect(column == (isEdited ? "notes" : Mutation.deletedField))
            try device.store.resolve(id, [column: .mine])
            try device.sync(server)
            #expect(server.records[id]?.isDeleted == false)
            #expect(server.records[row]?.fields["note"]?.value == .string("frost"))
            try device.expectNothingPending(server)
        }
        try device.finish()
    }

    @Test("what an older program left as FAILED is asked about, and an edit of it loses nothing")
    func failedBefore() throws {
        try work()
        server.delete(id)
        try device.pushAll(to: server)
        try device.pullAll(from: server)
        #expect(try statuses == ["inner FAILED", "finding FAILED"])
        try device.reopen()
        try device.store.askAboutDeleted()
        try expectQuestion()
        try device.store.resolve(id, [Mutation.deletedField: .mine])
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "what is refused for a reason of its own is in nobody's way and is not sent by a decision")
    func otherRefusals() throws {
        try device.store.set([("note", .string("frost"))], on: "inner")
        server.refused[RecordTable.repetition] = WireError(code: "invalid_value", message: "No.")
        server.delete(id)
        try device.sync(server)
        #expect(try statuses == ["inner FAILED"])
        try device.store.discard(try #require(try device.store.outbox().first).mutationId)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "an inspection of which the server refused something is not completed before that is settled"
    )
    func completing() throws {
        let (device, id) = try Device.withRound()
        let row = try device.addRow(to: id, ("door/tag", "D-1"), ("door/seal", "good"))
        try device.store.settle { database in
            try database.execute(
                "UPDATE __sync_outbox SET status = 'FAILED', sealed = 1 WHERE record_id = ?",
                [.text(row)])
        }
        let refused = try device.store.changesRefused(of: id)
        #expect(refused.map(\.recordId.rawValue) == [row])
        let names = refused.map(\.mutationId.rawValue)
        #expect(throws: StoreError.changesRefused(names)) {
            try device.requireCompletable(id)
        }
        try device.store.retry(try #require(refused.first).mutationId)
        try device.requireCompletable(id)
        try device.finish()
    }
}
