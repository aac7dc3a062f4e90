import Coding
import Replication
import Testing

@testable import LocalStore

/// A site leaves the scope of a device on which edits wait, and the device hears of it before it
/// sends them: `pullPosition` tells the server which of them were entered before.
struct BeforeLossTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// How a device hears of it.
    enum News: CaseIterable {
        /// A page names the record as removed.
        case told
        /// A pull from the beginning does not bring it.
        case missed
    }

    /// - Returns: the cursors before and after.
    @discardableResult
    private func lose(
        _ ids: RecordID..., by news: News = .told
    ) throws -> (before: String?, after: String) {
        let before = try device.store.position().cursor
        server.edit("elsewhere", ["doors": .integer(1)])
        if news == .missed { try device.store.restartPull() }
        var page = try server.pull(device.store.pullRequest())
        page.deltaRecords.removeAll { ids.contains($0.id) }
        if news == .told { page.removed = ids }
        // What is left of the sites counts without them.
        page.digest = nil
        try device.store.apply(page: page)
        return (before, page.nextCursor)
    }

    private func park(_ batch: PushRequest) throws {
        var answer = try StoryServer().push(batch)
        answer.results = batch.mutations.map { mutation in
            Verdict(
                mutationId: mutation.id, status: .quarantined,
                conflicts: mutation.columns.map { column in
                    FieldConflict(
                        column: column, base: .null, mine: mutation.changes[column]?.value ?? .null,
                        theirs: .null, theirsNode: nil, rule: MergeRule.scope.rawValue)
                })
        }
        try device.store.apply(answer, to: batch)
    }

    private func refuse(_ batch: PushRequest) throws {
        var answer = try StoryServer().push(batch)
        answer.results = batch.mutations.map {
            Verdict(
                mutationId: $0.id, status: .rejected,
                error: WireError(code: "out_of_scope", message: "no such record"))
        }
        try device.store.apply(answer, to: batch)
    }

    @Test(
        "T88 an edit of before the loss goes under the cursor of before, one of after under its own",
        arguments: News.allCases)
    func edits(news: News) throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("before")), ("doors", .integer(1))], on: id)
        let cursors = try lose(id, by: news)
        try device.store.set([("notes", .string("after")), ("facility", .string("after"))], on: id)

        let first = try #require(try device.store.sealBatch())
        #expect(first.mutations.map(\.columns) == [["doors", "notes"]])
        #expect(first.mutations[0].changes["notes"]?.value == .string("before"))
        #expect(first.pullPosition == cursors.before && cursors.before != nil)
        try park(first)

        let second = try #require(try device.store.sealBatch())
        #expect(second.mutations.map(\.columns) == [["facility"]], "the notes are in review")
        #expect(second.pullPosition == cursors.after)
        try refuse(second)
        #expect(Set(try device.store.outbox().map(\.status)) == ["IN_REVIEW", "FAILED", "PENDING"])
        #expect(try device.value("notes", of: id) == .string("after"), "it is kept and shown")
        #expect(try device.value("facility", of: id) == .string("after"))
        try device.finish()
    }

    @Test(
        "T88 an inspection that was begun before its equipment was lost goes under the cursor of before",
        arguments: News.allCases)
    func begun(news: News) throws {
        server.edit("asset", ["@tag": .string("RT-1")], table: RecordTable.asset)
        try device.pullAll(from: server)
        let id = try device.store.createInspection(form: TestForm.id, version: "1", asset: "asset")
        try device.store.set([("notes", .string("before"))], on: id)
        let cursors = try lose("asset", by: news)
        #expect(try device.number("SELECT count(*) FROM record WHERE id = 'asset'") == 0)
        try device.store.set([("doors", .integer(2))], on: id)
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.operation) == [.insert])
        #expect(batch.mutations[0].changes["notes"]?.value == .string("before"))
        #expect(batch.mutations[0].changes["doors"] == nil, "that is of after")
        #expect(batch.pullPosition == cursors.before && cursors.before != nil)
        try device.finish()
    }

    @Test("T88 the news told twice makes no edit of after one of before")
    func toldTwice() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("before"))], on: id)
        let first = try lose(id)
        try device.store.set([("doors", .integer(2))], on: id)
        let second = try lose(id)
        try park(try #require(try device.store.sealBatch()))
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.columns) == [["doors"]])
        #expect(batch.pullPosition == second.after && second.before == first.after)
        try device.finish()
    }

    @Test("T88 what failed before the loss and is tried again after it is still of before")
    func retried() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("before"))], on: id)
        let refused = try #require(try device.store.sealBatch())
        try device.store.fail(refused.mutations[0].id, error: "refused")
        let cursors = try lose(id)
        try device.store.retry(refused.mutations[0].id)
        try device.store.set([("doors", .integer(2))], on: id)
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.mutations.map(\.columns) == [["notes"]])
        #expect(batch.pullPosition == cursors.before)
        try device.finish()
    }

    @Test("T88 in a bundle, too, what is of before the loss has a batch of its own")
    func bundled() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("before"))], on: id)
        let cursors = try lose(id)
        try device.store.set([("doors", .integer(2))], on: id)
        let plan = try device.store.sealForBundle()
        let requests = try plan.batches.map { try device.store.request(of: $0) }
        #expect(requests.map { $0.mutations.map(\.columns) } == [[["notes"]], [["doors"]]])
        #expect(requests.map(\.pullPosition) == [cursors.before, cursors.after])
        try device.finish()
    }

    @Test("T88 a rebuilt database still tells what is of before the loss")
    func rebuilt() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("before"))], on: id)
        try lose(id)
        let stored = "SELECT count(*) FROM __sync_outbox WHERE pull_position IS NOT NULL"
        #expect(try device.number(stored) == 1)
        try device.store.close()
        try device.rebuildClosed()
        #expect(try device.number(stored) == 1)
        try device.finish()
    }

    // MARK: What a supervisor decides about it

    /// A page that brings what was decided about a mutation of before.
    private func decide(
        _ id: MutationID, _ decisions: [FieldDecision], undecided: [FieldName] = []
    ) throws {
        var page = try server.pull(device.store.pullRequest())
        page.deltaRecords = []
        page.digest = nil
        page.results = [
            Verdict(
                mutationId: id, status: undecided.isEmpty ? .merged : .quarantined, version: 40,
                conflicts: undecided.map { column in
                    FieldConflict(
                        column: column, base: .null, mine: .null, theirs: .null, theirsNode: nil,
                        rule: MergeRule.scope.rawValue)
                }, decisions: decisions)
        ]
        try device.store.apply(page: PullResponse(json: .parse(page.json.serialized())))
    }

    /// A record with three answers that everybody knows, a reading in review that keeps it here, and
    /// new answers of before the loss that wait for a supervisor.
    private func parked() throws -> (record: RecordID, mutation: MutationID) {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("base"), "facility": .string("fbase")])
        try device.pullAll(from: server)
        server.edit(id, ["pressure": .integer(5)])
        try device.store.set([("pressure", .integer(6))], on: id)
        try device.sync(server)
        try device.store.set(
            [("notes", .string("xx")), ("facility", .string("ff")), ("doors", .integer(2))], on: id)
        try lose(id)
        let batch = try #require(try device.store.sealBatch())
        try park(batch)
        return (id, batch.mutations[0].id)
    }

    @Test("T88 what a supervisor decides otherwise is shown, and nobody has seen what stands there")
    func decided() throws {
        let (id, mutation) = try parked()
        let base = try device.number(
            "SELECT version FROM __sync_shadow WHERE record_id = '\(id)' AND name = 'facility'")
        try decide(
            mutation,
            [
                FieldDecision(column: "facility", value: .string("OFFICE")),
                FieldDecision(column: "notes"),
            ])
        #expect(try device.value("notes", of: id) == .string("base"), "what was confirmed")
        #expect(try device.value("facility", of: id) == .string("OFFICE"))
        #expect(try device.value("doors", of: id) == .integer(2), "taken as it was entered")
        let kept = "SELECT count(*) FROM __sync_history WHERE rule = 'scope'"
        #expect(try device.number(kept) == 2)
        try device.store.set([("facility", .string("ff2")), ("notes", .string("y"))], on: id)
        let batch = try #require(try device.store.sealBatch())
        let change = try #require(batch.mutations[0].changes["facility"])
        #expect(change.baseValue == .string("OFFICE") && change.baseVersion == base)
        #expect(base ?? 0 < 40)
        try device.finish()
    }

    @Test("T88 each decision is shown when it comes, while the others are still in review")
    func decidedOneByOne() throws {
        let (id, mutation) = try parked()
        try decide(mutation, [FieldDecision(column: "notes")], undecided: ["facility"])
        #expect(try device.value("notes", of: id) == .string("base"))
        #expect(try device.value("facility", of: id) == .string("ff"))
        let waiting = try device.store.outbox().filter { $0.mutationId == mutation }
        #expect(waiting.map(\.columns) == [["facility"]] && waiting[0].status == "IN_REVIEW")
        try decide(
            mutation,
            [
                FieldDecision(column: "facility", value: .null), FieldDecision(column: "notes"),
            ])
        #expect(try device.value("facility", of: id) == .null, "he has cleared it")
        #expect(try device.store.outbox().allSatisfy { $0.mutationId != mutation })
        try device.finish()
    }

    /// How a person gets what was held up before the loss on its way after it.
    enum Way: CaseIterable { case resolve, retry, edit }

    @Test(
        "T88 what was entered before the loss goes on without what was entered after it",
        arguments: Way.allCases)
    func heldUp(way: Way) throws {
        let id = try device.acceptedInspectionOf(server)
        if way == .resolve { server.edit(id, ["notes": .string("theirs")]) }
        try device.store.set([("notes", .string("mine"))], on: id)
        if way == .resolve {
            try device.pushAll(to: server)
        } else {
            let batch = try #require(try device.store.sealBatch())
            try device.store.fail(batch.mutations[0].id, error: "refused")
        }
        try device.store.set([("doors", .integer(5))], on: id)
        let cursors = try lose(id)
        try device.store.set([("facility", .string("after"))], on: id)
        switch way {
        case .resolve: try device.store.resolve(id, ["notes": .mine])
        case .retry:
            let failed = try #require(try device.store.outbox().first { $0.status == "FAILED" })
            try device.store.retry(failed.mutationId)
        case .edit: try device.store.set([("notes", .string("anew"))], on: id)
        }
        let before = try #require(try device.store.sealBatch())
        let columns = Set(before.mutations.flatMap(\.columns))
        #expect(before.pullPosition == cursors.before)
        #expect(columns == ["notes", "doors"])
        try park(before)
        let after = try #require(try device.store.sealBatch())
        #expect(after.pullPosition == cursors.after)
        #expect(after.mutations.flatMap(\.columns).contains("facility"))
        #expect(try device.value("facility", of: id) == .string("after"))
        try device.finish()
    }

    @Test("T88 what is decided of a conflict of before is one value, whenever it was entered")
    func conflictEnteredAnew() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("theirs")])
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.pushAll(to: server)
        let cursors = try lose(id)
        try device.store.set([("notes", .string("anew")), ("doors", .integer(5))], on: id)
        try device.store.resolve(id, ["notes": .mine])
        let before = try #require(try device.store.sealBatch())
        #expect(before.pullPosition == cursors.before)
        #expect(before.mutations.map(\.columns) == [["notes"]])
        #expect(before.mutations[0].changes["notes"]?.value == .string("anew"))
        #expect(try device.value("notes", of: id) == .string("anew"))
        try device.store.returnToQueue(before.mutations.map(\.id))
        try device.finish()
    }
}
