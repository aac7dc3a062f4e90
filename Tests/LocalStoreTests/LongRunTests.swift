import Coding
import Replication
import Testing

@testable import LocalStore

/// What only long runs of several devices, with every fault at once, had brought about: each in as few
/// steps as it takes.
struct LongRunTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func remove(_ id: RecordID) throws {
        var page = try server.pull(device.store.pullRequest())
        page.removed = [id]
        try device.store.apply(page: page)
    }

    private func isHere(_ id: RecordID) throws -> Bool {
        try device.number("SELECT count(*) FROM record WHERE id = '\(id.rawValue)'") == 1
    }

    private func isDeleted(_ id: RecordID) throws -> Bool {
        try device.number("SELECT is_deleted FROM record WHERE id = '\(id.rawValue)'") == 1
    }

    @Test("a record that left the scope goes with the last work on it")
    func leftRecord() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        try remove(id)
        #expect(try isHere(id))
        let row = try #require(try device.store.outbox().first)
        try device.store.fail(row.mutationId, error: "out_of_scope")
        try device.store.discard(row.mutationId)
        #expect(try !isHere(id))
        try device.finish()
    }

    @Test("a record that comes back into the scope as it was counts in the digest again")
    func returnedRecord() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        try remove(id)
        var page = try server.pull(device.store.pullRequest())
        page.deltaRecords = [try #require(server.records[id]).wire(updatedAtUtc: "")]
        #expect(try device.store.apply(page: page).sitesDiffering == [])
        let row = try #require(try device.store.outbox().first)
        try device.store.fail(row.mutationId, error: "out_of_scope")
        try device.store.discard(row.mutationId)
        #expect(try isHere(id))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a change behind one that waits for a review waits with it, in the order of the record")
    func orderBehindReview() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150)])
        try device.store.set([("pressure", .integer(160))], on: id)
        _ = try device.store.sealBatch()
        try device.store.set([("pressure", .integer(170)), ("facility", .string("old"))], on: id)
        try device.store.recoverInFlight()
        _ = try device.store.sealBatch()
        try device.store.set([("facility", .string("new"))], on: id)
        try device.store.recoverInFlight()
        let batch = try #require(try device.store.sealBatch())
        try device.store.apply(server.push(batch), to: batch)
        #expect(try device.store.outbox().map(\.status) == ["IN_REVIEW", "PENDING", "PENDING"])
        #expect(try device.store.sealBatch() == nil)
        #expect(try device.value("facility", of: id) == .string("new"))
        server.decide(batch.mutations[0].id, on: id, takes: [:])
        try device.pullAll(from: server)
        try device.sync(server)
        #expect(server.records[id]?.fields["facility"]?.value == .string("new"))
        try device.finish()
    }

    @Test("a restoration that is given up leaves what the server says meanwhile")
    func restorationGivenUp() throws {
        let id = try device.acceptedInspectionOf(server)
        server.delete(id)
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        try device.store.resolve(id, ["notes": .mine])
        server.edit(id, [Mutation.deletedField: .integer(0)])
        try device.pullAll(from: server)
        try device.mark(id, "FAILED")
        let row = try #require(try device.store.outbox().first)
        try device.store.discard(row.mutationId)
        #expect(try !isDeleted(id))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a deletion whose answer comes after the office restored the record deletes nothing")
    func deletionOvertaken() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.delete(id)
        let batch = try #require(try device.store.sealBatch())
        _ = try server.push(batch)
        try device.store.recoverInFlight()
        server.edit(id, [Mutation.deletedField: .integer(0)])
        try device.sync(server)
        #expect(try !isDeleted(id))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a restoration that is given up leaves a later deletion that waits as it is shown")
    func restorationBeforeDeletion() throws {
        let id = try device.acceptedInspectionOf(server)
        server.delete(id)
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        try device.store.resolve(id, ["notes": .mine])
        _ = try device.store.sealBatch()
        try device.store.delete(id)
        let row = try #require(try device.store.outbox().first)
        try device.store.fail(row.mutationId, error: "refused")
        try device.store.discard(row.mutationId)
        #expect(try isDeleted(id))
        #expect(try device.store.audit() == [])
        try device.finish()
    }

    @Test("a deletion that is settled waits no more, though a field beside it is in review")
    func deletionBesideReview() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs"), "pressure": .integer(150)])
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.pushAll(to: server)
        try device.store.set([("pressure", .integer(160))], on: id)
        try device.store.delete(id)
        try device.store.resolve(id, ["notes": .mine])
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.operation) == [.delete])
        try device.store.apply(server.push(batch), to: batch)
        #expect(try isDeleted(id))
        server.edit(id, [Mutation.deletedField: .integer(0)])
        try device.pullAll(from: server)
        #expect(try !isDeleted(id))
        try device.finish()
    }

    @Test("an acknowledgement without its record leaves no digest that is not the fields'")
    func acknowledgedWithoutRecord() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        var answer = try server.push(batch)
        answer.results[0].record = nil
        try device.store.apply(answer, to: batch)
        #expect(try device.store.audit() == [])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "a supervisor's decision that comes after the conflict settles nothing of the inspector's")
    func decisionAfterConflict() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs"), "pressure": .integer(150)])
        try device.store.set([("notes", .string("mine")), ("pressure", .integer(160))], on: id)
        let batch = try #require(try device.store.sealBatch())
        _ = try server.push(batch)
        try device.store.recoverInFlight()
        server.decide(batch.mutations[0].id, on: id, takes: [:])
        try device.sync(server)
        #expect(try device.store.outbox().map(\.status) == ["CONFLICT"])
        #expect(try device.store.conflicts().map(\.column) == ["notes"])
        #expect(try device.value("notes", of: id) == .string("mine"))
        try device.finish()
    }

    @Test("a record that was taken and left the scope before the answer is still answered for")
    func acknowledgedOutOfScope() throws {
        let id = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        var answer = try server.push(batch)
        try device.store.set([("notes", .string("mine"))], on: id)
        var page = try server.pull(device.store.pullRequest())
        (page.deltaRecords, page.removed) = ([], [id])
        try device.store.apply(page: page)
        answer.results[0].record = nil
        try device.store.apply(answer, to: batch)
        #expect(try device.store.audit() == [])
        let next = try #require(try device.store.sealBatch(), "what came later is sent")
        #expect(next.mutations.map(\.columns) == [["notes"]])
        try device.store.fail(next.mutations[0].id, error: "out_of_scope")
        try device.store.discard(next.mutations[0].id)
        #expect(try !isHere(id))
        try device.finish()
    }

    @Test("a tombstone that comes back into the scope stays when the last work on it is settled")
    func returnedTombstone() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        server.delete(id)
        try device.sync(server)
        #expect(try device.store.outbox().map(\.status) == ["CONFLICT"])
        try remove(id)
        var page = try server.pull(device.store.pullRequest())
        page.deltaRecords = [try #require(server.records[id]).wire(updatedAtUtc: "")]
        try device.store.apply(page: page)
        try device.store.resolve(id, ["notes": .theirs])
        #expect(try isHere(id) && isDeleted(id))
        try device.expectNothingPending(server)
        try device.finish()
    }
}
