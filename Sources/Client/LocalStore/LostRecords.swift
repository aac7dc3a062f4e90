internal import Coding
internal import Replication
internal import SQLite

/// What was confirmed here and a restored server does not show: a reading that was here does not go
/// away silently because a backup is older. It is kept apart, in no list, view or digest, until the
/// server has it: from the device that made it, or from this one's copy (`Copies.swift`).
extension Connection {
    /// Of one record, what stands here as the server's word. The record's id is ?1. What nobody signed
    /// is none: a field that was typed and cleared before it was sent, or a stand-in.
    static let confirmedFields = """
        SELECT record_id, name, value, lamport, node, version FROM __sync_shadow
        WHERE record_id = ?1 AND present = 1 AND node <> ''
        UNION ALL
        SELECT record_id, name, value, lamport, node, version FROM field
        WHERE record_id = ?1 AND node <> '' AND name NOT IN (
            SELECT name FROM __sync_shadow WHERE record_id = ?1)
        """

    /// Keeps what was confirmed of a record before its copy is removed, also that something was cleared:
    /// whoever brings the record back may bring what was cleared. Not of one that was deleted.
    func keepLost(_ id: RecordID, nowUtc: String) throws {
        guard try isAlive(id) else { return }
        try keepRecord(id, nowUtc: nowUtc)
        let confirmed = try query(
            """
            SELECT name, value, lamport, node, version FROM (\(Self.confirmedFields))
            """, [.text(id.rawValue)]
        ) { (name: try $0.text(0), field: try WireRecord.Field(row: $0)) }
        for (name, field) in confirmed { try keep(field, name, of: id) }
    }

    /// Keeps the values that were confirmed of a record and that the server does not show, before
    /// what it shows takes their place, and those that say the same and came after what was overruled.
    /// Also those below a change that waits: that one may be given up, lose, or be added to what stands.
    /// The last word of one's own goes again by itself, also where it was
    /// entered under a node that this device had before.
    func keepUnshown(in shown: WireRecord, nowUtc: String) throws {
        guard try isAlive(shown.id) else { return }
        let confirmed = try query(
            """
            SELECT name, value, lamport, node, version FROM (\(Self.confirmedFields)) AS confirmed
            WHERE NOT EXISTS (
                SELECT 1 FROM __sync_waiting AS waiting
                WHERE waiting.record_id = confirmed.record_id AND waiting.name = confirmed.name
                    AND (waiting.lamport <= confirmed.lamport AND node IS (
                            SELECT value FROM __sync_metadata WHERE key = 'node')
                        OR waiting.value IS confirmed.value
                            AND waiting.lamport = confirmed.lamport AND EXISTS (
                                SELECT 1 FROM __sync_former AS former
                                WHERE former.record_id = confirmed.record_id
                                    AND former.name = confirmed.name
                                    AND former.lamport = confirmed.lamport)))
            """, [.text(shown.id.rawValue)]
        ) { (name: try $0.text(0), field: try WireRecord.Field(row: $0)) }
        let isOfOneEpoch = try knowsOneEpoch()
        // Not by their stamps: two copies of one device may have used one for two values.
        let unshown = confirmed.filter { name, field in
            field.value != shown.fields[name]?.value ?? .null
                || isOfOneEpoch && field.cameAfter(shown.fields[name])
        }
        guard !unshown.isEmpty else { return }
        try keepRecord(shown.id, nowUtc: nowUtc)
        for (name, field) in unshown { try keep(field, name, of: shown.id) }
    }

    /// The newest of what was lost of one field; beside it, what an earlier restore had lost and the
    /// server has not taken since.
    private func keep(_ field: WireRecord.Field, _ name: FieldName, of id: RecordID) throws {
        let values: [DatabaseValue] = [
            .text(id.rawValue), .text(name), DatabaseValue(field.value),
            .integer(field.stamp.lamport), .text(field.stamp.node.rawValue),
            .integer(field.version),
        ]
        try keepBeside(values)
        try execute(
            """
            INSERT OR REPLACE INTO __sync_lost_field
                (record_id, name, value, lamport, node, version)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (
                SELECT 1 FROM __sync_lost_field
                WHERE record_id = ?1 AND name = ?2 AND lamport >= ?4 AND refusal IS NOT '')
            """, values)
    }

