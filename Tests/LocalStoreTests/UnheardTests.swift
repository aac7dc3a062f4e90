import Coding
import Replication
import Testing

@testable import LocalStore

/// A batch whose answer never came may have been taken. What goes next says so, so that the server does
/// not take this device for a copy of itself.
@Suite("Batches that were not answered")
struct UnheardTests {
    private let device: Device
    private let server = StoryServer()

    init() throws {
        device = try Device()
        for _ in 0..<4 { _ = try device.newInspection() }
    }

    private func seal(skipping: Set<MutationID> = []) throws -> PushRequest {
        try #require(try device.store.sealBatch(limit: 1, skipping: skipping))
    }

    @Test("the next batch names what went before it, after the cycle and after the process")
    func overCycles() throws {
        let first = try seal()
        #expect(first.unheard == [])
        try device.store.recoverInFlight()
        let lost = try #require(first.mutations.first).id
        let second = try seal(skipping: [lost])
        #expect(second.unheard == [lost])
        try device.store.recoverInFlight()
        try device.reopen()
        let other = try #require(second.mutations.first).id
        let third = try seal(skipping: [lost, other])
        #expect(third.unheard == [lost, other])
        try device.store.recoverInFlight()
        #expect(
            try seal().unheard == [other, try #require(third.mutations.first).id],
            "what is in the batch itself needs no word")
        try device.store.recoverInFlight()
        try device.finish()
    }

    @Test("an answer ends it")
    func answered() throws {
        _ = try seal()
        try device.store.recoverInFlight()
        let batch = try seal()
        try device.store.apply(server.push(batch), to: batch)
        #expect(try seal().unheard == [])
        try device.store.recoverInFlight()
        try device.finish()
    }

    @Test("behind a batch that is answered later only the one under way is unheard")
    func prepared() throws {
        let known = try seal()
        try device.store.apply(server.push(known), to: known)
        let first = try seal()
        let next = try #require(
            try device.store.prepareBatch(behind: first, limit: 1, skipping: []))
        let response = try server.push(first)
        let sent = try #require(try device.store.adopt(response, before: next))
        #expect(sent.unheard == [])
        try device.store.apply(response, to: first)
        try device.store.recoverInFlight()
        let under = try #require(next.mutations.first).id
        #expect(try seal(skipping: [under]).unheard == [under])
        try device.store.recoverInFlight()
        try device.finish()
    }

    @Test("a database made anew from the journal names what was ready to go")
    func rebuilt() throws {
        let first = try seal()
        try device.store.recoverInFlight()
        try device.store.close()
        try device.rebuildClosed()
        let lost = try #require(first.mutations.first).id
        #expect(try seal(skipping: [lost]).unheard == [lost])
        try device.store.recoverInFlight()
        try device.finish()
    }
}
