import Coding
import LocalStore
import Replication
import SQLite
import ServerStore

/// A server that is backed up while it works, and set back to an older backup, as `walkdownd backup`
/// and `walkdownd restore` do it.
final class ServerBackups {
    private unowned let world: World
    private var backups: [Backup] = []
    /// What a restore took, for devices that were down.
    private var unsettled: [Int: [Oracle.Accepted]] = [:]

    private struct Backup {
        var file: String
        var number: Int
        var epochs: ServerEpochs
    }

    init(_ world: World) { self.world = world }

    func happen() throws {
        let server = world.server
        guard server.isUp, !server.disk.hasStopped, !world.isServerFull else { return }
        // A backup may be an old one.
        if backups.isEmpty || server.isRestored || world.incidentDice.oneIn(2) {
            return try backUp()
        }
        try restore(world.incidentDice.pick(backups))
    }

    private func backUp() throws {
        let number = backups.count + 1
        let file = try world.server.backUp(number: number)
        backups.append(Backup(file: file, number: number, epochs: world.oracle.epochs))
        world.tell("the server is backed up (\(number))")
    }

    private func restore(_ backup: Backup) throws {
        world.beginEvent()
        let server = world.server
        server.disk.stop(after: nil)
        server.end()
        try server.restore(from: backup.file)
        try server.start()
        guard let reader = server.reader else { return }
        let lost = try world.oracle.restored(reader, remembering: backup.epochs)
        world.tell(
            "the server is restored from backup \(backup.number), without \(lost.count) changes")
        for device in world.devices {
            device.meetsRestoredServer = true
            unsettled[device.index, default: []] += lost.filter { $0.authors.contains(device.node) }
            try settle(device)
        }
    }

    /// The office imports once more what a restored server may have lost: nobody else can offer it.
    func repeatAssignments() throws {
        guard world.server.isRestored, let store = world.server.store,
            let reader = world.server.reader
        else { return }
        _ = try store.importAssignments(world.assignments)
        store.waitUntilIdle()
        try world.oracle.rememberAll(reader)
    }

    /// What this device entered, the restored server lost, and the device still has: it owes it.
    func settle(_ device: Handheld) throws {
        guard let store = device.store, !device.disk.hasStopped else { return }
        guard let owed = unsettled.removeValue(forKey: device.index) else { return }
        for lost in owed {
            for (name, change) in lost.mutation.changes where lost.standing.contains(name) {
                let key = FieldKey(record: lost.mutation.record, name: name)
                // What a clearing cleared is not there either: it changes nothing, and whoever brings
                // that value back later may not know of it.
                let isThere = world.oracle.known[key.record]?.fields[name] != nil
                guard isThere || !change.value.isNull,
                    try store.holds(key, change)
                else { continue }
                device.ledger.owe(
                    key, change, below: lost.mutation.parent, number: world.eventNumber)
            }
        }
        // Where another's word stood over an own one, the server's older state is shown until that word
        // is back.
        let own = try store.ownValues(device.speaksAs).merging(store.waitingValues()) { _, new in
            new
        }
        device.ledger.forgetShown(exceptOf: own)
        device.questions.forget()
        let known = world.oracle.known
        device.ledger.keepApart(try store.confirmedLiving().filter { known[$0] == nil })
        if world.mutant == .acknowledgedForgotten { try device.forgetAcknowledged() }
        if world.mutant == .deletionsForgotten { try device.forgetAcknowledged(only: "DELETE") }
    }
}

extension DeviceStore {
    /// Whether a change of a record in scope stands in the queue, settled or not; of a deletion, whether
    /// it is in force.
    fileprivate func holds(_ key: FieldKey, _ change: FieldChange) throws -> Bool {
        let isDeletion = key.name == Mutation.deletedField
        return try read { database in
            try database.first(
                """
                SELECT 1 FROM __sync_outbox AS outbox
                JOIN __sync_outbox_field AS entry ON entry.seq_id = outbox.seq_id
                JOIN record ON record.id = outbox.record_id
                WHERE record_id = ?1 AND name = ?2 AND entry.lamport = ?3 AND is_deleted = ?4
                    AND NOT EXISTS (SELECT 1 FROM __sync_left WHERE record_id = ?1)
                """,
                [
                    .text(key.record.rawValue), .text(key.name), .integer(change.lamport),
                    DatabaseValue(isDeletion),
                ]
            ) { _ in true } ?? false
        }
    }

    /// Whether a deletion of the record is still to be sent, perhaps behind a conflict.
    fileprivate func waitsToDelete(_ id: RecordID) throws -> Bool {
        try read { database in
            try database.first(
                "SELECT 1 FROM __sync_waiting WHERE record_id = ? AND name = '@deleted' LIMIT 1",
                [.text(id.rawValue)]
            ) { _ in true } ?? false
        }
    }

    /// The records that the server has confirmed, are in scope, and nobody has deleted.
    fileprivate func confirmedLiving() throws -> [RecordID] {
        try read { database in
            try database.query(
                """
                SELECT id FROM record WHERE version > 0 AND is_deleted = 0 AND digest IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM __sync_left WHERE record_id = record.id)
                """
            ) { RecordID(try $0.text(0)) }
        }
    }

