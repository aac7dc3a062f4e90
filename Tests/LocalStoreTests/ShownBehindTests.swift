import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

/// What is shown is shown for what it is, also where it waits behind a decision.
@Suite("what waits behind a decision")
struct ShownBehindTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    @Test("T88 a reading behind one in review is pending, and what is in review stands beside it")
    func behindReview() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(110)])
        try device.store.set([("pressure", .integer(120))], on: id)
        try device.sync(server)
        var field = try #require(try device.store.inspection(id).fields["pressure"])
        #expect(field.value == .integer(120) && field.sync == .inReview && field.inReview == nil)
        try device.store.set([("pressure", .integer(125))], on: id)
        field = try #require(try device.store.inspection(id).fields["pressure"])
        #expect(field.value == .integer(125) && field.sync == .pending)
        #expect(field.inReview == .integer(120))
        #expect(try device.store.inspections().first { $0.id == id }?.sync == .inReview)
        let asked = try #require(try device.store.outbox().first { $0.status == "IN_REVIEW" })
        server.decide(asked.mutationId, on: id, takes: [:])
        try device.pullAll(from: server)
        field = try #require(try device.store.inspection(id).fields["pressure"])
        #expect(field.sync == .pending && field.inReview == nil)
        try device.finish()
    }

    @Test("what was deleted elsewhere and is undecided says so to every edit")
    func deletedElsewhere() throws {
        let id = try device.acceptedInspectionOf(server)
        server.delete(id)
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        let refusal = StoreError.deletedUndecided(id.rawValue)
        #expect(throws: refusal) { try device.store.set([("doors", .integer(1))], on: id) }
        #expect(throws: refusal) { try device.store.complete(id) }
        #expect(throws: refusal) { try device.store.reopen(id) }
        try device.store.resolve(id, ["notes": .theirs])
        #expect(throws: StoreError.unknownRecord(id.rawValue)) {
            try device.store.set([("doors", .integer(1))], on: id)
        }
        try device.finish()
    }
}
