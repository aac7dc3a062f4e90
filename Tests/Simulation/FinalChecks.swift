import Coding
import LocalStore
import Replication
import SQLite
import ServerStore

/// What holds when everything has come to rest.
struct FinalChecks {
    private let world: World

    init(_ world: World) { self.world = world }

    /// - Parameter isDecided: nothing waits for a person any more.
    func run(isDecided: Bool) throws {
        guard let reader = world.server.reader else { return }
        try world.oracle.checkCommitted(reader)
        try checkServer(reader)
        for device in world.devices {
            try world.check(device)
            try checkQueue(device, isDecided: isDecided)
            try RestoreChecks(world: world).check(device, reader)
            try checkParted(device)
            if isDecided { try Upgrades.checkEnd(device) }
            try checkCopy(device, reader, isDecided: isDecided)
        }
    }

    // MARK: The server

    private func checkServer(_ reader: Connection) throws {
        try expectNone(
            """
            SELECT id FROM record AS child WHERE parent_id IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM record WHERE id = child.parent_id)
            """, reader, "a record on the server is an orphan")
        try expectNone(
            """
            SELECT mutation_id FROM verdict WHERE status = 'quarantined'
                AND NOT EXISTS (
                    SELECT 1 FROM review WHERE review.mutation_id = verdict.mutation_id)
            """, reader, "a quarantined change is in no review")
        // A restored server has lost what was decided since its backup.
        if !world.server.isRestored {
            try expectNone(
                """
                SELECT later.record_id, later.name FROM review AS earlier
                JOIN review AS later ON later.record_id = earlier.record_id
                    AND later.name = earlier.name AND later.kind = earlier.kind
                    AND later.mine_node = earlier.mine_node
                    AND later.mine_lamport = earlier.mine_lamport
                    AND later.mine IS earlier.mine AND later.theirs IS earlier.theirs
                WHERE later.id <> earlier.id AND earlier.decision IS NOT NULL
                """, reader, "a supervisor is asked again what was decided")
        }
        try expectNone(
            """
            SELECT position FROM record WHERE position > (
                SELECT value FROM counter WHERE name = 'position')
            """, reader, "a record is ahead of the feed")
    }

    private func expectNone(_ sql: String, _ database: Connection, _ check: String) throws {
        let found = try database.query(sql) { row in row.values.map(\.words) }
        guard let first = found.first else { return }
        throw Violation(check, "\(first) and \(found.count - 1) others")
    }

    // MARK: Copied homes

    /// Of two devices with one past, each of which has sent what the other has not, each is a node of
    /// its own. (Both may send what they had in common.)
    private func checkParted(_ device: Handheld) throws {
        let mine = world.oracle.sent[device.node] ?? []
        for other in world.devices
        where other.account == device.account && other.index > device.index {
            let theirs = world.oracle.sent[other.node] ?? []
            let haveParted = !mine.isSubset(of: theirs) && !theirs.isSubset(of: mine)
            guard haveParted, device.speaksAs == other.speaksAs else { continue }
            throw Violation("two devices are one node", "\(device.node) and \(other.node)")
        }
    }

    // MARK: A device's queue

    private func checkQueue(_ device: Handheld, isDecided: Bool) throws {
        guard let store = device.store else { return }
        let rows = try store.outbox()
        if isDecided, let row = rows.first {
            throw Violation("something waits", "\(device.node): \(row.operation) \(row.status)")
        }
        try store.read { database in
            let waiting = try database.query(
                """
                WITH RECURSIVE blocked (id) AS (
                    SELECT record_id FROM __sync_outbox
                    WHERE status IN ('CONFLICT', 'FAILED', 'IN_REVIEW')
                    UNION
                    SELECT record.id FROM record JOIN blocked ON record.parent_id = blocked.id
                )
                SELECT record_id, status FROM __sync_outbox
                WHERE status IN ('PENDING', 'IN_FLIGHT')
                    AND (status = 'IN_FLIGHT' OR record_id NOT IN (SELECT id FROM blocked))
                """
            ) { (record: RecordID(try $0.text(0)), status: try $0.text(1)) }
            for row in waiting where !isHeld(row.record) {
                throw Violation(
                    "a change waits for nobody", "\(device.node): of \(row.record) \(row.status)")
            }
            try expectNone(
                """
                SELECT id FROM record AS child
                WHERE parent_id IS NOT NULL AND is_deleted = 0
                    AND NOT EXISTS (SELECT 1 FROM record WHERE id = child.parent_id)
                    AND NOT EXISTS (SELECT 1 FROM __sync_left WHERE record_id = child.id)
                    AND NOT EXISTS (
                        SELECT 1 FROM __sync_outbox
                        WHERE record_id = child.id AND status <> 'ACKNOWLEDGED')
                """, database, "a record is an orphan on \(device.node)")
        }
    }

