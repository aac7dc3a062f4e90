import Coding
import Replication
import SQLite
import Testing

@testable import LocalStore

/// A verdict decides what it is about and nothing beside it, in whatever order it comes.
struct VerdictReachTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    @Test("M26 a value that a rule put aside stands in the history, with the rule")
    func lostValue() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["health": .string("CRITICAL")])
        try device.store.set([("health", .string("OPTIMAL")), ("doors", .integer(4))], on: id)
        try device.sync(server)
        #expect(try device.value("health", of: id) == .string("CRITICAL"))
        let history = try device.store.history(of: id)
        #expect(history.map(\.field) == ["health"])
        #expect(history.first?.value == .string("OPTIMAL") && history.first?.rule == .rank)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a decision that overtakes the lost answer settles nothing of the conflict beside it")
    func decisionBeforeAnswer() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150), "notes": .string("theirs")])
        try device.store.set([("pressure", .integer(160)), ("notes", .string("mine"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        _ = try server.push(batch)
        try device.store.recoverInFlight()
        server.decide(batch.mutations[0].id, on: id, takes: [:])
        try device.pullAll(from: server)
        #expect(try device.store.status().pending == 1)
        #expect(try device.value("notes", of: id) == .string("mine"))
        try device.pushAll(to: server)
        #expect(try device.store.conflicts().map(\.column) == ["notes"])
        #expect(try device.value("pressure", of: id) == .integer(150))
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("mine"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a later edit that was sent already stays the newest beside a conflict that was divided")
    func laterEditBehindDivision() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150), "notes": .string("theirs")])
        try device.store.set([("pressure", .integer(160)), ("notes", .string("mine"))], on: id)
        _ = try device.store.sealBatch()
        try device.store.recoverInFlight()
        try device.store.set([("notes", .string("newer"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.count == 2)
        try device.store.apply(server.push(batch), to: batch)
        #expect(try device.store.conflicts().map(\.mine) == [.string("newer")])
        try device.store.resolve(id, ["notes": .mine])
        #expect(try device.value("notes", of: id) == .string("newer"))
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("newer"))
        #expect(try device.store.conflicts() == [])
        server.decide(batch.mutations[0].id, on: id, takes: [:])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what *mine* shows in a conflict is what it would send")
    func laterEditInConflict() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs")])
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        try device.store.set([("notes", .string("later"))], on: id)
        #expect(try device.store.conflicts().map(\.mine) == [.string("later")])
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("later"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a conflict shows the other side's newest value, and what is decided is about that one")
    func newestTheirs() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("n1")])
        try device.store.set([("notes", .string("n2"))], on: id)
        try device.sync(server)
        let first = try device.store.conflicts()
        #expect(first.map(\.theirs) == [.string("n1")])
        server.edit(id, ["notes": .string("n1b")], by: "node-c")
        try device.sync(server)
        let second = try device.store.conflicts()
        #expect(second.map(\.theirs) == [.string("n1b")])
        #expect(second.map(\.theirsNode) == ["node-c"])
        for resolution in [Resolution.mine, .theirs, .value(.string("x"))] {
            #expect(throws: StoreError.changedSinceShown(["notes"])) {
                try device.store.resolve(
                    id, ["notes": resolution],
                    shown: Dictionary(
                        first.map { ($0.column, $0.theirs) }, uniquingKeysWith: { $1 }))
            }
        }
        #expect(try device.store.conflicts() == second)
        try device.store.resolve(
            id, ["notes": .mine],
            shown: Dictionary(second.map { ($0.column, $0.theirs) }, uniquingKeysWith: { $1 }))
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("n2"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("theirs that was taken away since the conflict is nothing, of nobody new")
    func theirsTakenAway() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("n1")])
        try device.store.set([("notes", .string("n2"))], on: id)
        try device.sync(server)
        server.edit(id, ["notes": .null])
        server.edit(id, ["facility": .string("elsewhere")])
        try device.sync(server)
        #expect(try device.store.conflicts().map(\.theirs) == [.null])
        try device.store.resolve(id, ["notes": .theirs])
        #expect(try device.value("notes", of: id) == .null)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("an answer does not change a field on the screen, nor the base of its next edit")
    func answerUnderHold() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("first"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        _ = try server.push(batch)
        server.edit(id, ["notes": .string("theirs")])
        try device.store.hold(["notes"], of: id)
        // The same batch again: acknowledged, with the record as a colleague has changed it since.
        try device.store.apply(server.push(batch), to: batch)
        #expect(try device.value("notes", of: id) == .string("first"))
        try device.store.set([("notes", .string("second"))], on: id)
        try device.store.release(["notes"], of: id)
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("theirs"))
        #expect(try device.store.conflicts().map(\.mine) == [.string("second")])
        try device.store.resolve(id, ["notes": .theirs])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a page that brings a decision is on the disk before its cursor is sent")
    func durableDecision() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150)])
        try device.store.set([("pressure", .integer(160))], on: id)
        try device.sync(server)
        let row = try #require(try device.store.outbox().first)
        try device.store.writer.perform { database in
            try database.run(script: "CREATE TEMP TABLE seen (level INTEGER)")
            try database.registerFunction("synchronous", arguments: 0, deterministic: false) {
                [unowned database] _ in
                try database.first("PRAGMA synchronous") { $0.value(0) } ?? .null
            }
            try database.run(
                script: """
                    CREATE TEMP TRIGGER cursor_written AFTER UPDATE ON __sync_metadata
                    WHEN NEW.key = 'cursor'
                    BEGIN INSERT INTO seen SELECT synchronous(); END
                    """)
        }
        server.edit("elsewhere", ["doors": .integer(1)])
        try device.pullAll(from: server)
        server.decide(row.mutationId, on: id, takes: [:])
        server.edit("elsewhere", ["doors": .integer(2)])
        try device.pullAll(from: server)
        let seen = try device.store.writer.read { database in
            try database.query("SELECT level FROM seen ORDER BY rowid") { try $0.integer(0) }
        }
        #expect(seen == [1, 2])
        try device.expectNothingPending(server)
        try device.finish()
    }

    /// An inspection with an answer, begun before its site was lost: what makes it is in review.
    private func parked() throws -> (id: RecordID, making: MutationID) {
        let id = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        let making = batch.mutations[0]
        let conflicts = making.columns.map { column in
            FieldConflict(
                column: column, base: .null, mine: making.changes[column]?.value ?? .null,
                theirs: .null, theirsNode: nil, rule: MergeRule.scope.rawValue)
        }
        var answer = try StoryServer().push(batch)
        answer.results = [
            Verdict(mutationId: making.id, status: .quarantined, conflicts: conflicts)
        ]
        try device.store.apply(answer, to: batch)
        return (id, making.id)
    }

    private func decide(_ making: MutationID, version: Int64) throws {
        var page = try server.pull(device.store.pullRequest())
        page.results = [Verdict(mutationId: making, status: .merged, version: version)]
        try device.store.apply(page: page)
    }

    @Test("T88 a record that waits for a supervisor keeps what makes it; let go, it goes")
    func makingInReview() throws {
        let (id, making) = try parked()
        #expect(try device.store.audit() == [])
        #expect(try device.store.outbox().map(\.operation) == ["INSERT"])
        #expect(try device.store.outbox().map(\.status) == ["IN_REVIEW"])
        try decide(making, version: 0)
        #expect(try device.store.outbox().isEmpty)
        #expect(try device.number("SELECT count(*) FROM record WHERE id = '\(id)'") == 0)
        try device.finish()
    }

    @Test("T88 a record in review is out of reach in a database made anew as well")
    func makingInReviewAnew() throws {
        let (id, making) = try parked()
        try device.rebuild()
        try device.pullAll(from: server)
        #expect(try device.store.outbox().map(\.status) == ["IN_REVIEW"])
        try decide(making, version: 1)
        #expect(try device.store.outbox().isEmpty)
        #expect(try device.number("SELECT count(*) FROM record WHERE id = '\(id)'") == 0)
        try device.finish()
    }

    @Test("T88 a record goes that was let go before its device heard of the review")
    func makingLetGoUnheard() throws {
        let id = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        var answer = try StoryServer().push(batch)
        answer.results = [
            Verdict(mutationId: batch.mutations[0].id, status: .merged, version: 0)
        ]
        try device.store.apply(answer, to: batch)
        #expect(try device.number("SELECT count(*) FROM record WHERE id = '\(id)'") == 0)
        try device.finish()
    }

    @Test("T88 a record that a supervisor took for another team goes with the last work on it")
    func makingTaken() throws {
        let (id, making) = try parked()
        try device.store.set([("notes", .string("later"))], on: id)
        try decide(making, version: 3)
        let later = try #require(try device.store.outbox().first)
        try device.store.fail(later.mutationId, error: "out_of_scope")
        try device.store.discard(later.mutationId)
        #expect(try device.number("SELECT count(*) FROM record WHERE id = '\(id)'") == 0)
        try device.finish()
    }

    @Test("T88 what was entered on a record that was let go is sent, for a supervisor to see")
    func laterThanMaking() throws {
        let (id, making) = try parked()
        try device.store.set([("notes", .string("later"))], on: id)
        #expect(try device.store.sealBatch() == nil, "it waits for the decision")
        try decide(making, version: 0)
        #expect(try device.store.audit() == [])
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.columns) == [["notes"]])
        #expect(batch.mutations.map(\.record) == [id])
        try device.finish()
    }

    @Test("what a conflict settled of a record that left the scope is shown, not what was before")
    func settledOutOfScope() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs")])
        try device.store.set([("facility", .string("first"))], on: id)
        _ = try device.store.sealBatch()
        try device.store.recoverInFlight()
        try device.store.set([("facility", .string("second")), ("notes", .string("mine"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        var answer = try server.push(batch)
        #expect(answer.results.map(\.status) == [.applied, .conflict])
        for index in answer.results.indices { answer.results[index].record = nil }
        try device.store.apply(answer, to: batch)
        #expect(try device.value("facility", of: id) == .string("second"))
        #expect(try device.value("notes", of: id) == .string("mine"))
        try device.store.resolve(id, ["notes": .theirs])
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a restoration that is given up leaves the record deleted")
    func restorationDiscarded() throws {
        let id = try device.acceptedInspectionOf(server)
        server.delete(id)
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        try device.store.resolve(id, ["notes": .mine])
        let restoring = try #require(try device.store.outbox().first).mutationId
        try device.store.fail(restoring, error: "refused")
        try device.store.discard(restoring)
        #expect(try device.store.inspections() == [])
        try device.expectNothingPending(server)
        try device.finish()
    }
}
