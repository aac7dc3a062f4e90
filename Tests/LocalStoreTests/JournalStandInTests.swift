import Coding
import Crypto
import Glibc
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

@Suite("What a rebuilt store has of a record before a pull brings it")
struct JournalStandInTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// An edit of a record that the server does not show any more.
    private func editOfGone(_ answers: [FieldName: FieldValue]) throws {
        let form: [FieldName: FieldValue] = [
            "@form": .string(TestForm.id), "@formVersion": .string("1"),
        ]
        server.edit("theirs", form.merging(answers) { $1 })
        try device.sync(server)
        try device.store.set([("doors", .integer(2))], on: "theirs")
        server.delete("theirs")
        server.prune()
    }

    @Test(
        "F01 a record that the server does not show goes with its work, rebuilt or not",
        arguments: [false, true])
    func goes(isRebuilt: Bool) throws {
        try editOfGone(["doors": .integer(1), "notes": .string("n")])
        if isRebuilt { try device.rebuild() }
        try device.pullAll(from: server)
        server.refused["inspection"] = WireError(code: "out_of_scope", message: "x")
        try device.pushAll(to: server)
        let row = try #require(try device.store.outbox().first)
        #expect(row.status == "FAILED")
        try device.store.discard(row.mutationId)
        #expect(try device.store.inspections().map(\.id) == [])
        try device.finish()
    }

    @Test(
        "F01 first answers on a record that the server does not show go out, rebuilt or not",
        arguments: [false, true])
    func firstAnswers(isRebuilt: Bool) throws {
        try editOfGone([:])
        if isRebuilt { try device.rebuild() }
        for _ in 1...3 { try device.sync(server) }
        #expect(try device.store.outbox().map(\.status) == ["IN_REVIEW"])
        try device.finish()
    }

    @Test("F01 a record that the server shows is whole after the pull, and stays")
    func stays() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs")])
        try device.sync(server)
        try device.store.set([("doors", .integer(2))], on: id)
        try device.rebuild()
        try device.store.store(form: TestForm.coldChain)
        for _ in 1...2 { try device.sync(server) }
        #expect(try device.value("notes", of: id) == .string("theirs"))
        #expect(server.records[id]?.fields["doors"]?.value == .integer(2))
        #expect(try device.number("SELECT count(*) FROM __sync_unseen") == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("F01 a large change of which a part is lost comes back for a person to look at")
    func incomplete() throws {
        let id = try device.acceptedInspection()
        let long = FieldValue.string(String(repeating: "x", count: 9000))
        try device.store.set([("facility", long), ("notes", .string("n"))], on: id)
        try device.store.set([("doors", .integer(2))], on: id)
        _ = try device.store.sealBatch()
        try device.store.close()
        var image = try device.image
        image.spoil { $0.box.ciphertext.count > 9000 }
        try image.write(to: device.home)
        let rebuilding = try device.rebuildClosed()
        #expect(rebuilding.restored == 1 && rebuilding.lost == 1)
        #expect(try device.queue(id) == ["UPDATE FAILED doors=2 on -@0"])
        let row = try #require(try device.store.outbox().first)
        #expect(row.lastError == Connection.incompleteError)
        // The server may know the whole under that id: this is another change.
        let again = try device.store.retry(row.mutationId)
        #expect(again != nil && again != row.mutationId)
        try device.finish()
    }

    @Test("F01 of a change of which nothing but its row is left nothing comes back")
    func onlyRow() throws {
        let id = try device.acceptedInspection()
        let long = FieldValue.string(String(repeating: "x", count: 9000))
        try device.store.set([("facility", long)], on: id)
        _ = try device.store.sealBatch()
        try device.store.close()
        var image = try device.image
        image.spoil { $0.box.ciphertext.count > 9000 }
        try image.write(to: device.home)
        #expect(try device.rebuildClosed().restored == 0)
        #expect(try device.store.outbox().isEmpty)
        try device.finish()
    }

    @Test("F01 an entry that is lost takes nothing of a small change along")
    func small() throws {
        let id = try device.acceptedInspection([("notes", .string("old"))])
        try device.store.set([("notes", .string("MARKER"))], on: id)
        let edit = try device.reading().chain.number
        let sent = try #require(try device.store.sealBatch())
        try device.store.close()
        var image = try device.image
        image.spoil { $0.number == edit }
        try image.write(to: device.home)
        #expect(try device.rebuildClosed().lost == 1)
        #expect(try device.queue(id) == ["UPDATE IN_FLIGHT notes=MARKER on old@1"])
        try device.store.recoverInFlight()
        let again = try #require(try device.store.sealBatch())
        #expect(again.mutations.map(\.contentHash) == sent.mutations.map(\.contentHash))
        try device.finish()
    }

    @Test("F01 a file of the journal that the disk does not give back is told")
    func unreadableFile() throws {
        let folder = ScriptedFolder()
        let device = try Device(journalIn: folder)
        let long = FieldValue.string(String(repeating: "x", count: 60_000))
        for _ in 0..<20 { try device.store.set([("notes", long)], on: try device.newInspection()) }
        try device.store.close()
        #expect(try folder.names().count == 2)
        let reads = Noted<Int>()
        folder.before { call in
            guard call == .read else { return }
            reads.note(1)
            guard reads.all.count == 2 else { return }
            throw JournalFault.system(operation: "read", path: "journal", code: EIO)
        }
        let rebuilding = try device.rebuildClosed()
        #expect(rebuilding.unreadableFiles == 1)
        #expect((1..<20).contains(rebuilding.restored))
        try device.finish()
    }

    @Test("T79 F01 a rebuilt store keeps the old shape until what came back is sent")
    func oldShape() throws {
        let next = Schema.migrations.followed(by: [
            Migration("legacy") { try $0.execute("CREATE TABLE legacy (note TEXT)") },
            Migration("drop legacy", .destructive) { try $0.execute("DROP TABLE legacy") },
        ])
        _ = try device.newInspection()
        try device.store.close()
        try device.rebuildClosed(migrations: next)
        #expect(try device.store.deferredMigrations() == ["drop legacy"])
        try device.sync(server)
        #expect(try device.store.crossBarrier())
        try device.finish()
    }
}
