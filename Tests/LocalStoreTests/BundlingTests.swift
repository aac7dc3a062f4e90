import Coding
import Replication
import SQLite
import Testing

@testable import LocalStore

/// What goes into a bundle, and what the export does to the queue.
@Suite("F12 The queue is copied out by cable")
struct BundlingTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func requests() throws -> [PushRequest] {
        let plan = try device.store.sealForBundle()
        let requests = try plan.batches.map { try device.store.request(of: $0) }
        #expect(requests.flatMap(\.mutations).count == plan.mutationCount)
        return requests
    }

    /// The office takes the bundle in; the device hears nothing of it.
    private func carry(_ requests: [PushRequest]) throws {
        for request in requests { _ = try server.push(request) }
    }

    @Test("everything that waits is in it, in order, sealed, and is still shown as waiting")
    func everything() throws {
        let ids = try (0..<120).map { _ in try device.newInspection() }
        try device.store.set([("notes", .string("n"))], on: ids[3])
        let requests = try requests()
        #expect(requests.map(\.mutations.count) == [50, 50, 20])
        #expect(requests.flatMap(\.mutations).map(\.record) == ids)
        #expect(requests.allSatisfy { $0.baton == nil })
        let status = try device.store.status()
        #expect(status.pending == 120 && status.inFlight == 0 && !status.nothingUnsynced)
        #expect(try device.store.outbox().allSatisfy { $0.status == "PENDING" })
        try device.finish()
    }

    @Test(
        "what stands in a bundle is known, also where another change took its place, or after a loss"
    )
    func remembered() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(1))], on: id)
        _ = try requests()
        _ = try device.newInspection()
        #expect(try device.store.outbox().map(\.isInBundle) == [true, false])
        try device.expectSecondCopy()
        try device.rebuild()
        let sent = try #require(try device.store.outbox().first)
        #expect(sent.isInBundle)
        try device.store.fail(sent.mutationId, error: "refused")
        let again = try #require(try device.store.retry(sent.mutationId))
        #expect(again != sent.mutationId)
        #expect(try device.store.isInBundle(whatDiscards: again))
        let made = try #require(try device.store.outbox().first { $0.operation == "INSERT" })
        #expect(try !device.store.isInBundle(whatDiscards: made.mutationId))
        try device.finish()
    }

    @Test("a change that gets another id, or is divided, is still known to stand in a bundle")
    func reissued() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(1)), ("notes", .string("n"))], on: id)
        _ = try requests()
        let sent = try #require(try device.store.sealBatch()?.mutations.first)
        #expect(try device.store.split(sent.id))
        #expect(try device.store.outbox().map(\.isInBundle) == [true, true])
        try device.store.settle { database in
            let first = try #require(try database.waitingMutations(of: id).first)
            try database.reissue(first.sequence, newID: "another")
        }
        let outbox = try device.store.outbox()
        #expect(outbox.contains { $0.mutationId == "another" })
        #expect(outbox.map(\.isInBundle) == [true, true])
        try device.finish()
    }

    @Test(
        "a change that takes what stands in a bundle along is shown like that, and nothing else is")
    func whatGoesAlong() throws {
        let parent = try device.newInspection()
        let child = RecordID("child-1")
        try device.store.edit { database in
            try database.insertRecord(child, table: RecordTable.attachment, parent: parent)
            try database.write(.string("leak"), to: "text", of: child)
        }
        _ = try device.newInspection()
        #expect(try device.store.outbox().map(\.isInBundle) == [false, false, false])
        try device.store.settle { database in
            try database.execute(
                "UPDATE __sync_outbox SET in_bundle = 1 WHERE record_id = ?",
                [.text(child.rawValue)])
        }
        let rows = try device.store.outbox()
        #expect(rows.map(\.isInBundle) == [true, true, false])
        for row in rows {
            #expect(try device.store.isInBundle(whatDiscards: row.mutationId) == row.isInBundle)
        }
        try device.finish()
    }

    @Test("what is entered afterwards never changes what has left the device")
    func editsAfterwards() throws {
        let id = try device.newInspection()
        try device.store.set([("notes", .string("first"))], on: id)
        let before = try requests()
        try device.store.set([("notes", .string("second")), ("doors", .integer(2))], on: id)
        try device.store.set([("notes", .null)], on: id)
        #expect(try device.queue(id).count == 2)
        let after = try requests().flatMap(\.mutations)
        #expect(after.first == before[0].mutations[0])
        #expect(after.count == 2 && after[1].changes["notes"]?.value == .null)
        try carry(before)
        try device.sync(server)
        #expect(server.records[id]?.fields["doors"]?.value == .integer(2))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("the sync that follows an import settles everything and doubles nothing")
    func syncAfterImport() throws {
        let ids = try (0..<60).map { _ in try device.newInspection() }
        try carry(try requests())
        let effects = server.effects
        try device.sync(server)
        #expect(server.effects == effects)
        #expect(server.records.count == ids.count)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a child that stands before its parent in the queue goes behind it")
    func families() throws {
        let child = RecordID("child-1")
        let parent = RecordID("parent-1")
        try device.store.edit { database in
            try database.insertRecord(child, table: RecordTable.attachment, parent: parent)
            try database.write(.string("leak"), to: "text", of: child)
            try database.insertRecord(parent, table: "inspection", parent: nil)
            try database.write(.string("cold"), to: "@title", of: parent)
        }
        let order = try requests().flatMap(\.mutations).map(\.record)
        #expect(order == [parent, child])
        try device.finish()
    }

    @Test("what was sent and has had no answer is in it, as it was sent")
    func unanswered() throws {
        let id = try device.newInspection()
        let sent = try #require(try device.store.sealBatch())
        try device.store.keepTicket(for: sent.mutations.map(\.id))
        let requests = try requests()
        #expect(requests.flatMap(\.mutations) == sent.mutations)
        try carry(requests)
        try device.sync(server)
        #expect(server.records[id] != nil)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what a person has to decide stays out, with what stands behind it, and is counted")
    func obstacles() throws {
        let stuck = try device.acceptedInspectionOf(server)
        let failed = try device.acceptedInspectionOf(server)
        let reviewed = try device.acceptedInspectionOf(server)
        for (id, status) in [(stuck, "CONFLICT"), (failed, "FAILED"), (reviewed, "IN_REVIEW")] {
            try device.store.set([("pressure", .integer(1))], on: id)
            try device.mark(id, status)
        }
        for id in [stuck, failed] { try device.store.set([("notes", .string("n"))], on: id) }
        try device.store.set([("pressure", .integer(2)), ("notes", .string("n"))], on: reviewed)
        let plan = try device.store.sealForBundle()
        let going = try plan.batches.flatMap { try device.store.request(of: $0).mutations }
        #expect(going.map(\.record) == [reviewed] && going[0].columns == ["notes"])
        #expect(plan.mutationCount == 1 && plan.leftCount == 6)
        try device.finish()
    }

    @Test("with nothing waiting there is nothing to carry")
    func empty() throws {
        let plan = try device.store.sealForBundle()
        #expect(plan.batches.isEmpty && plan.mutationCount == 0 && plan.leftCount == 0)
        try device.finish()
    }

    @Test("a large queue goes in batches of at most 1 MiB")
    func large() throws {
        let long = FieldValue.string(String(repeating: "é", count: 32_000))
        for _ in 0..<20 {
            let id = try device.newInspection()
            try device.store.set([("notes", long), ("facility", long)], on: id)
        }
        let requests = try requests()
        #expect(requests.flatMap(\.mutations).count == 20 && requests.count > 1)
        for request in requests {
            let bytes = request.mutations.reduce(0) { $0 + $1.json.serialized().count }
            #expect(bytes <= 1 << 20)
        }
        try device.finish()
    }

    @Test("a power cut behind the sealing keeps what was sealed so, in the second copy as well")
    func reopened() throws {
        let id = try device.newInspection()
        let before = try requests()
        try device.reopen()
        try device.store.set([("notes", .string("later"))], on: id)
        #expect(try requests().flatMap(\.mutations).first == before[0].mutations[0])
        try device.finish()
    }
}