    /// Whether the record is here: shown, or kept apart.
    fileprivate func keeps(_ id: RecordID) throws -> Bool {
        try read { database in
            try database.first(
                """
                SELECT 1 WHERE EXISTS (SELECT 1 FROM record WHERE id = ?1)
                    OR EXISTS (SELECT 1 FROM __sync_lost WHERE record_id = ?1)
                """, [.text(id.rawValue)]
            ) { _ in true } ?? false
        }
    }
}

/// What must hold at the end of a run in which the server was restored.
struct RestoreChecks {
    let world: World

    /// - Throws: `Violation` where a change that the server had accepted, and its device still had
    ///   after the restore, is nowhere; or a record that only devices had.
    func check(_ device: Handheld, _ reader: Connection) throws {
        guard let store = device.store else { return }
        let waiting = try store.waitingValues()
        for (key, owed) in device.ledger.owed {
            let hasAnswer = try isAccountedFor(key, owed, device, reader)
            let isWaiting =
                key.name == Mutation.deletedField
                ? try store.waitsToDelete(key.record) : waiting[key] == owed.value
            guard hasAnswer || isWaiting else {
                let standing = try reader.recordState(key.record)?.fields[key.name]
                throw Violation(
                    "an accepted change is lost by a restore",
                    "\(device.node) entered \(key.name) of \(key.record) as"
                        + " \(owed.value.plainText) at \(owed.lamport); there stands"
                        + " \(standing.map { "\($0.value.plainText) of \($0.stamp)" } ?? "none")")
            }
        }
        for id in device.ledger.apart.sorted() {
            guard try reader.recordState(id) == nil, try !store.keeps(id),
                try !reader.wasRefused(id)
            else { continue }
            throw Violation(
                "a record that the restored server lacks is gone", "\(id) from \(device.node)")
        }
    }

    /// The value stands, or a newer one does, or it came and a rule or a person decided, or the record
    /// was deleted.
    private func isAccountedFor(
        _ key: FieldKey, _ owed: Ledger.Owed, _ device: Handheld, _ reader: Connection
    ) throws -> Bool {
        let edit = Oracle.Edit(
            node: device.node, record: key.record, name: key.name, value: owed.value)
        if let number = world.oracle.settled[edit], number >= owed.number { return true }
        let entered = Oracle.Entered(
            record: key.record, name: key.name, value: owed.value, lamport: owed.lamport)
        let standing = Oracle.Standing(record: key.record, name: key.name, value: owed.value)
        if let number = world.oracle.stood[standing], number >= owed.number { return true }
        if try reader.hasOverwritten(entered) { return true }
        guard let record = try reader.recordState(key.record) else {
            return try key.name == Mutation.deletedField || reader.isLetGo(key.record)
        }
        if record.fields[Mutation.deletedField]?.value == .integer(1) { return true }
        guard let field = record.fields[key.name] else { return owed.value.isNull }
        return field.value == owed.value
            || field.stamp.node == device.speaksAs && field.stamp.lamport >= owed.lamport
    }
}

extension Connection {
    /// Whether a supervisor has decided that the record is not to be.
    fileprivate func isLetGo(_ record: RecordID) throws -> Bool {
        try first(
            "SELECT 1 FROM review WHERE record_id = ? AND decision IS NOT NULL LIMIT 1",
            [.text(record.rawValue)]
        ) { _ in true } ?? false
    }

    /// Whether its making, or that of one that it stood under, was refused because the site was another
    /// team's. What stood under it was offered to the server, which keeps what it was.
    fileprivate func wasRefused(_ record: RecordID) throws -> Bool {
        var next: RecordID? = record
        while let id = next {
            let isDecided = try first(
                """
                SELECT 1 FROM review
                WHERE record_id = ? AND kind = 'scope' AND decision IS NOT NULL LIMIT 1
                """, [.text(id.rawValue)]
            ) { _ in true }
            if isDecided != nil { return true }
            next =
                try first(
                    "SELECT document FROM parked WHERE record_id = ? LIMIT 1", [.text(id.rawValue)]
                ) { try Mutation(json: JSON.parse(Array(try $0.text(0).utf8))).parent } ?? nil
        }
        return false
    }

    /// Whether a value is on the server, where a rule decided against it or a person decides.
    fileprivate func hasOverwritten(_ entered: Oracle.Entered) throws -> Bool {
        try first(
            """
            SELECT 1 WHERE EXISTS (
                    SELECT 1 FROM history
                    WHERE record_id = ?1 AND name = ?2 AND value IS ?3 AND lamport = ?4)
                OR EXISTS (
                    SELECT 1 FROM review
                    WHERE record_id = ?1 AND name = ?2 AND mine IS ?3 AND mine_lamport = ?4)
            """,
            [
                .text(entered.record.rawValue), .text(entered.name),
                DatabaseValue(entered.value), .integer(entered.lamport),
            ]
        ) { _ in true } ?? false
    }
}
