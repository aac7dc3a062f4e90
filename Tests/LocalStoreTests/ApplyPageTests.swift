import Coding
import Dispatch
import Replication
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

/// Pages: in slices, repeatable, under the inspector's edits, never ahead of themselves.
struct ApplyPageTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func publish(_ count: Int, fields: Int = 8) {
        for number in 0..<count {
            let values = (0..<fields).map { ("q\($0)", FieldValue.integer(Int64(number + $0))) }
            server.edit(RecordID("r\(number)"), Dictionary(uniqueKeysWithValues: values))
        }
    }

    @Test("T74 ten thousand pulled records leave the outbox empty")
    func noEcho() throws {
        publish(10_000, fields: 1)
        try device.pullAll(from: server)
        #expect(try device.number("SELECT count(*) FROM record") == 10_000)
        #expect(try device.store.outbox(all: true) == [])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T74 the apply guard falls with the transaction that a failure rolls back")
    func guardFalls() throws {
        publish(1)
        try device.store.writer.perform { database in
            try database.run(
                script: """
                    CREATE TEMP TRIGGER disk_fault BEFORE INSERT ON field WHEN NEW.record_id = 'r0'
                    BEGIN SELECT raise(ABORT, 'disk'); END
                    """)
        }
        #expect(throws: StoreError.self) { try device.pullAll(from: server) }
        #expect(try device.store.audit() == [])
        let id = try device.newInspection()
        #expect(try device.queue(id).count == 1)
        try device.store.writer.perform { try $0.run(script: "DROP TRIGGER disk_fault") }
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T37 stopped at any write of a pull, the cursor is never ahead of the applied rows")
    func everyWriteBoundary() throws {
        publish(20)
        server.edit(
            "large", Dictionary(uniqueKeysWithValues: (0..<150).map { ("f\($0)", .integer(1)) }))
        try device.faultAfterWrites()
        var limit = 0
        var completed = false
        while !completed {
            limit += 7
            try device.allowWrites(limit)
            do {
                try device.store.apply(page: try server.pull(device.store.pullRequest()))
                completed = true
            } catch StoreError.storage {
                #expect(try device.store.position().cursor == nil, "after \(limit) writes")
                #expect(try device.partialVersions() == 0, "after \(limit) writes")
            }
            try device.allowWrites(.max)
            #expect(try device.store.audit() == [], "after \(limit) writes")
        }
        #expect(try device.store.position().cursor == "21")
        #expect(try device.number("SELECT count(*) FROM field") == 20 * 8 + 150)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T52 the cursor is written once a page, and not at all for an empty one")
    func cursorWrites() throws {
        publish(100)
        try device.store.writer.perform { database in
            try database.run(
                script: """
                    CREATE TABLE cursor_write (n INTEGER);
                    CREATE TEMP TRIGGER cursor_written AFTER UPDATE ON __sync_metadata
                    WHEN NEW.key = 'cursor' BEGIN INSERT INTO cursor_write VALUES (1); END
                    """)
        }
        for _ in 0..<3 {
            try device.store.apply(page: try server.pull(device.store.pullRequest(), limit: 50))
        }
        #expect(try device.number("SELECT count(*) FROM cursor_write") == 2)
        #expect(try device.store.position().cursor == "100")
        try device.finish()
    }

    @Test("a pulled value under a waiting edit goes to the shadow; the edit and its base stay")
    func underAnEdit() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        server.edit(id, ["notes": .string("theirs"), "doors": .integer(3)])
        try device.pullAll(from: server)
        #expect(try device.value("notes", of: id) == .string("mine"))
        #expect(try device.value("doors", of: id) == .integer(3))
        #expect(try device.queue(id) == ["UPDATE PENDING notes=mine on -@0"])
        try device.sync(server)
        #expect(try device.store.conflicts(of: id).map(\.theirs) == [.string("theirs")])
        try device.store.resolve(id, ["notes": .value(.string("both"))])
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("both"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T11 the delta with our own write before the answer: nothing is missing afterwards")
    func deltaBeforeAnswer() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(1))], on: id)
        let batch = try #require(try device.store.sealBatch())
        let answer = try server.push(batch)
        server.edit(id, ["notes": .string("theirs")])
        try device.pullAll(from: server)
        try device.store.apply(answer, to: batch)
        #expect(try device.value("doors", of: id) == .integer(1))
        #expect(try device.value("notes", of: id) == .string("theirs"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a page that comes twice, or an older record, changes nothing")
    func repeated() throws {
        publish(30)
        let page = try server.pull(device.store.pullRequest())
        #expect(try device.store.apply(page: page).records == 30)
        server.edit("r1", ["q0": .integer(999)])
        try device.pullAll(from: server)
        #expect(try device.store.apply(page: page).records == 0)
        #expect(try device.value("q0", of: "r1") == .integer(999))
        try device.store.restartPull()
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a record larger than a slice gets its version with its last fields")
    func largeRecord() throws {
        let names = (0..<1_000).map { "f\($0)" }
        server.edit("big", Dictionary(uniqueKeysWithValues: names.map { ($0, .integer(1)) }))
        let plan = ApplyPlan(page: try server.pull(device.store.pullRequest()))
        #expect(plan.slices.count == 17)
        #expect(plan.slices.allSatisfy { $0.reduce(0) { $0 + $1.weight } <= ApplyPlan.sliceWeight })
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a field that the server cleared is empty, and the next edit of it meets nobody")
    func cleared() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("first"))], on: id)
        try device.sync(server)
        server.edit(id, ["notes": .null])
        try device.sync(server)
        #expect(try device.value("notes", of: id) == .null)
        try device.store.set([("notes", .string("again"))], on: id)
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("again"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("records that leave scope go, except those with work that waits")
    func removed() throws {
        publish(2)
        try device.pullAll(from: server)
        let busy = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: busy)
        var page = try server.pull(device.store.pullRequest())
        page.removed = ["r0", "r1", busy, "never-here"]
        page.digest = nil
        #expect(try device.store.apply(page: page).removed == 2)
        #expect(try device.number("SELECT count(*) FROM record") == 1)
        #expect(try device.number("SELECT count(*) FROM field WHERE record_id = 'r0'") == 0)
        #expect(try device.value("notes", of: busy) == .string("mine"))
        #expect(try device.store.digests().values.allSatisfy { $0 == SiteDigest() })
        try device.finish()
    }

    @Test("T47 a record that was deleted and comes again is here again")
    func deletedAndBack() throws {
        publish(1)
        try device.pullAll(from: server)
        server.delete("r0")
        try device.pullAll(from: server)
        #expect(try device.number("SELECT is_deleted FROM record") == 1)
        server.edit("r0", [Mutation.deletedField: .integer(0), "q0": .integer(5)])
        try device.pullAll(from: server)
        #expect(try device.number("SELECT is_deleted FROM record") == 0)
        #expect(try device.value("q0", of: "r0") == .integer(5))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("half a second after the last edit the log is in the file", .timeLimit(.minutes(10)))
    func checkpoint() throws {
        let before = try device.folder.bytes(of: "home/walkdown.db").count
        publish(200)
        try device.pullAll(from: server)
        while try device.folder.bytes(of: "home/walkdown.db").count == before { continue }
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T47 the same record twice in one page ends as the later version says")
    func twiceInOnePage() throws {
        publish(1)
        let before = try server.pull(device.store.pullRequest()).deltaRecords
        server.delete("r0")
        var page = try server.pull(device.store.pullRequest())
        page.deltaRecords = page.deltaRecords + before
        #expect(try device.store.apply(page: page).records == 2)
        #expect(try device.number("SELECT is_deleted FROM record") == 1)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("an edit that waits for the writer gets its turn between two slices")
    func editBetweenSlices() throws {
        let id = try device.acceptedInspectionOf(server)
        publish(400)
        let page = try server.pull(device.store.pullRequest())
        let store = device.store
        let finished = DispatchSemaphore(value: 0)
        let failure = Mutex<String?>(nil)
        DispatchQueue.global().async {
            do {
                _ = try store.apply(page: page)
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
            finished.signal()
        }
        while try device.number("SELECT count(*) FROM record") == 1 { continue }
        try store.set([("notes", .string("between"))], on: id)
        let recordsAtEdit = try device.number("SELECT count(*) FROM record") ?? 0
        finished.wait()
        let failed = failure.withLock { $0 }
        #expect(failed == nil)
        #expect(recordsAtEdit < 401)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }
}

extension Device {
    /// From now on every write of a pulled cell counts, and the one past the limit fails. By triggers
    /// of this connection alone: the audit knows which ones stand in the file.
    func faultAfterWrites() throws {
        let tables = ["field", "record", "__sync_digest"]
        let triggers = tables.flatMap { table in
            ["INSERT", "UPDATE"].map { event in
                """
                CREATE TEMP TRIGGER fault_\(table)_\(event) BEFORE \(event) ON \(table) BEGIN
                    SELECT raise(ABORT, 'disk')
                    WHERE (SELECT n FROM writes) >= (SELECT max_n FROM writes);
                    UPDATE writes SET n = n + 1;
                END;
                """
            }
        }
        try store.writer.perform { database in
            try database.run(
                script: "CREATE TABLE writes (n INTEGER, max_n INTEGER);"
                    + "INSERT INTO writes VALUES (0, 0);" + triggers.joined())
        }
    }

    func allowWrites(_ limit: Int) throws {
        try store.writer.perform { database in
            try database.execute(
                "UPDATE writes SET n = 0, max_n = ?", [.integer(Int64(limit))])
        }
    }

    /// Records that have a version and not all of their fields.
    func partialVersions() throws -> Int64? {
        try number(
            """
            SELECT count(*) FROM record WHERE version > 0 AND (
                SELECT count(*) FROM field WHERE record_id = id)
                < CASE id WHEN 'large' THEN 150 ELSE 8 END
            """)
    }
}
