import Coding
import Replication
import SQLite
import Testing

@testable import LocalStore

/// How a mutation goes out: sealed in order, in bounds, past what stands in the way.
struct SealingTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    @Test(
        "a sealed batch is in flight, in the order of the queue, and tells where the device stands")
    func batch() throws {
        let first = try device.newInspection()
        let second = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.record) == [first, second])
        #expect(batch.mutations.map(\.operation) == [.insert, .insert])
        #expect(batch.clientNodeId == "node-a")
        #expect(batch.baton == nil && batch.pullPosition == nil)
        #expect(try device.store.status().inFlight == 2)
        #expect(try device.store.sealBatch() == nil)
        try device.finish()
    }

    @Test(
        "T31 an edit while its mutation is in flight begins a new one, the sealed one stays as it was"
    )
    func inFlight() throws {
        let id = try device.newInspection()
        try device.store.set([("doors", .integer(1))], on: id)
        let batch = try #require(try device.store.sealBatch())
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.recoverInFlight()
        let again = try #require(try device.store.sealBatch(limit: 1))
        #expect(again.mutations == batch.mutations)
        #expect(again.idempotencyKey == batch.idempotencyKey)
        #expect(again.mutations[0].changes["doors"]?.value == .integer(1))
        try device.store.recoverInFlight()
        try device.sync(server)
        #expect(server.records[id]?.fields["doors"]?.value == .integer(2))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("in-flight mutations return to pending after a crash, with the same ids and contents")
    func crash() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("x"))], on: id)
        let sent = try #require(try device.store.sealBatch())
        try device.reopen()
        #expect(try device.store.recoverInFlight() == 1)
        #expect(try device.store.sealBatch()?.mutations == sent.mutations)
        try device.finish()
    }

    @Test(
        "a batch has at most the limit and 1 MiB, but at least one mutation", arguments: [1, 3, 50])
    func bounds(limit: Int) throws {
        for _ in 0..<60 { _ = try device.newInspection() }
        let batch = try #require(try device.store.sealBatch(limit: limit))
        #expect(batch.mutations.count == limit)
        try device.store.recoverInFlight()
        let long = FieldValue.string(String(repeating: "é", count: 32_000))
        for row in try device.store.outbox() {
            try device.store.set([("notes", long), ("facility", long)], on: row.recordId)
        }
        let heavy = try #require(try device.store.sealBatch(limit: 50))
        let bytes = heavy.mutations.reduce(0) { $0 + $1.json.serialized().count }
        #expect(bytes <= 1 << 20)
        #expect(heavy.mutations.count == min(limit, 8) || heavy.mutations.count <= 50)
        try device.finish()
    }

    @Test("a record in conflict or behind a failure waits, everything else goes on")
    func obstacles() throws {
        let stuck = try device.acceptedInspectionOf(server)
        let failed = try device.acceptedInspectionOf(server)
        let free = try device.acceptedInspectionOf(server)
        for (id, status) in [(stuck, "CONFLICT"), (failed, "FAILED")] {
            try device.store.set([("doors", .integer(1))], on: id)
            try device.mark(id, status)
        }
        for id in [stuck, failed, free] { try device.store.set([("notes", .string("n"))], on: id) }
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.record) == [free])
        try device.finish()
    }

    @Test("fields in review wait, the other fields of the same edit go on")
    func inReview() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("pressure", .integer(160))], on: id)
        try device.mark(id, "IN_REVIEW")
        try device.store.set([("pressure", .integer(170)), ("notes", .string("n"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.columns) == [["notes"]])
        #expect(try device.value("pressure", of: id) == .integer(170))
        #expect(
            try device.queue(id) == [
                "UPDATE IN_REVIEW pressure=160 on -@0", "UPDATE IN_FLIGHT notes=n on -@0",
                "UPDATE PENDING pressure=170 on 160@0",
            ])
        #expect(try device.store.sealBatch() == nil)
        try device.finish()
    }

    @Test("a child waits for its parent, and goes in the same batch behind it")
    func parents() throws {
        let parent = try device.newInspection()
        let child = RecordID("child-1")
        try device.store.edit { database in
            try database.insertRecord(child, table: RecordTable.attachment, parent: parent)
            try database.write(.string("leak"), to: "text", of: child)
        }
        let alone = try #require(try device.store.sealBatch(limit: 1))
        #expect(alone.mutations.map(\.record) == [parent])
        #expect(try device.store.sealBatch() == nil)
        try device.store.recoverInFlight()
        let both = try #require(try device.store.sealBatch())
        #expect(both.mutations.map(\.record) == [parent, child])
        #expect(both.mutations[1].parent == parent)
        try device.store.apply(server.push(both), to: both)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T32 a parent with 105 children, edited afterwards: all 106 arrive")
    func manyChildren() throws {
        let parent = try device.newInspection()
        for number in 1...105 {
            try device.store.edit { database in
                let child = RecordID("child-\(number)")
                try database.insertRecord(child, table: RecordTable.attachment, parent: parent)
            }
        }
        try device.store.set([("notes", .string("last"))], on: parent)
        try device.sync(server)
        #expect(server.records.count == 106)
        #expect(server.records[parent]?.fields["notes"]?.value == .string("last"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T13 the number of pushes is exact", arguments: [0, 1, 49, 50, 51, 100])
    func pushes(count: Int) throws {
        for _ in 0..<count { _ = try device.newInspection() }
        var pushes = 0
        while let batch = try device.store.sealBatch() {
            try device.store.apply(server.push(batch), to: batch)
            pushes += 1
        }
        #expect(pushes == (count + 49) / 50)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("the fifth failure of its own makes a mutation FAILED, not before")
    func failures() throws {
        let id = try device.newInspection()
        for failure in 1...5 {
            let batch = try #require(try device.store.sealBatch())
            let isFailed = try device.store.countFailure(batch.mutations[0].id, error: "HTTP 500")
            #expect(isFailed == (failure == 5))
        }
        #expect(try device.store.sealBatch() == nil)
        let row = try #require(try device.store.outbox().first)
        #expect(row.status == "FAILED" && row.retryCount == 5 && row.lastError == "HTTP 500")
        try device.store.retry(row.mutationId)
        try device.sync(server)
        #expect(server.records[id] != nil)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a mutation that is too large is divided by its fields, and the values all arrive")
    func split() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set(
            [("notes", .string("n")), ("doors", .integer(1)), ("facility", .string("f"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        try device.store.set([("notes", .string("newer"))], on: id)
        #expect(try device.store.split(batch.mutations[0].id))
        let halves = try #require(try device.store.sealBatch())
        #expect(halves.mutations.map(\.columns.count).reduce(0, +) == 3)
        #expect(!halves.mutations.map(\.id).contains(batch.mutations[0].id))
        #expect(halves.mutations.allSatisfy { $0.columns.count < 3 })
        try device.store.recoverInFlight()
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("newer"))
        #expect(server.records[id]?.fields["facility"]?.value == .string("f"))
        try device.expectNothingPending(server)
        let single = try device.newInspection()
        _ = single
        try device.finish()
    }

    @Test("a deletion travels with the version that was deleted")
    func deletion() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.delete(id)
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.operation) == [.delete])
        #expect(batch.mutations[0].changes[Mutation.deletedField]?.baseVersion == 1)
        try device.store.apply(server.push(batch), to: batch)
        #expect(server.records[id]?.isDeleted == true)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a deletion rests on what was seen when it was made, whatever comes before it is sent")
    func deletionBase() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.delete(id)
        server.edit(id, ["notes": .string("theirs")])
        try device.pullAll(from: server)
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations[0].changes[Mutation.deletedField]?.baseVersion == 1)
        let answer = try server.push(batch)
        // Somebody has to look: it was deleted over a reading that nobody here had seen.
        #expect(answer.results.map(\.status) == [.merged])
        try device.store.apply(answer, to: batch)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what came under a waiting edit was not seen by whoever deletes, one's own change was")
    func deletionOverHidden() throws {
        let hidden = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: hidden)
        server.edit(hidden, ["notes": .string("theirs")])
        try device.pullAll(from: server)
        try device.store.delete(hidden)
        #expect(try device.queue(hidden).last == "DELETE PENDING @deleted=1 on -@1")
        let own = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        try device.store.set([("notes", .string("later"))], on: own)
        try device.store.apply(server.push(batch), to: batch)
        try device.store.delete(own)
        #expect(try device.queue(own).last == "DELETE PENDING @deleted=1 on -@1")
        try device.finish()
    }

    @Test("a deletion that is tried again keeps the version that it rested on")
    func deletionRetried() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.delete(id)
        server.edit(id, ["notes": .string("theirs")])
        try device.pullAll(from: server)
        let batch = try #require(try device.store.sealBatch())
        try device.store.fail(batch.mutations[0].id, error: "refused")
        try device.store.retry(batch.mutations[0].id)
        #expect(try device.queue(id) == ["DELETE PENDING @deleted=1 on -@1"])
        #expect(try device.store.history(of: id) == [])
        try device.finish()
    }
}

