import Coding
import Glibc
import Replication
import SQLite
import TestSupport
import Testing
import Vault

@testable import LocalStore

@Suite("Each change of the queue stands in the journal before it is committed")
struct JournalWritingTests {
    private let folder = ScriptedFolder()
    private let device: Device

    init() throws {
        device = try Device(journalIn: folder)
        _ = folder.takeCalls()
    }

    @Test("one edit is one entry, synchronised once, into a segment that is there already")
    func oneEntry() throws {
        let id = try device.newInspection()
        #expect(folder.takeCalls() == [.write, .synchronize])
        try device.store.set([("doors", .integer(1)), ("notes", .string("x"))], on: id)
        #expect(folder.takeCalls() == [.write, .synchronize])
        let copy = try device.secondCopy()
        #expect(copy.count == 1)
        #expect(copy[0].fields["doors"]?.value == .integer(1))
        try device.finish()
    }

    @Test("the entry is on the disk before the transaction is committed")
    func order() throws {
        let id = try device.newInspection()
        let path = device.home.database + "-wal"
        let sizes = Noted<Int64>()
        folder.before { call in
            guard call == .synchronize else { return }
            var status = stat()
            _ = stat(path, &status)
            sizes.note(Int64(status.st_size))
        }
        var before = stat()
        #expect(stat(path, &before) == 0)
        try device.store.set([("doors", .integer(1))], on: id)
        folder.work()
        #expect(sizes.all == [Int64(before.st_size)])
        var after = stat()
        #expect(stat(path, &after) == 0)
        #expect(after.st_size > before.st_size)
        try device.finish()
    }

    @Test("what does not change the queue is not written: drafts, the log, forms, holds, a page")
    func nothing() throws {
        let server = StoryServer()
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs")])
        _ = folder.takeCalls()
        try device.store.saveDraft("half", of: "notes", in: id)
        try device.store.log("event", "detail")
        try device.store.store(form: TestForm.coldChain)
        try device.store.hold(["doors"], of: id)
        #expect(folder.takeCalls() == [])
        try device.store.set([("notes", .string("theirs"))], on: id)
        _ = folder.takeCalls()
        try device.pullAll(from: server)
        #expect(folder.takeCalls() == [])
        try device.store.set([], on: id)
        #expect(folder.takeCalls() == [])
        try device.finish()
    }

    @Test("what an answer settles leaves the journal, without waiting for the disk")
    func verdict() throws {
        let server = StoryServer()
        let id = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        let response = try server.push(batch)
        _ = folder.takeCalls()
        try device.store.apply(response, to: batch)
        #expect(folder.takeCalls().filter { $0 != .write } == [])
        #expect(try device.secondCopy() == [])
        _ = folder.takeCalls()
        // The next edit takes it along.
        try device.store.set([("doors", .integer(1))], on: id)
        #expect(folder.takeCalls() == [.write, .synchronize])
        try device.finish()
    }

    @Test("a change of many kinds of transaction is in the journal as it is in the queue")
    func kinds() throws {
        let server = StoryServer()
        let id = try device.acceptedInspectionOf(server)
        let other = try device.newInspection()
        try device.expectSecondCopy()
        try device.store.set([("notes", .string("mine")), ("pressure", .integer(160))], on: id)
        server.edit(id, ["notes": .string("theirs"), "pressure": .integer(150)])
        try device.pushAll(to: server)
        try device.expectSecondCopy()
        try device.store.resolve(id, ["notes": .mine])
        try device.expectSecondCopy()
        try device.store.set([("doors", .integer(3))], on: other)
        let row = try #require(try device.store.outbox().last)
        try device.store.fail(row.mutationId, error: "no")
        try device.expectSecondCopy()
        try device.store.retry(row.mutationId)
        try device.expectSecondCopy()
        try device.store.delete(id)
        try device.expectSecondCopy()
        try device.store.delete(other)
        try device.expectSecondCopy()
        _ = try device.store.sealBatch()
        try device.expectSecondCopy()
        try device.store.recoverInFlight()
        try device.finish()
    }

