import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("T86 what was in review or under way when the server was restored")
struct OfferReviewTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func stored(_ name: FieldName, of id: RecordID) -> FieldValue? {
        server.records[id]?.fields[name]?.value
    }

    @Test("what was parted from a conflict and is in review goes under an id of its own")
    func reviewOfPart() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150), "notes": .string("theirs")])
        try device.store.set([("pressure", .integer(160)), ("notes", .string("mine"))], on: id)
        try device.sync(server)
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        server.restore(server.contents)
        try device.sync(server)
        try device.sync(server)
        #expect(try device.store.outbox().map(\.status) == ["IN_REVIEW"])
        #expect(try device.store.outbox().map(\.lastError) == [nil])
        #expect(stored("notes", of: id) == .string("mine"))
        try device.finish()
    }

    @Test(
        "what was in review is asked for again though the inspector has a conflict to decide",
        arguments: [true, false])
    func reviewBesideConflict(isOneMutation: Bool) throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        server.edit(id, ["pressure": .integer(150)])
        try device.store.set([("pressure", .integer(160))], on: id)
        if !isOneMutation { try device.pushAll(to: server) }
        server.edit(id, ["notes": .string("theirs")])
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        #expect(try Set(device.store.outbox().map(\.status)) == ["IN_REVIEW", "CONFLICT"])
        server.restore(backup)
        server.edit(id, ["pressure": .integer(155)])
        for _ in 1...2 { try device.sync(server) }
        let rows = try device.store.outbox()
        #expect(rows.first { $0.columns == ["pressure"] }?.status == "IN_REVIEW")
        #expect(rows.first { $0.columns == ["notes"] }?.status == "CONFLICT")
        // The decision of the one takes nothing of the other along.
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        #expect(try device.store.outbox().map(\.status) == ["IN_REVIEW"])
        #expect(stored("notes", of: id) == .string("mine"))
        try device.finish()
    }

    @Test("what was entered behind a reading in review stays behind it")
    func orderBehindReview() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150)])
        try device.store.set([("pressure", .integer(160)), ("doors", .integer(7))], on: id)
        try device.sync(server)
        try device.store.set([("pressure", .integer(170))], on: id)
        server.restore(server.contents)
        for _ in 1...2 { try device.sync(server) }
        #expect(try device.value("pressure", of: id) == .integer(170))
        let waiting = try device.store.sql(
            "SELECT value FROM __sync_waiting WHERE name = 'pressure' ORDER BY seq_id", write: false
        )
        #expect(waiting.rows.map { $0.map(\.plain) } == [["160"], ["170"]])
        try device.finish()
    }

    @Test("what was cleared while the restore was not known yet stays cleared")
    func clearedUnderWay() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.set([("notes", .string("first")), ("doors", .integer(3))], on: id)
        try device.sync(server)
        try device.store.set([("notes", .null)], on: id)
        server.restore(backup)
        for _ in 1...3 { try device.sync(server) }
        #expect(stored("doors", of: id) == .integer(3))
        #expect(stored("notes", of: id) ?? .null == .null)
        #expect(try device.value("notes", of: id) == .null)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what was accepted below an edit that waits comes back, whatever becomes of the edit")
    func acceptedBelowWaiting() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.set([("notes", .string("accepted"))], on: id)
        try device.sync(server)
        try device.store.set([("notes", .string("later"))], on: id)
        server.restore(backup)
        try device.pullAll(from: server)
        let waiting = try #require(
            try device.store.outbox().first { $0.columns == ["notes"] })
        try device.store.fail(waiting.mutationId, error: "refused")
        try device.store.discard(waiting.mutationId)
        try device.offerCopies(to: server)
        for _ in 1...2 { try device.sync(server) }
        #expect(stored("notes", of: id) == .string("accepted"))
        #expect(try device.value("notes", of: id) == .string("accepted"))
        try device.expectNothingPending(server)
        try device.finish()
    }
}
