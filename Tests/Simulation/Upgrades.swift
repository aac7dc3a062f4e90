import Coding
import Inspections
import LocalStore
import Replication
import SQLite
import ServerStore
import Sync

/// Programs that follow each other in the field: the version before this one, this one, the next, and
/// the one after that. A home is upgraded with whatever waits in it, devices and server one version
/// apart work together, and what an upgrade takes away goes when nothing waits any more.
enum Program: Int, Comparable {
    case current
    /// Has a table more, and permits below inspections.
    case next
    /// Takes the table away again, and has a column more.
    case afterNext

    static func < (left: Program, right: Program) -> Bool { left.rawValue < right.rawValue }

    func migrations(_ mutant: Mutant?) -> Migrations {
        switch self {
        case .current: Schema.migrations
        case .next: Schema.migrations.followed(by: [Self.legacy, Self.tidy(mutant)])
        case .afterNext:
            Schema.migrations.followed(by: [Self.legacy, Self.tidy(mutant), Self.drop, Self.unit])
        }
    }

    /// What a batch says of the program that sends it.
    var schemaVersion: Int64 { Schema.version + (self == .current ? 0 : 1) }

    /// The server's next version, which is not ahead of a device's by more than one.
    static let serversNext: RecordModel = {
        var model = RecordModel.current
        model.version += 1
        model.parents[permit] = [RecordTable.inspection]
        return model
    }()

    /// A table that only the next version knows.
    static let permit = "permit"
    static let legacyTable = "next_legacy"

    private static let legacy = Migration("legacy") {
        try $0.execute("CREATE TABLE \(legacyTable) (note TEXT)")
    }
    private static let drop = Migration("drop legacy", .destructive) {
        try $0.execute("DROP TABLE \(legacyTable)")
    }
    private static let unit = Migration("unit") {
        try $0.execute("ALTER TABLE field ADD COLUMN unit TEXT")
    }

    private static func tidy(_ mutant: Mutant?) -> Migration {
        Migration("tidy") { database in
            guard mutant == .carelessMigration else { return }
            try database.execute(
                "DELETE FROM __sync_outbox WHERE status NOT IN ('ACKNOWLEDGED', 'IN_FLIGHT')")
        }
    }
}

extension Program {
    /// A call as this version makes it.
    func speaking(_ call: WireCall) -> WireCall {
        guard self != .current, call.path.hasSuffix("/push"), let body = call.body,
            let json = try? JSON.parse(body), var request = try? PushRequest(json: json)
        else { return call }
        request.schemaVersion = schemaVersion
        request.mutations = request.mutations.map { mutation in
            var mutation = mutation
            if mutation.table == Self.permit { mutation.schemaVersion = schemaVersion }
            return mutation
        }
        var call = call
        call.body = request.json.serialized()
        return call
    }
}

/// Upgrades devices and the server, one step at a time.
final class Upgrades {
    private unowned let world: World
    private var permits = 0

    init(_ world: World) { self.world = world }

    func happen() throws {
        if world.incidentDice.oneIn(4) { return try upgradeServer() }
        let running = world.devices.filter { $0.isUp && !$0.disk.hasStopped }
        guard !running.isEmpty else { return }
        let device = world.incidentDice.pick(running)
        if device.program != .current, world.incidentDice.oneIn(2) { return try makePermit(device) }
        try upgrade(device)
    }

    private func upgradeServer() throws {
        let server = world.server
        guard server.isUp, !server.disk.hasStopped, !world.isServerFull,
            server.model.version == RecordModel.current.version
        else { return }
        server.disk.stop(after: nil)
        server.end()
        server.model = Program.serversNext
        try server.start()
        world.tell("the server is upgraded")
    }

    private func upgrade(_ device: Handheld) throws {
        guard let program = Program(rawValue: device.program.rawValue + 1) else { return }
        let isOlder = device.program == .current && world.incidentDice.oneIn(2)
        device.end()
        // Closing can be what a machine stops in.
        guard !device.disk.hasStopped else { return world.startLater(device) }
        if isOlder, !world.isFull(device), try takeBack(device) {
            world.tell("\(device.node) was left by the version before, and is upgraded to this one")
        } else {
            device.program = program
            world.tell("\(device.node) is upgraded to \(program)")
        }
        world.startLater(device)
    }

    private func takeBack(_ device: Handheld) throws -> Bool {
        do {
            return try device.takeToPreviousSchema()
        } catch {
            // The machine stops in it.
            guard device.disk.hasStopped else { throw error }
            return false
        }
    }

