internal import Replication
internal import SQLite

/// Records that a restored server no longer has and that others made: a reading that was here does not
/// go away silently because a backup is older. They are kept apart, in no list, view or digest, and
/// never sent from here; the device that made them offers them again, where there is one.
extension Connection {
    /// Keeps what was confirmed of a record before its copy is removed. Not of one that was deleted.
    func keepLost(_ id: RecordID, nowUtc: String) throws {
        try execute(
            """
            INSERT OR IGNORE INTO __sync_lost
                (record_id, table_name, parent_id, version, server_updated_at, server_epoch,
                    lost_at_utc)
            SELECT id, table_name, parent_id, version, server_updated_at, (
                SELECT value FROM __sync_metadata WHERE key = 'server_epoch'), ?2
            FROM record WHERE id = ?1 AND is_deleted = 0
            """, [.text(id.rawValue), .text(nowUtc)])
        try execute(
            """
            INSERT OR IGNORE INTO __sync_lost_field (record_id, name, value, lamport, node)
            SELECT record_id, name, value, lamport, node FROM (
                SELECT record_id, name, value, lamport, node FROM __sync_shadow
                WHERE record_id = ?1 AND present = 1
                UNION ALL
                SELECT record_id, name, value, lamport, node FROM field
                WHERE record_id = ?1 AND name NOT IN (
                    SELECT name FROM __sync_shadow WHERE record_id = ?1))
            WHERE value IS NOT NULL AND EXISTS (SELECT 1 FROM __sync_lost WHERE record_id = ?1)
            """, [.text(id.rawValue)])
    }

    /// The server has it after all: what it shows counts, or that this device may not see it.
    func letGoLost(_ id: RecordID) throws {
        try execute("DELETE FROM __sync_lost WHERE record_id = ?", [.text(id.rawValue)])
    }

    /// How many records are kept so.
    func lostRecords() throws -> Int {
        try first("SELECT count(*) FROM __sync_lost") { Int(try $0.integer(0)) } ?? 0
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
