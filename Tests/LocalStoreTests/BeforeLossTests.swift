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
}
