import Coding
import Replication
import SQLite
import Testing

@testable import LocalStore

/// A server that was restored from a backup of before the enrolment gives the same home a new id.
struct EnrolAgainTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func enrolment(_ token: String) -> LocalStore.Enrolment {
        LocalStore.Enrolment(
            serverURL: "https://server:8443", deviceID: "device-2", token: token, team: "field",
            caPem: "PEM", pins: ["sha256//a", "sha256//b"], deviceKey: "key")
    }

    @Test("a home that is enrolled anew keeps what waits, and its ids, under a new node")
    func keeps() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = StoryServer.Contents()
        try device.store.set([("notes", .string("waits"))], on: id)
        let sent = try #require(try device.store.sealBatch())
        try device.store.set([("doors", .integer(2))], on: id)
        server.restore(backup)
        try device.store.enrolAgain(enrolment("token-2"), as: "node-new")

        #expect(try device.store.position().node == "node-new")
        #expect(try device.store.position().baton == nil)
        #expect(try device.store.enrolment() == enrolment("token-2"))
        #expect(try device.store.status().pending == 2, "also what was in flight")
        let again = try #require(try device.store.sealBatch())
        #expect(again.clientNodeId == "node-new")
        #expect(again.mutations.first == sent.mutations.first)
        try device.store.recoverInFlight()

        try device.pullAll(from: server)
        try device.sync(server)
        let record = try #require(server.records[id])
        #expect(record.fields["notes"]?.value == .string("waits"))
        #expect(record.fields["doors"]?.value == .integer(2))
        #expect(record.fields["@form"]?.value == .string(TestForm.id), "it was offered again")
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "what it had entered under its former node goes once more as its own, and as no copy beside that",
        arguments: ["node-0", "node-zzz"])
    func ownUnderFormerNode(node: NodeID) throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        let version = try #require(server.records[id]?.fields["notes"]?.version)
        server.restore(backup)
        try device.store.enrolAgain(enrolment("token-2"), as: node)
        try device.pullAll(from: server)
        #expect(try device.store.copiesToOffer() == nil)
        let batch = try #require(try device.store.sealBatch())
        #expect(!batch.hasExactBases)
        #expect(batch.mutations.compactMap { $0.changes["notes"]?.value } == [.string("mine")])
        #expect(batch.mutations.compactMap { $0.changes["notes"]?.formerVersion } == [version])
        try device.store.recoverInFlight()
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("mine"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a database that is made anew from the journal knows the new enrolment")
    func rebuilt() throws {
        let id = try device.newInspection()
        try device.store.enrolAgain(enrolment("token-2"), as: "node-new")
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.close()
        try device.rebuildClosed()
        #expect(try device.store.enrolment() == enrolment("token-2"))
        #expect(try device.store.position().node == "node-new")
        #expect(try device.value("doors", of: id) == .integer(2))
        try device.finish()
    }

    @Test("what throws has changed nothing, also where only the note of it cannot be written")
    func isOneTransaction() throws {
        let before = try device.store.position()
        try device.store.writer.perform { database in
            try database.execute(
                """
                CREATE TEMP TRIGGER full BEFORE INSERT ON main.__sync_log
                BEGIN SELECT RAISE(ABORT, 'no room'); END
                """)
        }
        #expect(throws: (any Error).self) {
            try device.store.enrolAgain(enrolment("token-2"), as: "node-new")
        }
        #expect(throws: (any Error).self) { try device.store.takeNewNode() }
        #expect(try device.store.position() == before)
        #expect(try device.store.enrolment() == nil)
        try device.store.writer.perform { try $0.execute("DROP TRIGGER full") }
        try device.finish()
    }
}
