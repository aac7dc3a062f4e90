import Coding
import Replication
import SQLite
import Testing

@testable import LocalStore

/// The batch that is put together while another one is under way.
struct PreparedBatchTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func inspections(_ count: Int) throws -> [RecordID] {
        try (0..<count).map { _ in try device.newInspection() }
    }

    @Test("it is sealed in the order of the queue, behind the one under way")
    func order() throws {
        let ids = try inspections(5)
        let first = try #require(try device.store.sealBatch(limit: 2))
        let next = try #require(
            try device.store.prepareBatch(behind: first, limit: 2, skipping: []))
        #expect(first.mutations.map(\.record) == Array(ids[0..<2]))
        #expect(next.mutations.map(\.record) == Array(ids[2..<4]))
        #expect(try device.store.status().inFlight == 4)
        try device.store.recoverInFlight()
        #expect(try device.store.sealBatch()?.mutations.map(\.record) == ids)
        try device.finish()
    }

    @Test("nothing of a record under way is in it, and no child of one")
    func apart() throws {
        let ids = try inspections(5)
        let first = try #require(try device.store.sealBatch(limit: 2))
        try device.store.set([("doors", .integer(1))], on: ids[0])
        let child = RecordID("finding-1")
        try device.store.edit { database in
            try database.execute(
                "INSERT INTO record (id, table_name, parent_id) VALUES (?, 'finding', ?)",
                [.text(child.rawValue), .text(ids[1].rawValue)])
        }
        let next = try #require(
            try device.store.prepareBatch(behind: first, limit: 3, skipping: []))
        #expect(next.mutations.map(\.record) == Array(ids[2..<5]))
        try device.store.recoverInFlight()
        try device.finish()
    }

    @Test("T13 where it would leave room for what has to wait, it is left to the next look")
    func room() throws {
        let ids = try inspections(3)
        let first = try #require(try device.store.sealBatch(limit: 2))
        try device.store.set([("doors", .integer(1))], on: ids[0])
        #expect(try device.store.prepareBatch(behind: first, limit: 2, skipping: []) == nil)
        #expect(try device.store.status().inFlight == 2)
        #expect(try device.store.prepareBatch(behind: first, limit: 1, skipping: []) != nil)
        try device.store.recoverInFlight()
        try device.finish()
    }

    @Test(
        "T85 after a crash something of the newest batch goes first, under the baton it went with")
    func goesFirst() throws {
        let ids = try inspections(6)
        let first = try #require(try device.store.sealBatch(limit: 2))
        let next = try #require(
            try device.store.prepareBatch(behind: first, limit: 2, skipping: []))
        let answer = PushResponse(
            results: [], baton: "b1", server: ServerState(lamport: 9, epoch: 0, timeUtc: ""))
        let going = try #require(try device.store.adopt(answer, before: next))
        #expect(going.baton == "b1" && going.mutations == next.mutations)
        #expect(going.document != next.document && going.idempotencyKey == next.idempotencyKey)
        try device.reopen()
        try device.store.recoverInFlight()
        let again = try #require(try device.store.sealBatch(limit: 2))
        #expect(again.baton == "b1")
        #expect(again.mutations.map(\.record) == [ids[2], ids[0]])
        let heard = PushResponse(
            results: [Verdict(mutationId: again.mutations[0].id, status: .held)], baton: "b2",
            server: ServerState(lamport: 9, epoch: 0, timeUtc: ""))
        try device.store.apply(heard, to: again)
        let after = try #require(try device.store.sealBatch(limit: 2))
        #expect(after.baton == "b2")
        #expect(after.mutations.map(\.record) == Array(ids[0..<2]), "nothing goes first any more")
        try device.store.recoverInFlight()
        try device.finish()
    }

    @Test("what goes first stays behind what makes its record")
    func inItsPlace() throws {
        let id = try device.newInspection()
        _ = try device.store.sealBatch()
        try device.store.set([("doors", .integer(1))], on: id)
        try device.store.recoverInFlight()
        try device.store.edit { database in
            let last = try database.first("SELECT max(seq_id) FROM __sync_outbox") { $0.value(0) }
            try database.setMetadata("goes_first", try #require(last))
        }
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.operation) == [.insert, .update])
        try device.store.recoverInFlight()
        try device.finish()
    }

    @Test("an answer of another epoch, or without a baton, has to be settled first")
    func settledFirst() throws {
        _ = try inspections(4)
        let first = try #require(try device.store.sealBatch(limit: 2))
        let next = try #require(
            try device.store.prepareBatch(behind: first, limit: 2, skipping: []))
        for (baton, epoch) in [("b1", Int64(7)), (nil, 0)] {
            let answer = PushResponse(
                results: [], baton: baton,
                server: ServerState(lamport: 9, epoch: epoch, timeUtc: ""))
            #expect(try device.store.adopt(answer, before: next) == nil)
        }
        #expect(try device.store.position().baton == nil)
        try device.store.recoverInFlight()
        try device.finish()
    }

    @Test("what is written once says the same as what is written when it goes")
    func document() throws {
        let id = try device.newInspection()
        try device.store.set([("notes", .string("\"x\",\n")), ("doors", .integer(1))], on: id)
        _ = try inspections(2)
        let batch = try #require(try device.store.sealBatch())
        #expect(try JSON.parse(batch.document) == batch.json)
        #expect(
            try PushRequest(json: JSON.parse(batch.document)).idempotencyKey
                == batch.idempotencyKey)
        var fewer = batch
        fewer.mutations.removeLast()
        #expect(try JSON.parse(fewer.document) == fewer.json)
        #expect(fewer.idempotencyKey != batch.idempotencyKey)
        try device.store.recoverInFlight()
        try device.finish()
    }
}
