import Coding
import Replication
import SQLite
import Testing

@testable import LocalStore

/// Upgrades of the program over a store in which work waits, and peers that are a version ahead.
struct BarrierTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// The version after this one: a table more.
    private static let next = Schema.migrations.followed(by: [legacy])
    /// The one after that takes it away, and adds another.
    private static let afterNext = Schema.migrations.followed(by: [legacy, drop, later])
    private static let legacy = Migration("legacy") {
        try $0.execute("CREATE TABLE legacy (note TEXT)")
    }
    private static let drop = Migration("drop legacy", .destructive) {
        try $0.execute("DROP TABLE legacy")
    }
    private static let later = Migration("later") { try $0.execute("CREATE TABLE later (note)") }

    private func has(_ table: String) throws -> Bool {
        try device.number("SELECT count(*) FROM sqlite_master WHERE name = '\(table)'") == 1
    }

    @Test("T79 a table is dropped only when nothing waits; until then the store says so and works")
    func dropWaits() throws {
        try device.reopen(migrations: Self.next)
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("before"))], on: id)
        try device.reopen(migrations: Self.afterNext)
        #expect(try device.store.deferredMigrations() == ["drop legacy"])
        #expect(try device.store.status().deferredMigrations == ["drop legacy"])
        #expect(try (has("legacy"), has("later")) == (true, true))

        try device.store.set([("doors", .integer(2))], on: id)
        #expect(try device.store.crossBarrier() == false)
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("before"))
        #expect(try device.store.crossBarrier())
        #expect(try (has("legacy"), has("later")) == (false, true))
        #expect(try device.store.status().deferredMigrations == [])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "the barrier stays down for each kind of work that waits",
        arguments: ["PENDING", "IN_FLIGHT", "FAILED", "CONFLICT", "IN_REVIEW"])
    func kindsOfWork(status: String) throws {
        try device.reopen(migrations: Self.next)
        let id = try device.newInspection()
        try device.mark(id, status)
        try device.reopen(migrations: Self.afterNext)
        #expect(try has("legacy"))
        try device.accept(id, version: 1)
        try device.store.saveDraft("half a wor", of: "notes", in: id)
        #expect(try !device.store.crossBarrier(), "something was typed")
        try device.store.discardDraft(of: "notes", in: id)
        try device.reopen(migrations: Self.afterNext)
        #expect(try !has("legacy"))
        try device.finish()
    }

    @Test("T79 F01 the barrier stays down for work that only the journal still has")
    func workInJournal() throws {
        try device.reopen(migrations: Self.next)
        let id = try device.acceptedInspectionOf(server)
        let early = try device.image
        try device.store.set([("notes", .string("before"))], on: id)
        try device.store.close()
        try device.image.with(databaseOf: early).write(to: device.home)
        try device.reopen(closed: true, migrations: Self.afterNext)
        #expect(try device.waiting == 1)
        #expect(try device.store.deferredMigrations() == ["drop legacy"])
        try device.sync(server)
        #expect(try device.store.crossBarrier())
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T80 five hundred waiting rows of the old shape go out after the upgrade, then it goes on")
    func manyRows() throws {
        try device.reopen(migrations: Self.next)
        let ids = try (0..<500).map { _ in try device.newInspection() }
        try device.reopen(migrations: Self.afterNext)
        #expect(try device.waiting == 500)
        try device.sync(server)
        #expect(ids.allSatisfy { server.records[$0] != nil })
        try device.expectNothingPending(server)
        try device.reopen(migrations: Self.afterNext)
        #expect(try device.store.deferredMigrations() == [])
        try device.finish()
    }

    @Test("T83 a column more on many rows puts nothing into the queue")
    func addedColumn() throws {
        let id = try device.acceptedInspection()
        try device.store.settle { database in
            try database.execute(
                """
                WITH RECURSIVE number (n) AS (
                    SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
                INSERT INTO field (record_id, name, value, version)
                SELECT ?, 'row_' || n, n, 1 FROM number
                """, [.text(id.rawValue)])
        }
        let lamport = try device.store.position().lamport
        let step = Migration("unit") { try $0.execute("ALTER TABLE field ADD COLUMN unit TEXT") }
        try device.reopen(migrations: Schema.migrations.followed(by: [step]))
        #expect(try device.number("SELECT count(*) FROM field WHERE unit IS NULL") ?? 0 > 20_000)
        #expect(try device.store.outbox() == [])
        #expect(try device.store.position().lamport == lamport)
        try device.finish()
    }

    @Test(
        "T46 tables and fields of a newer server are kept as they came, and shown after an upgrade")
    func unknownTable() throws {
        let id = try device.acceptedInspectionOf(server)
        let permit = RecordID("permit-1")
        server.edit(permit, ["hot_work": .integer(1)], table: "permit", parent: id)
        server.edit(id, ["torque_nm": .double(40.5)])
        try device.sync(server)
        #expect(try device.store.digests() != [:])
        // The old program edits what it knows; what it does not know stays as it is.
        try device.store.set([("notes", .string("seen"))], on: id)
        try device.sync(server)
        #expect(server.records[id]?.fields["torque_nm"]?.value == .double(40.5))
        #expect(try device.value("torque_nm", of: id) == .double(40.5))

        let pulls = try device.store.position().cursor
        let step = Migration("permits") {
            try $0.execute(
                """
                CREATE VIEW permits AS SELECT id, value AS hot_work FROM record
                JOIN field ON record_id = id AND name = 'hot_work' WHERE table_name = 'permit'
                """)
        }
        try device.reopen(migrations: Schema.migrations.followed(by: [step]))
        #expect(try device.number("SELECT hot_work FROM permits WHERE id = 'permit-1'") == 1)
        #expect(try device.store.position().cursor == pulls, "nothing had to be fetched again")
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T82 devices one version apart work on the same inspections for a week",
        arguments: [false, true], [false, true])
    func versionsApart(isNew: Bool, isOtherNew: Bool) throws {
        let other = try Device(seed: 9, node: "node-c")
        if isNew { try device.reopen(migrations: Self.afterNext) }
        if isOtherNew { try other.reopen(migrations: Self.afterNext) }
        let id = try device.newInspection()
        try device.sync(server)
        for day in 1...7 {
            try other.pullAll(from: server)
            try device.store.set([("doors", .integer(Int64(day)))], on: id)
            try other.store.set([("notes", .string("day \(day)"))], on: id)
            // What only the newer version knows.
            server.edit(RecordID("permit-\(day)"), ["until": .integer(Int64(day))], table: "permit")
            server.edit(id, ["torque_nm": .integer(Int64(day))])
            try device.sync(server)
            try other.sync(server)
        }
        for device in [device, other] {
            try device.expectNothingPending(server)
            #expect(try device.store.conflicts().isEmpty)
            #expect(try device.value("doors", of: id) == .integer(7))
            #expect(try device.value("notes", of: id) == .string("day 7"))
            #expect(try device.value("torque_nm", of: id) == .integer(7))
            #expect(
                try device.number("SELECT count(*) FROM record WHERE table_name = 'permit'") == 7)
            try device.finish()
        }
    }
}
