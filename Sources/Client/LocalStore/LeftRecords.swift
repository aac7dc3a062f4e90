internal import Replication
internal import SQLite

/// Records that are out of this device's scope and still here, because work on them waits. They
/// count in no digest, and go with the last of that work.
extension Connection {
    /// Whether something of a record waits or was typed and not accepted.
    func holdsWork(_ id: RecordID) throws -> Bool {
        try first(
            """
            SELECT 1 WHERE EXISTS (
                    SELECT 1 FROM __sync_outbox
                    WHERE record_id = ?1 AND status <> 'ACKNOWLEDGED')
                OR EXISTS (SELECT 1 FROM draft WHERE record_id = ?1)
            """, [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    func noteLeft(_ id: RecordID) throws {
        let key: [DatabaseValue] = [.text(id.rawValue)]
        try execute("UPDATE record SET digest = NULL WHERE id = ?", key)
        try execute(
            """
            INSERT INTO __sync_left (record_id)
            SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM __sync_left WHERE record_id = ?1)
            """, key)
    }

    func noteReturned(_ id: RecordID) throws {
        try execute("DELETE FROM __sync_left WHERE record_id = ?", [.text(id.rawValue)])
    }

    /// Removes those of which nothing waits any more. With the apply guard up.
    func removeLeft() throws {
        let done = try query("SELECT record_id FROM __sync_left") { RecordID(try $0.text(0)) }
            .filter { try !holdsWork($0) }
        for id in done {
            try removeCopy(of: id)
            try noteReturned(id)
        }
    }

    /// Removes what is here of a record that is not this device's.
    func removeCopy(of id: RecordID) throws {
        for statement in [
            "DELETE FROM __sync_shadow WHERE record_id = ?",
            "DELETE FROM __sync_held WHERE record_id = ?",
            "DELETE FROM __sync_archived WHERE record_id = ?",
            "DELETE FROM __sync_unseen WHERE record_id = ?",
            "DELETE FROM field WHERE record_id = ?", "DELETE FROM record WHERE id = ?",
        ] {
            try execute(statement, [.text(id.rawValue)])
        }
    }
}
