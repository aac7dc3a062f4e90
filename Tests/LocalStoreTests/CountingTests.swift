import Coding
import Forms
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

/// What is entered is counted, from the first moment and as long as it waits.
struct CountingTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    @Test("F03 after n answers there are n in the tables and n in the queue, at every step")
    func eachAnswerCounts() throws {
        let ids = try (0..<12).map { _ in try device.acceptedInspectionOf(server) }
        for (index, id) in ids.enumerated() {
            let count = index + 1
            try device.store.set([("doors", .integer(Int64(count)))], on: id)
            switch count {
            case 4: try device.store.store(form: try TestForm.coldChain)
            case 6: try device.store.store(form: try TestForm.withoutDoors)
            case 8: try device.reopen()
            case 10: try device.pullAll(from: server)
            default: break
            }
            #expect(try device.store.outbox().count == count)
            #expect(try device.store.status().pending == count)
            #expect(try device.waiting == Int64(count))
            for table in ["field", "__sync_outbox_field"] {
                let held = try device.number(
                    """
                    SELECT count(DISTINCT value) FROM \(table)
                    WHERE name = 'doors' AND value IS NOT NULL
                    """)
                #expect(held == Int64(count), "\(table)")
            }
        }
        try device.sync(server)
        #expect(
            ids.map { server.records[$0]?.fields["doors"]?.value } == (1...12).map { .integer($0) })
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "V26 whatever happens, the counter of what is unsent is the length of the queue",
        arguments: UInt64(1)...8)
    func counter(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var ids: [RecordID] = []
        for step in 0..<60 {
            if ids.count < 3 { ids.append(try device.newInspection()) }
            let id = random.pick(ids)
            let what = random.below(9)
            try Self.take(what, on: id, at: Int64(step), device, server)
            let queue = try device.store.outbox()
            let status = try device.store.status()
            #expect(status.unsynced == queue.count, "seed \(seed) step \(step): \(what)")
            #expect(try device.store.pullRequest().report.pending == Int64(queue.count))
            #expect(
                try device.waiting
                    == Int64(queue.count { ["PENDING", "IN_FLIGHT"].contains($0.status) }))
            #expect((status.oldestUnsyncedUtc == nil) == queue.isEmpty)
            #expect(queue.isEmpty || status.state != "synced")
        }
        try device.finish()
    }

    /// What a record's state does not allow is refused, and counts nothing.
    private static func take(
        _ what: Int, on id: RecordID, at step: Int64, _ device: Device, _ server: StoryServer
    ) throws {
        let store = device.store
        do {
            switch what {
            case 0, 1: try store.set([("doors", .integer(step))], on: id)
            case 2: try store.set([("notes", .string("mine \(step)"))], on: id)
            case 3: server.edit(id, ["notes": .string("theirs \(step)")])
            case 4: try device.pushAll(to: server)
            case 5: try device.pullAll(from: server)
            case 6:
                // The answer is lost.
                if let batch = try store.sealBatch() { _ = try server.push(batch) }
                if step.isMultiple(of: 2) { try store.recoverInFlight() }
            case 7:
                if let row = try store.outbox().last { try store.fail(row.mutationId, error: "x") }
            default:
                let failed = try store.outbox().first { $0.status == "FAILED" }
                if let failed { try store.retry(failed.mutationId) }
            }
        } catch is StoreError {
            return
        }
    }
}

extension TestForm {
    /// The next version, in which two questions are gone.
    static var withoutDoors: FormDefinition {
        get throws {
            let before = try coldChain
            return try FormDefinition(
                id: id, version: "2", title: before.title,
                sections: before.sections.map { section in
                    Section(
                        name: section.name, title: section.title,
                        questions: section.questions.filter {
                            !["doors", "notes"].contains($0.path)
                        })
                })
        }
    }
}

/// An inspection goes on with the form that it began with.
struct OldFormTests {
    private let device: Device

    init() throws { device = try Device() }

    @Test(
        "F09 F19 a draft outlives a power cut and a new version of its form, and goes on with its own"
    )
    func draft() throws {
        let server = StoryServer()
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(3))], on: id)
        try device.store.saveDraft("fros", of: "notes", in: id)
        try device.reopen()
        try device.store.store(form: try TestForm.withoutDoors)
        try device.sync(server)
        try device.reopen()
        #expect(try device.store.draft(of: "notes", in: id)?.text == "fros")
        let detail = try device.store.inspection(id)
        #expect(detail.summary.formVersion == "1")
        #expect(detail.answers == ["doors": .integer(3)])
        let form = try device.store.form(TestForm.id, version: "1").definition
        #expect(try form == TestForm.coldChain)
        try device.store.set([("notes", .string("frost")), ("doors", .integer(4))], on: id)
        let new = try device.store.createInspection(form: TestForm.id, version: "2", asset: nil)
        #expect(throws: StoreError.refused(.question, field: "doors")) {
            try device.store.set([("doors", .integer(1))], on: new)
        }
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("frost"))
        try device.expectNothingPending(server)
        try device.finish()
    }
}
