internal import Replication
internal import SQLite

/// Records that are out of this device's scope, or that a restored server no longer has, and still
/// here, because work on them waits. They count in no digest, and go with the last of that work.
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

    /// Whether the INSERT of a record waits here.
    func waitsToBeMade(_ id: RecordID) throws -> Bool {
        try first(
            """
            SELECT 1 FROM __sync_outbox
            WHERE record_id = ? AND operation = 'INSERT' AND status <> 'ACKNOWLEDGED' LIMIT 1
            """, [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    /// What waits of a record that is out of scope from now on, and below it, was entered before this
    /// device heard of that. It does not change any more and goes under the cursor of before, so that
    /// the server can tell it from what is entered later.
    func keepBeforeLoss(of id: RecordID) throws {
        guard try !isOutOfScope(id), try anythingWaits() else { return }
        // While everything is pulled from the beginning, the cursor tells of a loss before its
        // records are missed.
        let cursor =
            try fullPull() == .idle
            ? metadataText("cursor") ?? metadataText("pull_position")
            : metadataText("pull_position")
        guard let cursor else { return }
        for member in try family(of: id) {
            try execute(Self.sealingBeforeLoss, [.text(member.rawValue), .text(cursor)])
        }
    }

    static let sealingBeforeLoss = """
        UPDATE __sync_outbox SET pull_position = ?2,
            sealed = CASE WHEN status = 'PENDING' THEN 1 ELSE sealed END
        WHERE record_id = ?1 AND status <> 'ACKNOWLEDGED' AND pull_position IS NULL
        """

    private func anythingWaits() throws -> Bool {
        try first("SELECT 1 FROM __sync_outbox WHERE status <> 'ACKNOWLEDGED' LIMIT 1") { _ in
            true
        } ?? false
    }

    /// - Parameter isLost: whether the server has lost it, so that it is kept when the work is done.
    func noteLeft(_ id: RecordID, isLost: Bool) throws {
        let key: [DatabaseValue] = [.text(id.rawValue)]
        try execute("UPDATE record SET digest = NULL WHERE id = ?", key)
        try execute(
            """
            INSERT INTO __sync_left (record_id)
            SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM __sync_left WHERE record_id = ?1)
            """, key)
        try execute(
            "UPDATE __sync_left SET is_lost = ?2 WHERE record_id = ?1",
            key + [DatabaseValue(isLost)])
    }

    /// Whether the record waits here to go because it is out of scope.
    func isOutOfScope(_ id: RecordID) throws -> Bool { try isLeft(id, asLost: false) }

    /// Whether the record waits here to be kept because the server has lost it.
    func isLost(_ id: RecordID) throws -> Bool { try isLeft(id, asLost: true) }

    private func isLeft(_ id: RecordID, asLost: Bool) throws -> Bool {
        try first(
            "SELECT 1 FROM __sync_left WHERE record_id = ? AND is_lost = ?",
            [.text(id.rawValue), DatabaseValue(asLost)]
        ) { _ in true } ?? false
    }

    func noteReturned(_ id: RecordID) throws {
        try execute("DELETE FROM __sync_left WHERE record_id = ?", [.text(id.rawValue)])
    }

    /// Removes those of which nothing waits any more. With the apply guard up.
    func removeLeft(nowUtc: String) throws {
        let left = try query("SELECT record_id, is_lost FROM __sync_left") { row in
            (id: RecordID(try row.text(0)), isLost: try row.flag(1))
        }
        for (id, isLost) in left where try !holdsWork(id) {
            if isLost { try keepLost(id, nowUtc: nowUtc) }
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
