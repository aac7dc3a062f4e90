import Coding
import Replication
import SQLite
import Testing

@testable import LocalStore

/// What a verdict does to the queue, the shadow and the screen.
struct VerdictTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    @Test("T02 an edit that lands between push and answer stays pending and reaches the server")
    func editDuringPush() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(1))], on: id)
        let batch = try #require(try device.store.sealBatch())
        let answer = try server.push(batch)
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.apply(answer, to: batch)
        #expect(try device.value("doors", of: id) == .integer(2))
        #expect(try device.store.status().pending == 1)
        try device.sync(server)
        #expect(server.records[id]?.fields["doors"]?.value == .integer(2))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T04 five rapid edits over slow answers end with the last and never meet themselves")
    func rapidEdits() throws {
        let id = try device.acceptedInspectionOf(server)
        for value in Int64(1)...5 {
            try device.store.set([("doors", .integer(value))], on: id)
            guard value.isMultiple(of: 2), let batch = try device.store.sealBatch() else {
                continue
            }
            let answer = try server.push(batch)
            try device.store.set([("doors", .integer(value * 10))], on: id)
            try device.store.apply(answer, to: batch)
        }
        try device.sync(server)
        #expect(server.records[id]?.fields["doors"]?.value == .integer(5))
        #expect(try device.store.conflicts() == [])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T16 the server commits and its answer is lost: one effect, and the row leaves the queue")
    func lostAnswer() throws {
        let id = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        _ = try server.push(batch)
        #expect(server.effects == 1)
        try device.reopen()
        try device.store.recoverInFlight()
        let again = try #require(try device.store.sealBatch())
        let answer = try server.push(again)
        #expect(answer.results.map(\.status) == [.applied], "the verdict that stands")
        try device.store.apply(answer, to: again)
        #expect(server.effects == 1)
        #expect(server.records[id]?.version == 1)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T01 the bookkeeping after an answer fails once: the row waits and is acknowledged by a repeat"
    )
    func failedBookkeeping() throws {
        _ = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        let answer = try server.push(batch)
        // Another connection's lock would be BUSY; a trigger that fails is the same to this code.
        try device.store.writer.perform { database in
            try database.run(
                script: """
                    CREATE TRIGGER disk_fault BEFORE UPDATE OF status ON __sync_outbox
                    WHEN NEW.status = 'ACKNOWLEDGED' BEGIN SELECT raise(ABORT, 'disk'); END
                    """)
        }
        #expect(throws: StoreError.self) { try device.store.apply(answer, to: batch) }
        #expect(try device.store.status().inFlight == 1)
        #expect(try device.store.status().failed == 0)
        try device.store.writer.perform { try $0.run(script: "DROP TRIGGER disk_fault") }
        try device.store.recoverInFlight()
        try device.sync(server)
        #expect(server.effects == 1)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a conflict keeps its field, everything else of the mutation is settled at once")
    func conflict() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs")])
        try device.store.set([("notes", .string("mine")), ("doors", .integer(4))], on: id)
        try device.pushAll(to: server)
        #expect(try device.queue(id) == ["UPDATE CONFLICT notes=mine on -@0"])
        let detail = try device.store.inspection(id)
        #expect(detail.fields["notes"] == .init(value: .string("mine"), sync: .conflict))
        #expect(detail.fields["doors"] == .init(value: .integer(4), sync: .synced))
        let conflict = try #require(detail.conflicts.first)
        #expect(conflict.theirs == .string("theirs") && conflict.theirsNode == "node-b")
        #expect(conflict.mine == .string("mine") && conflict.rule == "ask")
        #expect(detail.summary.sync == .conflict)
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("mine"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("M26 a value that lost by a rule beside a conflict is in the history, with the rule")
    func lostBesideConflict() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["health": .string("CRITICAL"), "notes": .string("theirs")])
        try device.store.set([("health", .string("OPTIMAL")), ("notes", .string("mine"))], on: id)
        try device.sync(server)
        #expect(try device.value("health", of: id) == .string("CRITICAL"))
        #expect(try device.store.conflicts(of: id).count == 1)
        let history = try device.store.history(of: id)
        #expect(history.map(\.field) == ["health"])
        #expect(history.map(\.value) == [.string("OPTIMAL")])
        #expect(history.map(\.rule) == [.rank])
        try device.finish()
    }

    @Test("M26 a value that lost is in the history also where the first answer was lost")
    func lostAndRepeated() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["health": .string("CRITICAL")])
        try device.store.set([("health", .string("OPTIMAL"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        _ = try server.push(batch)
        try device.store.recoverInFlight()
        try device.sync(server)
        #expect(try device.store.history(of: id).map(\.value) == [.string("OPTIMAL")])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("theirs taken leaves nothing to send")
    func theirs() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs")])
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        try device.store.resolve(id, ["notes": .theirs])
        #expect(try device.value("notes", of: id) == .string("theirs"))
        #expect(try device.store.history(of: id).map(\.value) == [.string("mine")])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a reading in review waits for the supervisor, whose decision comes by pull")
    func review() throws {
        for takesMine in [true, false] {
            let id = try device.acceptedInspectionOf(server)
            server.edit(id, ["pressure": .integer(150)])
            try device.store.set([("pressure", .double(160.5))], on: id)
            try device.sync(server)
            let row = try #require(try device.store.outbox().first)
            #expect(row.status == "IN_REVIEW" && row.columns == ["pressure"])
            #expect(try device.value("pressure", of: id) == .double(160.5))
            #expect(try device.store.inspection(id).summary.sync == .inReview)
            server.decide(
                row.mutationId, on: id, takes: takesMine ? ["pressure": .double(160.5)] : [:])
            try device.pullAll(from: server)
            #expect(
                try device.value("pressure", of: id)
                    == (takesMine ? .double(160.5) : .integer(150)))
            try device.expectNothingPending(server)
        }
        try device.finish()
    }

    @Test("a field in review and one in conflict of the same mutation are settled apart")
    func mixed() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150), "notes": .string("theirs")])
        try device.store.set([("pressure", .integer(160)), ("notes", .string("mine"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        try device.store.set([("notes", .string("newer"))], on: id)
        try device.store.apply(server.push(batch), to: batch)
        #expect(
            try device.queue(id) == [
                "UPDATE IN_REVIEW pressure=160 on -@0", "UPDATE CONFLICT notes=newer on -@0",
            ])
        #expect(try device.store.audit() == [])
        server.decide(batch.mutations[0].id, on: id, takes: [:])
        try device.pullAll(from: server)
        #expect(try device.value("pressure", of: id) == .integer(150))
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("newer"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a verdict that repeats what was moved to its own row settles the rest only")
    func mixedRepeated() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150), "notes": .string("theirs")])
        try device.store.set([("pressure", .integer(160)), ("notes", .string("mine"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        let answer = try server.push(batch)
        try device.store.apply(answer, to: batch)
        let before = try device.queue(id)
        try device.store.apply(answer, to: batch)
        #expect(try device.queue(id) == before)
        var decided = answer
        decided.results[0].conflicts.removeAll { $0.column == "pressure" }
        try device.store.apply(decided, to: batch)
        #expect(try device.queue(id).filter { !$0.contains("ACKNOWLEDGED") }.count == 1)
        #expect(try device.store.conflicts(of: id).map(\.column) == ["notes"])
        #expect(try device.store.status().inReview == 0)
        #expect(try device.store.audit() == [])
        try device.finish()
    }

    @Test(
        "T23 a refused mutation is failed with the server's reason, keeps its values, can go again")
    func rejected() throws {
        let id = try device.acceptedInspectionOf(server)
        server.refused["inspection"] = WireError(code: "out_of_scope", message: "Not your site.")
        try device.store.set([("notes", .string("kept"))], on: id)
        try device.sync(server)
        let row = try #require(try device.store.outbox().first)
        #expect(row.status == "FAILED")
        #expect(row.lastError == "out_of_scope: Not your site.")
        #expect(try device.value("notes", of: id) == .string("kept"))
        server.refused = [:]
        try device.store.retry(row.mutationId)
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("kept"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what a verdict holds goes back to pending and is judged again in the next cycle")
    func held() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs")])
        try device.store.set([("notes", .string("mine"))], on: id)
        let first = try #require(try device.store.sealBatch())
        try device.store.recoverInFlight()
        // Sealed, so that the next edit begins a mutation of its own; both go in one batch.
        try device.store.set([("notes", .string("more")), ("doors", .integer(2))], on: id)
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.count == 2 && batch.mutations[0] == first.mutations[0])
        let report = try device.store.apply(server.push(batch), to: batch)
        #expect(report.conflicts == 1 && report.held == 1)
        #expect(try device.store.sealBatch() == nil)
        #expect(try device.value("notes", of: id) == .string("more"))
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("more"))
        #expect(server.records[id]?.fields["doors"]?.value == .integer(2))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T20 what an answer does not name stays in the queue, and strangers in it do nothing")
    func unnamed() throws {
        _ = try device.newInspection()
        _ = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        var answer = try server.push(batch)
        let second = answer.results.removeLast()
        answer.results.append(Verdict(mutationId: "stranger", status: .applied))
        try device.store.apply(answer, to: batch)
        #expect(try device.store.outbox().map(\.mutationId) == [second.mutationId])
        #expect(try device.store.status().pending == 1)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("F27 an edit that meets a tombstone is offered back: restored, or let go")
    func tombstone() throws {
        for restores in [true, false] {
            let id = try device.acceptedInspectionOf(server)
            server.delete(id)
            try device.store.set([("notes", .string("mine"))], on: id)
            try device.sync(server)
            let listed = try #require(try device.store.inspections().first { $0.id == id })
            #expect(listed.sync == .conflict && listed.isDeleted)
            try device.store.resolve(id, ["notes": restores ? .mine : .theirs])
            try device.sync(server)
            #expect(server.records[id]?.isDeleted == !restores)
            #expect(try device.store.inspections().contains { $0.id == id } == restores)
            if restores {
                #expect(server.records[id]?.fields["notes"]?.value == .string("mine"))
            }
            try device.expectNothingPending(server)
        }
        try device.finish()
    }

    @Test("the baton of an answer travels with the next push, also where only part was settled")
    func baton() throws {
        _ = try device.newInspection()
        let first = try #require(try device.store.sealBatch())
        try device.store.apply(server.push(first), to: first)
        _ = try device.newInspection()
        #expect(try device.store.sealBatch()?.baton == "baton-1")
        try device.finish()
    }
}
