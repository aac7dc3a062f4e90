import Coding
import Inspections
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("T86 a deletion that a restored server has lost")
struct DeletionAgainTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func told() throws -> [RecordID: FieldChange] {
        let batch = try device.store.sealBatch()
        try device.store.recoverInFlight()
        let deletions = (batch?.mutations ?? []).compactMap { mutation in
            mutation.changes[Mutation.deletedField].map { (mutation.record, $0) }
        }
        return Dictionary(deletions) { $1 }
    }

    private func finish() throws {
        try device.sync(server)
        try device.offerCopies(to: server)
        // What was held goes again in the next cycle.
        for _ in 1...2 { try device.sync(server) }
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 it is told with its version also where the server lacks the record, whoever made that",
        arguments: [true, false])
    func lackingRecord(isOwn: Bool) throws {
        let other = try device.acceptedInspectionOf(server)
        let backup = server.contents
        let id: RecordID
        if isOwn {
            id = try device.acceptedInspectionOf(server)
        } else {
            _ = try device.pullTheirs(from: server)
            id = "theirs"
        }
        try device.store.delete(id)
        try device.sync(server)
        let version = try #require(server.records[id]?.version)
        server.restore(backup)
        try device.pullAll(from: server)
        let deletion = try #require(try told()[id])
        #expect(deletion.formerVersion == version && deletion.baseVersion == version - 1)
        #expect(try device.store.status().pending == 1)
        try device.sync(server)
        #expect(server.records[id]?.isDeleted == true && server.records[other]?.isDeleted == false)
        #expect(try device.store.copiesToOffer() == nil)
        // Once is enough.
        try device.pullAll(from: server)
        #expect(try told().isEmpty)
        try finish()
    }

    @Test("T86 it goes also where somebody has worked on the record since the restore")
    func workedOn() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.delete(id)
        try device.sync(server)
        let version = try #require(server.records[id]?.version)
        server.restore(backup)
        server.edit(id, ["notes": .string("later")], lamport: 1_000)
        try device.pullAll(from: server)
        #expect(try told()[id]?.formerVersion == version)
        try device.sync(server)
        #expect(server.records[id]?.isDeleted == true)
        try finish()
    }

    @Test("T86 not one that somebody had taken back since, in the record that the server shows")
    func takenBack() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.delete(id)
        try device.sync(server)
        server.restore(id)
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try told().isEmpty)
        #expect(server.records[id]?.isDeleted == false)
        try finish()
    }

    @Test("T86 nor after two restores at once: nobody knows then what it had seen")
    func twoEpochs() throws {
        let backup = server.contents
        let id = try device.acceptedInspectionOf(server)
        try device.store.delete(id)
        try device.sync(server)
        server.restore(backup)
        server.restore(backup)
        try device.pullAll(from: server)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try told().values.allSatisfy { $0.formerVersion == 0 })
        try finish()
    }

    @Test(
        "T86 of a row it goes behind its inspection, deleted or not, whoever brings that again",
        arguments: [true, false], [true, false])
    func ofRow(isOwn: Bool, isDeletedToo: Bool) throws {
        let backup = server.contents
        let id: RecordID
        if isOwn {
            id = try device.acceptedInspectionOf(server)
        } else {
            _ = try device.pullTheirs(from: server)
            id = "theirs"
        }
        server.edit(
            "row", ["@form": .string(TestForm.id), "@formVersion": .string("1")],
            table: RecordTable.finding, parent: id)
        try device.sync(server)
        try device.store.delete("row")
        try device.sync(server)
        if isDeletedToo {
            try device.store.delete(id)
            try device.sync(server)
        }
        server.restore(backup)
        try finish()
        #expect(server.records[id]?.isDeleted == isDeletedToo)
        #expect(server.records["row"]?.isDeleted == true)
    }

    @Test("T86 under what a colleague has deleted nothing is told, and nothing waits")
    func underOthersDeletion() throws {
        let backup = try device.pullTheirs(from: server)
        server.edit(
            "row", ["@form": .string(TestForm.id), "@formVersion": .string("1")],
            table: RecordTable.finding, parent: "theirs")
        try device.sync(server)
        try device.store.delete("row")
        try device.sync(server)
        server.delete("theirs")
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try told().isEmpty)
        try finish()
    }
}
