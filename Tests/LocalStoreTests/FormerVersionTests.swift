import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("T86 what a restored server is told of the past of a change")
struct FormerVersionTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// What the next batch says of each field, and of all of its bases.
    private func told() throws -> (exact: Bool, changes: [FieldName: FieldChange]) {
        let batch = try #require(try device.store.sealBatch())
        try device.store.recoverInFlight()
        let changes = batch.mutations.flatMap { Array($0.changes) }
        return (batch.hasExactBases, Dictionary(changes.map { ($0.key, $0.value) }) { $1 })
    }

    @Test(
        "what is offered again names the version that it had, also a deletion; other devices' do not"
    )
    func offeredAgain() throws {
        let (id, gone) = (
            try device.acceptedInspectionOf(server), try device.acceptedInspectionOf(server)
        )
        let backup = server.contents
        try device.store.set([("notes", .string("mine")), ("doors", .integer(2))], on: id)
        try device.sync(server)
        server.edit(id, ["doors": .integer(3)])
        try device.store.delete(gone)
        try device.sync(server)
        let version = try #require(server.records[id]?.fields["notes"]?.version)
        let deleted = try #require(server.records[gone]?.version)
        server.restore(backup)
        try device.pullAll(from: server)
        let (exact, changes) = try told()
        #expect(!exact)
        #expect(changes["notes"]?.formerVersion == version)
        #expect(changes["doors"] == nil, "another's newer word goes as a copy")
        let deletion = try #require(changes[Mutation.deletedField])
        #expect(deletion.formerVersion == deleted && deletion.baseVersion < deleted)
        #expect(
            try device.store.copiesToOffer()?.records.map { Set($0.fields.keys) } == [["doors"]])
        try device.sync(server)
        try device.offerCopies(to: server)
        try device.sync(server)
        try device.expectNothingPending(server)
        _ = try device.store.sealBatch()
        #expect(try device.number("SELECT count(*) FROM __sync_former") == 0)
        try device.finish()
    }

    @Test("before the restore is heard of, all bases are of the cursor's epoch")
    func firstContact() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        server.restore(server.contents)
        let (exact, changes) = try told()
        #expect(exact)
        #expect(changes["notes"]?.hasExactBase == false && changes["notes"]?.formerVersion == 0)
        try device.sync(server)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("of a record that the server has not shown since, the base of what waits is certain")
    func unseen() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = StoryServer.Contents()
        let other = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("waits"))], on: id)
        server.restore(backup)
        // An answer that tells of the epoch, and no pull yet.
        try device.pushAll(to: server)
        let (exact, changes) = try told()
        #expect(!exact && changes["notes"]?.hasExactBase == true)
        try device.sync(server)
        try device.sync(server)
        #expect(server.records[other] != nil)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("after two restores at once nothing is said of what had been confirmed")
    func twoEpochs() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        server.restore(backup)
        try device.pullAll(from: server)
        let (exact, changes) = try told()
        #expect(!exact && changes["notes"]?.value == .string("mine"))
        #expect(changes["notes"]?.formerVersion == 0 && changes["notes"]?.hasExactBase == false)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }
}
