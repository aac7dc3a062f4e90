package import Replication
internal import SQLite

/// Fields on the screen. A field that is being edited, or shown in a conflict review, counts as
/// waiting: a pulled value goes to its shadow, and the version that was shown stays its base.
extension DeviceStore {
    package func hold(_ fields: [FieldName], of id: RecordID) throws {
        try edit { database in
            for field in fields { try database.hold(field, of: id) }
        }
    }

    /// Lets the fields take what was confirmed meanwhile, unless a change of them waits.
    package func release(_ fields: [FieldName], of id: RecordID) throws {
        try settle { database in
            for field in fields {
                try database.execute(
                    "DELETE FROM __sync_held WHERE record_id = ? AND name = ?",
                    [.text(id.rawValue), .text(field)])
                try database.showConfirmedOrNewest(field, of: id)
            }
        }
    }
}

extension Connection {
    fileprivate func hold(_ field: FieldName, of id: RecordID) throws {
        let key: [DatabaseValue] = [.text(id.rawValue), .text(field)]
        try execute("INSERT OR IGNORE INTO __sync_held (record_id, name) VALUES (?, ?)", key)
        try keepShadow(of: field, in: id)
    }

    /// What stands in the field is what was confirmed: it goes to the shadow, unless one is there.
    func keepShadow(of name: FieldName, in id: RecordID) throws {
        let key: [DatabaseValue] = [.text(id.rawValue), .text(name)]
        try execute(
            """
            INSERT OR IGNORE INTO __sync_shadow
                (record_id, name, value, lamport, node, version, present)
            SELECT record_id, name, value, lamport, node, version, 1
            FROM field WHERE record_id = ? AND name = ?
            """, key)
        try execute(
            """
            INSERT OR IGNORE INTO __sync_shadow
                (record_id, name, value, lamport, node, version, present)
            VALUES (?, ?, NULL, 0, '', 0, 0)
            """, key)
    }

    func releaseAllHolds() throws {
        let held = try query("SELECT record_id, name FROM __sync_held") { row in
            (RecordID(try row.text(0)), try row.text(1))
        }
        guard !held.isEmpty else { return }
        try whileApplying {
            try execute("DELETE FROM __sync_held")
            for (id, field) in held { try showConfirmedOrNewest(field, of: id) }
        }
    }

    /// The same for all fields of a mutation that was settled; in one go where nothing else of its record
    /// waits or is on the screen, so that all its shadows are of these fields.
    func showSettled(_ fields: [FieldName], of id: RecordID) throws {
        let key: [DatabaseValue] = [.text(id.rawValue)]
        let isQuiet = try first(
            """
            SELECT NOT EXISTS (
                    SELECT 1 FROM __sync_outbox
                    WHERE record_id = ?1 AND status <> 'ACKNOWLEDGED')
                AND NOT EXISTS (SELECT 1 FROM __sync_held WHERE record_id = ?1)
            """, key
        ) { try $0.flag(0) }
        guard isQuiet ?? false, !fields.contains(Mutation.deletedField) else {
            for field in fields { try showSettled(field, of: id) }
            return
        }
        try execute(
            """
            UPDATE field SET (value, lamport, node, version) = (
                SELECT value, lamport, node, version FROM __sync_shadow AS shadow
                WHERE shadow.record_id = field.record_id AND shadow.name = field.name)
            WHERE record_id = ?1 AND name IN (
                SELECT name FROM __sync_shadow WHERE record_id = ?1)
            """, key)
        try execute(
            """
            INSERT INTO field (record_id, name, value, lamport, node, version)
            SELECT record_id, name, value, lamport, node, version FROM __sync_shadow AS shadow
            WHERE record_id = ?1 AND value IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM field WHERE record_id = ?1 AND name = shadow.name)
            """, key)
        try execute("DELETE FROM __sync_shadow WHERE record_id = ?", key)
    }

    /// After a verdict: what is on the screen stays, with the base that it was shown with, until it
    /// is let go.
    func showSettled(_ field: FieldName, of id: RecordID) throws {
        guard try !isHeld(field, of: id) else { return }
        try showConfirmedOrNewest(field, of: id)
    }