    @Test("a statement of a person is in it like a key press")
    func statement() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        _ = try device.store.sql(
            "UPDATE cold_chain_equipment SET doors = 4 WHERE id = '\(id)'", write: true)
        #expect(try device.secondCopy().map { $0.fields["doors"]?.value } == [.integer(4)])
        try device.finish()
    }

    @Test("of a large mutation the changed field is written, not all of it")
    func large() throws {
        let id = try device.newInspection()
        let long = FieldValue.string(String(repeating: "x", count: 20_000))
        try device.store.set([("notes", long)], on: id)
        let before = try device.reading().end
        try device.store.set([("doors", .integer(1))], on: id)
        #expect(try device.reading().end - before < 1_000)
        try device.store.set([("doors", .null)], on: id)
        try device.expectSecondCopy()
        try device.finish()
    }

    @Test("a full segment is followed by another, and goes when nothing in it waits")
    func rotation() throws {
        let id = try device.newInspection()
        for number in 0..<30 {
            let text = String(repeating: "\(number % 10)", count: 60_000)
            try device.store.set([("notes", .string(text))], on: id)
        }
        #expect(try folder.names().count == 2)
        try device.expectSecondCopy()
        try device.accept(id, version: 1)
        try device.store.onJournal { $0.tidy($1) }
        #expect(try folder.names() == [JournalSegment.name(2)])
        try device.reopen()
        try device.finish()
    }

    @Test("an entry that is larger than a segment gets one of its own size")
    func oversized() throws {
        let ids = try (0..<30).map { _ in try device.newInspection() }
        let text = FieldValue.string(String(repeating: "y", count: 60_000))
        try device.store.edit { database in
            for id in ids { try database.write(text, to: "notes", of: id) }
        }
        #expect(try device.reading().segments.map(\.byteCount).max() ?? 0 > 30 * 60_000)
        try device.expectSecondCopy()
        try device.finish()
    }

    @Test("one change that waits for a year does not let the journal grow without end")
    func pinned() throws {
        let old = try device.acceptedInspection()
        try device.store.set([("doors", .integer(1))], on: old)
        let id = try device.acceptedInspection()
        for number in 0..<120 {
            let text = String(repeating: "\(number % 10)", count: 60_000)
            try device.store.set([("notes", .string(text))], on: id)
            if number.isMultiple(of: 10) { try device.store.onJournal { $0.tidy($1) } }
        }
        #expect(try device.reading().segments.reduce(0) { $0 + $1.byteCount } < 8 << 20)
        try device.expectSecondCopy()
        try device.finish()
    }

    @Test("large values of others in a conflict do not let the journal be written again and again")
    func largeConflict() throws {
        let server = StoryServer()
        let id = try device.acceptedInspectionOf(server)
        let long = FieldValue.string(String(repeating: "x", count: 60_000))
        var fields: [FieldName: FieldValue] = ["notes": .string("theirs")]
        for number in 0..<80 { fields["q\(number)"] = long }
        server.edit(id, fields)
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        #expect(try device.store.conflicts().count == 1)
        try device.store.onJournal { $0.tidy($1) }
        _ = folder.takeCalls()
        for _ in 1...5 { try device.store.onJournal { $0.tidy($1) } }
        #expect(folder.takeCalls() == [])
        try device.reopen()
        for _ in 1...5 { try device.store.onJournal { $0.tidy($1) } }
        #expect(folder.takeCalls().filter { $0 != .read && $0 != .remove } == [])
        try device.finish()
    }

    @Test("a small mutation is written whole also where only its status changes")
    func wholeStatus() throws {
        let id = try device.acceptedInspection()
        try device.store.set([("notes", .string("MARKER"))], on: id)
        let edited = try device.reading().end
        _ = try device.store.sealBatch()
        #expect(try device.secondCopy().map(\.status) == ["IN_FLIGHT"])
        let name = JournalSegment.name(1)
        folder.change(name) { bytes in
            for (start, frame) in JournalFrame.all(in: bytes)
            where start + frame.byteCount == edited {
                bytes[start + frame.byteCount / 2] ^= 1
            }
        }
        #expect(try device.reading().lost == 1)
        let sealed = try #require(try device.secondCopy().first)
        #expect(sealed.fields["notes"]?.value == .text("MARKER"))
        try device.reopen()
        try device.finish()
    }

    @Test("the files of a real home are nobody else's")
    func modes() throws {
        let device = try Device()
        for path in [device.home.journal, device.home.journal + "/" + JournalSegment.name(1)] {
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o077 == 0)
        }
        #expect(try device.home.filesOpenToOthers() == [])
        try device.finish()
    }

    @Test("no answer stands in the journal in clear")
    func sealed() throws {
        let id = try device.newInspection()
        try device.store.set([("notes", .string("refrigerant leak"))], on: id)
        for name in try folder.names() {
            let bytes = try folder.contents(of: name)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("refrigerant"))
            #expect(!text.contains("inspection"))
        }
        try device.finish()
    }
}