extension Device {
    /// An inspection that the server has, without a value.
    func acceptedInspectionOf(_ server: StoryServer) throws -> RecordID {
        let id = try newInspection()
        try sync(server)
        return id
    }
}

/// What runs often has to run on an index, also when thirty days of acknowledged rows are there.
struct QueryPlanTests {
    @Test(
        "the queue is read by the index of what waits",
        arguments: [BatchObstacles.rows, QueuedRow.following])
    func waitingRows(sql: String) throws {
        let device = try Device()
        let values = [DatabaseValue](repeating: .integer(1), count: sql.count { $0 == "?" })
        let plan = try device.store.reading.read { database in
            try database.query("EXPLAIN QUERY PLAN " + sql, values) { try $0.text(3) }
        }
        #expect(plan.contains { $0.contains("outbox_waiting") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") && !$0.contains("INDEX") }, "\(plan)")
        try device.finish()
    }

    @Test("what waits of a record that leaves the scope is found by the record")
    func beforeLoss() throws {
        let device = try Device()
        let plan = try device.store.writer.read { database in
            try database.query(
                "EXPLAIN QUERY PLAN " + Connection.sealingBeforeLoss, [.text("r"), .text("c")]
            ) { try $0.text(3) }
        }
        #expect(plan.contains { $0.contains("SEARCH") && $0.contains("outbox_by_record") })
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
        try device.finish()
    }
}