    private func isAlive(_ id: RecordID) throws -> Bool {
        try first(
            "SELECT 1 FROM record WHERE id = ? AND is_deleted = 0", [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    private func keepRecord(_ id: RecordID, nowUtc: String) throws {
        let isPartial = DatabaseValue(try holdsOnlyFrame(of: id))
        try execute(
            """
            INSERT OR IGNORE INTO __sync_lost
                (record_id, table_name, parent_id, version, server_updated_at, server_epoch,
                    lost_at_utc, is_partial)
            SELECT id, table_name, parent_id, version, server_updated_at, (
                SELECT value FROM __sync_metadata WHERE key = 'server_epoch'), ?2, ?3
            FROM record WHERE id = ?1
            """, [.text(id.rawValue), .text(nowUtc), isPartial])
        // One that was archived in an earlier epoch may have come whole since, but not the other way.
        try execute(
            """
            UPDATE __sync_lost SET is_partial = 0
            WHERE record_id = ?1 AND is_partial = 1 AND ?2 = 0
            """, [.text(id.rawValue), isPartial])
    }

    /// The server shows the record: what of it is kept and stands there now need not be kept.
    func letGoShown(in shown: WireRecord) throws {
        // What was refused may be taken now that the record has changed.
        try execute(
            """
            UPDATE __sync_lost_field SET refusal = NULL WHERE record_id = ? AND refusal <> ''
            """, [.text(shown.id.rawValue)])
        try forgetRefusals(of: shown.id)
        try letGoBeside(shownIn: shown)
        let kept = try query(
            """
            SELECT name, value, lamport, node, version FROM __sync_lost_field WHERE record_id = ?
            """, [.text(shown.id.rawValue)]
        ) { (name: try $0.text(0), field: try WireRecord.Field(row: $0)) }
        let isOfOneEpoch = try knowsOneEpoch()
        for (name, field) in kept where shown.fields[name]?.value ?? .null == field.value {
            guard !isOfOneEpoch || !field.cameAfter(shown.fields[name]) else { continue }
            try letGoLost(name, of: shown.id)
        }
        try letGoEmpty(shown.id)
    }

    func letGoLost(_ name: FieldName, of id: RecordID) throws {
        try execute(
            "DELETE FROM __sync_lost_field WHERE record_id = ? AND name = ?",
            [.text(id.rawValue), .text(name)])
    }

    /// The server has taken it. Until a pull has come to its end after that it stays, though it is not
    /// offered: a server that is set back in between has lost it once more, and this device would not
    /// show it.
    func noteTaken(_ name: FieldName, of id: RecordID) throws {
        try execute(
            "UPDATE __sync_lost_field SET refusal = '' WHERE record_id = ? AND name = ?",
            [.text(id.rawValue), .text(name)])
    }

    /// What was taken before a pull that has come to its end is in what that pull brought, in the
    /// server's history or with a supervisor.
    func forgetTaken() throws {
        guard try keepsLost() else { return }
        let taken = try query(
            "SELECT DISTINCT record_id FROM __sync_lost_field WHERE refusal = ''"
        ) { RecordID(try $0.text(0)) }
        for id in taken {
            try execute(
                "DELETE FROM __sync_lost_field WHERE record_id = ? AND refusal = ''",
                [.text(id.rawValue)])
            try letGoEmpty(id)
        }
    }

    /// Forgets a record of which no value is kept any more.
    func letGoEmpty(_ id: RecordID) throws {
        try moveUpBeside(in: id)
        try execute(
            """
            DELETE FROM __sync_lost WHERE record_id = ?1 AND NOT EXISTS (
                SELECT 1 FROM __sync_lost_field WHERE record_id = ?1)
            """, [.text(id.rawValue)])
    }

    /// Of how many records something is kept so that the server has not taken.
    func lostRecords() throws -> Int {
        try first(
            """
            SELECT count(*) FROM __sync_lost AS lost WHERE EXISTS (
                    SELECT 1 FROM __sync_lost_field AS kept
                    WHERE kept.record_id = lost.record_id AND kept.refusal IS NOT '')
                OR EXISTS (
                    SELECT 1 FROM __sync_lost_beside AS kept
                    WHERE kept.record_id = lost.record_id)
            """
        ) { Int(try $0.integer(0)) } ?? 0
    }

    func keepsLost() throws -> Bool {
        try first("SELECT 1 FROM __sync_lost LIMIT 1") { _ in true } ?? false
    }

    /// Begins to count the time of those that came since.
    func noteLostSince(_ time: Int64) throws -> Bool {
        try execute(
            """
            UPDATE __sync_lost SET lost_since = ?1
            WHERE record_id IN (
                SELECT record_id FROM __sync_lost
                WHERE lost_since IS NULL OR lost_since > ?1 LIMIT 100)
            """, [.integer(time)])
        return changes > 0
    }

    func purgeLost(before instant: Int64) throws -> Bool {
        try execute(
            """
            DELETE FROM __sync_lost WHERE record_id IN (
                SELECT record_id FROM __sync_lost WHERE lost_since <= ? LIMIT 5)
            """, [.integer(instant)])
        return changes > 0
    }
}

extension WireRecord.Field {
    /// From a row of name, value, lamport, node and version.
    init(row: Row) throws {
        self.init(
            value: try row.fieldValue(1),
            stamp: Stamp(lamport: try row.integer(2), node: NodeID(try row.text(3))),
            version: try row.integer(4))
    }
}