    /// A restored server does not have the record yet: whoever made it has to decide on a conflict in
    /// it before it goes again, and what others entered is held for so long.
    private func isHeld(_ record: RecordID) -> Bool {
        world.server.isRestored && world.oracle.known[record]?.isKnown != true
    }

    // MARK: A device's copy

    /// What is confirmed on the device is what the server has in its scope; with nothing waiting,
    /// also what is shown.
    private func checkCopy(
        _ device: Handheld, _ reader: Connection, isDecided: Bool
    ) throws {
        guard let store = device.store else { return }
        let theirs = try serverCopy(Ground.team(device.account), reader)
        let mine = try store.read { try Self.confirmed($0) }
        try compare(mine, theirs, device, "what is confirmed")
        guard isDecided else { return }
        let held = try store.read { database in
            try database.first("SELECT count(*) FROM __sync_held") { try $0.integer(0) }
        }
        guard held == 0 else { return }
        try compare(try store.read { try Self.shown($0) }, theirs, device, "what is shown")
    }

    private typealias Copy = [String: [String: DatabaseValue]]

    private func compare(
        _ mine: Copy, _ theirs: Copy, _ device: Handheld, _ what: String
    ) throws {
        for id in Set(mine.keys).union(theirs.keys).sorted() where mine[id] != theirs[id] {
            let fields = Set(mine[id, default: [:]].keys).union(theirs[id, default: [:]].keys)
            let differing = fields.sorted().filter { mine[id]?[$0] != theirs[id]?[$0] }
            throw Violation(
                "\(what) is not what the server has",
                "\(device.node) \(id): here \(mine[id] != nil), there \(theirs[id] != nil),"
                    + " \(differing)")
        }
    }

    private func serverCopy(_ team: String, _ reader: Connection) throws -> Copy {
        try Self.copy(
            """
            SELECT record.id, name, value, record.version FROM record
            LEFT JOIN field ON field.record_id = record.id AND name <> '@deleted'
            WHERE is_deleted = 0 AND ((site_id <> '' AND site_id IN (
                    SELECT site_id FROM site_team JOIN team ON team.id = team_id
                    WHERE team.name = ?1))
                OR (site_id = '' AND team_id = (SELECT id FROM team WHERE name = ?1)))
            """, [.text(team)], reader)
    }

    private static func confirmed(_ database: Connection) throws -> Copy {
        try copy(
            """
            SELECT record.id, state.name, state.value, record.version FROM record
            LEFT JOIN (
                SELECT record_id, name, value FROM __sync_shadow
                UNION ALL
                SELECT record_id, name, value FROM field WHERE NOT EXISTS (
                    SELECT 1 FROM __sync_shadow AS shadow
                    WHERE shadow.record_id = field.record_id AND shadow.name = field.name)
            ) AS state ON state.record_id = record.id
            WHERE record.version > 0 AND record.digest IS NOT NULL
            """, [], database)
    }

    private static func shown(_ database: Connection) throws -> Copy {
        try copy(
            """
            SELECT record.id, name, value, record.version FROM record
            LEFT JOIN field ON field.record_id = record.id WHERE is_deleted = 0
            """, [], database)
    }

    private static func copy(
        _ sql: String, _ values: [DatabaseValue], _ database: Connection
    ) throws -> Copy {
        var copy: Copy = [:]
        try database.each(sql, values) { row in
            let id = try row.text(0)
            copy[id, default: [:]][" version"] = row.value(3)
            guard !row.isNull(1), !row.isNull(2) else { return }
            copy[id]?[try row.text(1)] = row.value(2)
        }
        return copy
    }
}

extension DatabaseValue {
    /// For a message: ids and names, no answers.
    fileprivate var words: String {
        switch self {
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .null, .real, .blob: "?"
        }
    }
}