    /// What only the next version enters.
    private func makePermit(_ device: Handheld) throws {
        guard let store = device.store, !device.isHeld, !world.isFull(device) else { return }
        let parent = try store.read { database in
            try database.first(
                """
                SELECT id FROM record WHERE table_name = 'inspection' AND is_deleted = 0
                    AND version > 0 ORDER BY id
                """
            ) { try $0.text(0) }
        }
        guard let parent else { return }
        permits += 1
        do {
            let id = UUIDText.version4(using: &world.incidentDice)
            _ = try store.sql(
                """
                INSERT INTO record (id, table_name, parent_id)
                VALUES ('\(id)', '\(Program.permit)', '\(parent)')
                """, write: true)
            _ = try store.sql(
                """
                INSERT INTO field (record_id, name, value) VALUES ('\(id)', 'until', \(permits))
                """, write: true)
            world.tell("\(device.node) gives permit \(id)")
            device.wake(.edited)
        } catch let error as StoreError {
            guard case .refused = error else {
                guard device.disk.hasStopped else { throw error }
                return
            }
        }
    }

    // MARK: Checks

    /// After a start: what a later version takes away is there as long as the store says so.
    func check(_ device: Handheld) throws {
        guard world.faults.isPlanned(.migration), let store = device.store,
            !device.disk.hasStopped
        else { return }
        guard device.program == .afterNext,
            try store.hasLegacy() == store.deferredMigrations().isEmpty
        else { return }
        throw Violation("a step waits, or does not, and nobody says so", "\(device.node)")
    }

    /// With nothing waiting nothing keeps an upgrade back.
    static func checkEnd(_ device: Handheld) throws {
        guard let store = device.store, device.program == .afterNext else { return }
        guard try store.crossBarrier(), try !store.hasLegacy() else {
            throw Violation(
                "an upgrade is not finished",
                "\(device.node): \(try store.deferredMigrations()), "
                    + "\(try store.outbox().count) wait, drafts \(try store.status().drafts)")
        }
    }
}

extension DeviceStore {
    fileprivate func hasLegacy() throws -> Bool {
        try read { database in
            try database.first(
                "SELECT 1 FROM sqlite_master WHERE name = ?", [.text(Program.legacyTable)]
            ) { _ in true } ?? false
        }
    }
}

extension Connection {
    /// Takes the newest migrations of this program back, so that the file is what the version before
    /// would have left; nothing where the file holds what that version does not know.
    func takeBackNewestMigrations() throws -> Bool {
        let isNewer = try first(
            """
            SELECT EXISTS (SELECT 1 FROM __sync_lost)
                OR EXISTS (SELECT 1 FROM __sync_left WHERE is_lost = 1)
                OR EXISTS (SELECT 1 FROM __sync_archived WHERE is_wanted = 1)
                OR EXISTS (SELECT 1 FROM __sync_former)
                OR EXISTS (SELECT 1 FROM __sync_asked_again)
                OR EXISTS (
                    SELECT 1 FROM __sync_outbox
                    WHERE pull_position IS NOT NULL OR in_bundle IS NOT NULL)
                OR (SELECT name FROM schema_migration ORDER BY position DESC LIMIT 1) IS NOT ?
            """, [.text(Self.newest[0])]
        ) { try $0.flag(0) }
        guard isNewer == false else { return false }
        try transaction {
            try run(
                script: """
                    CREATE TEMP TABLE left_before AS SELECT record_id FROM __sync_left;
                    DROP INDEX record_deleted;
                    CREATE TEMP TABLE archived_before AS SELECT record_id FROM __sync_archived;
                    DROP TABLE __sync_archived;
                    CREATE TABLE __sync_archived (record_id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
                    INSERT INTO __sync_archived SELECT record_id FROM archived_before;
                    DROP TABLE archived_before;
                    DROP INDEX outbox_bundled;
                    DROP TABLE __sync_lost_beside;
                    DROP TABLE __sync_asked_again;
                    DROP TABLE __sync_former;
                    DROP TABLE __sync_lost_field;
                    DROP TABLE __sync_lost;
                    DROP TABLE __sync_left;
                    CREATE TABLE __sync_left (record_id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
                    INSERT INTO __sync_left SELECT record_id FROM left_before;
                    DROP TABLE left_before;
                    """)
            for name in Self.newest {
                try execute("DELETE FROM schema_migration WHERE name = ?", [.text(name)])
            }
        }
        try takeBackColumns(["pull_position TEXT", "in_bundle INTEGER"], of: "__sync_outbox")
        return true
    }

    /// The oldest SQLite that counts cannot drop a column. Those at the end of a table may go from its
    /// definition: what rows say beyond it is not read.
    private func takeBackColumns(_ columns: [String], of table: String) throws {
        try execute("PRAGMA writable_schema = 1")
        for column in columns {
            try execute(
                "UPDATE sqlite_master SET sql = replace(sql, ?, '') WHERE name = ?",
                [.text(", " + column), .text(table)])
        }
        try execute("PRAGMA writable_schema = 0")
    }

    /// The last first: those that came with the kept records of a restored server.
    private static let newest = [
        "values that are kept beside others", "reviews that are asked for again",
        "versions of what is offered again",
        "finding what stands in a bundle", "copies that were refused alone",
        "what stands in a bundle", "what is kept in part", "edits from before a loss of scope",
        "answers that are wanted again", "copies for a restored server",
        "records that a restored server lacks",
    ]
}
