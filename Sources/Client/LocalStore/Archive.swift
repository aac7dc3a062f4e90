internal import Inspections
internal import Replication
internal import SQLite

/// Records that are settled for good. A tombstone goes whole. An inspection that has long been
/// finished leaves its answers: what stays of it and of the records below it is what the digest of
/// its site is made of, and the built-in fields that lock it. It is in no list any more; a newer
/// version from the server makes it whole again.
extension Connection {
    /// Made whole by a page.
    func noteWhole(_ id: RecordID) throws {
        try execute("DELETE FROM __sync_archived WHERE record_id = ?", [.text(id.rawValue)])
    }

    func archivedRecords() throws -> Set<RecordID> {
        try Set(query("SELECT record_id FROM __sync_archived") { RecordID(try $0.text(0)) })
    }

    /// Tombstones that a cursor has passed. One with records below it stays: their place in the sum
    /// of the site hangs on it. One whose cursor is not written yet would come again.
    func purgeTombstones() throws -> Bool {
        guard try metadataText("cursor") != nil else { return false }
        let gone = try query(
            """
            SELECT id FROM record
            WHERE is_deleted = 1 AND version > 0 AND digest IS NULL
                AND NOT EXISTS (SELECT 1 FROM record AS child WHERE child.parent_id = record.id)
                AND NOT EXISTS (SELECT 1 FROM __sync_left WHERE record_id = record.id)
                AND NOT EXISTS (SELECT 1 FROM __sync_held WHERE record_id = record.id)
                AND NOT EXISTS (SELECT 1 FROM draft WHERE record_id = record.id)
                AND NOT EXISTS (
                    SELECT 1 FROM __sync_outbox
                    WHERE record_id = record.id AND status <> 'ACKNOWLEDGED')
            LIMIT 5
            """
        ) { RecordID(try $0.text(0)) }
        for id in gone { try removeCopy(of: id) }
        return !gone.isEmpty
    }

    /// Begins to count where an inspection is finished, and anew where it has changed since.
    func noteFinished(at time: Int64) throws -> Bool {
        try execute(
            "UPDATE __sync_finished SET since = ?1 WHERE since > ?1", [.integer(time)])
        try execute(
            """
            DELETE FROM __sync_finished WHERE record_id NOT IN (
                SELECT finished.record_id FROM __sync_finished AS finished
                JOIN record ON record.id = finished.record_id
                    AND record.version = finished.version
                JOIN field ON field.record_id = record.id AND field.name = ?1
                    AND field.value IN (?2, ?3))
            """, Self.finishedStates)
        try execute(
            """
            INSERT INTO __sync_finished (record_id, version, since)
            SELECT id, record.version, ?4 FROM record
            JOIN field ON field.record_id = record.id AND field.name = ?1
                AND field.value IN (?2, ?3)
            WHERE table_name = 'inspection' AND is_deleted = 0 AND digest IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM __sync_finished WHERE record_id = id)
                AND NOT EXISTS (SELECT 1 FROM __sync_archived WHERE record_id = id)
            LIMIT 100
            """, Self.finishedStates + [.integer(time)])
        return changes > 0
    }

    private static let finishedStates: [DatabaseValue] = [
        .text(BuiltInField.state), .text(InspectionState.complete.rawValue),
        .text(InspectionState.approved.rawValue),
    ]

    func archiveFinished(before instant: Int64) throws -> Bool {
        let old = try query(
            "SELECT record_id FROM __sync_finished WHERE since <= ? ORDER BY since LIMIT 1",
            [.integer(instant)]
        ) { RecordID(try $0.text(0)) }
        for id in old {
            let family = try family(of: id)
            let isQuiet = try !family.contains { try holdsWork($0) || isShown($0) }
            if isQuiet { for member in family { try archive(member) } }
            // One with work on it counts from the beginning: it is being used.
            try execute("DELETE FROM __sync_finished WHERE record_id = ?", [.text(id.rawValue)])
        }
        return !old.isEmpty
    }

    /// A record and all that stand below it.
    private func family(of id: RecordID) throws -> [RecordID] {
        try query(
            """
            WITH RECURSIVE family (id, depth) AS (
                SELECT ?1, 0
                UNION
                SELECT record.id, depth + 1 FROM record JOIN family
                    ON record.parent_id = family.id WHERE depth < 16)
            SELECT id FROM family
            """, [.text(id.rawValue)]
        ) { RecordID(try $0.text(0)) }
    }

    private func isShown(_ id: RecordID) throws -> Bool {
        try first(
            "SELECT 1 FROM __sync_held WHERE record_id = ? LIMIT 1", [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    private func archive(_ id: RecordID) throws {
        let key: [DatabaseValue] = [.text(id.rawValue)]
        try execute("DELETE FROM field WHERE record_id = ? AND name NOT LIKE '@%'", key)
        try execute("INSERT OR IGNORE INTO __sync_archived (record_id) VALUES (?)", key)
    }
}