    private func isHeld(_ field: FieldName, of id: RecordID) throws -> Bool {
        try first(
            "SELECT 1 FROM __sync_held WHERE record_id = ? AND name = ?",
            [.text(id.rawValue), .text(field)]
        ) { _ in true } ?? false
    }

    /// Brings a field to what it shall show: the newest waiting value, else the confirmed one; then
    /// its shadow goes unless it is held. The newest is the one with the highest count: fields that
    /// were divided from an older mutation stand behind later ones. With the apply guard up.
    func showConfirmedOrNewest(_ field: FieldName, of id: RecordID) throws {
        guard field != Mutation.deletedField else { return try showDeletion(of: id) }
        let key: [DatabaseValue] = [.text(id.rawValue), .text(field)]
        let waits = try first(
            """
            SELECT value, lamport, base_version FROM __sync_waiting
            WHERE record_id = ? AND name = ? ORDER BY lamport DESC, seq_id DESC LIMIT 1
            """, key
        ) { $0.values }
        if let waits {
            try putField(key, value: waits[0], lamport: waits[1], node: nil, version: waits[2])
            return
        }
        let shadow = try first(
            "SELECT value, lamport, node, version FROM __sync_shadow WHERE record_id = ? AND name = ?",
            key
        ) { $0.values }
        guard let shadow else { return }
        try putField(
            key, value: shadow[0], lamport: shadow[1], node: shadow[2], version: shadow[3])
        if try isHeld(field, of: id) { return }
        try execute("DELETE FROM __sync_shadow WHERE record_id = ? AND name = ?", key)
    }

    /// A deletion has no row of its own, `record.is_deleted` shows it: what waits, else what the
    /// server says, which has a digest for every record in scope but a tombstone. What it never had
    /// stays as it is.
    private func showDeletion(of id: RecordID) throws {
        let waiting = try waitingDeletion(of: id)
        try execute(
            """
            UPDATE record SET is_deleted = coalesce(?2, digest IS NULL AND NOT EXISTS (
                    SELECT 1 FROM __sync_left WHERE record_id = record.id))
            WHERE id = ?1 AND (?2 IS NOT NULL OR version > 0)
            """, [.text(id.rawValue), waiting.map { DatabaseValue($0) } ?? .null])
        guard waiting == nil else { return }
        // Its INSERT waits still: given up was only that it should be gone.
        try execute(
            """
            UPDATE record SET is_deleted = 0 WHERE id = ?1 AND version = 0 AND EXISTS (
                SELECT 1 FROM __sync_outbox WHERE record_id = ?1
                    AND operation = 'INSERT' AND status <> 'ACKNOWLEDGED')
            """, [.text(id.rawValue)])
    }

    /// Whether the newest unsettled change of it deletes a record (or restores it); nil where none
    /// waits.
    func waitingDeletion(of id: RecordID) throws -> Bool? {
        try first(
            """
            SELECT value IS 1 FROM __sync_waiting WHERE record_id = ? AND name = ?
            ORDER BY lamport DESC, seq_id DESC LIMIT 1
            """, [.text(id.rawValue), .text(Mutation.deletedField)]
        ) { try $0.flag(0) }
    }

    /// Writes a whole register; a node of nil is this device's.
    private func putField(
        _ key: [DatabaseValue], value: DatabaseValue, lamport: DatabaseValue,
        node: DatabaseValue?, version: DatabaseValue
    ) throws {
        let node =
            try node ?? first("SELECT value FROM __sync_metadata WHERE key = 'node'") {
                $0.value(0)
            }
            ?? .null
        try execute(
            """
            UPDATE field SET value = ?, lamport = ?, node = ?, version = ?
            WHERE record_id = ? AND name = ?
            """, [value, lamport, node, version] + key)
        guard changes == 0, value != .null else { return }
        try execute(
            """
            INSERT INTO field (value, lamport, node, version, record_id, name)
            VALUES (?, ?, ?, ?, ?, ?)
            """, [value, lamport, node, version] + key)
    }
}
