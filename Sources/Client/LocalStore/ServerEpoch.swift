internal import Coding
internal import Replication
internal import SQLite

/// A server that was restored from a backup begins a new epoch. Versions of the old one mean
/// nothing any more, what it has lost is offered again, and nothing is removed here that only this
/// device knows of.
extension DeviceStore {
    /// Takes note of the epoch of an answer, before anything of the answer is applied.
    /// - Returns: whether a new one has begun.
    func meetEpoch(of server: ServerState) throws -> Bool {
        let known = try position().serverEpoch
        guard known != 0, known != server.epoch else { return false }
        try edit { try $0.beginEpoch(server.epoch, newID: sources.newID) }
        try log("epoch", "the server was restored (epoch \(known) to \(server.epoch))")
        return true
    }
}

extension Connection {
    /// Everything that was confirmed is of an older epoch from now on, the next pull begins at the
    /// beginning, and what waits is told by the old cursor to have been made before.
    fileprivate func beginEpoch(_ epoch: Int64, newID: () -> String) throws {
        let position = try metadataText("cursor") ?? metadataText("pull_position")
        // A base from two epochs ago goes under the oldest cursor, and so do all others: a base
        // that counts as older than it is may ask a person once too often and overwrites nothing.
        if try neededOldCursor() == nil {
            try setMetadata("old_cursor", .text(position ?? Self.unknownCursor))
            try setMetadata("old_epochs", .integer(1))
        } else {
            try setMetadata("old_epochs", .integer(2))
        }
        try setMetadata("cursor", .null)
        try setMetadata("pull_position", .null)
        try setMetadata("server_epoch", .integer(epoch))
        try setMetadata("full_pull", .integer(FullPull.renewal.rawValue))
        try execute("DELETE FROM __sync_former")
        try execute("DELETE FROM __sync_unseen")
        try execute(
            "INSERT INTO __sync_unseen (record_id, is_old) SELECT id, 1 FROM record WHERE version > 0"
        )
        // Kept from the epoch before, and not shown by the server then.
        try execute(
            """
            INSERT INTO __sync_unseen (record_id, is_old)
            SELECT id, 1 FROM record WHERE version = 0 AND server_updated_at IS NOT NULL
            """)
        // Refused by the server as it was.
        for table in ["__sync_lost_field", "__sync_lost_beside"] {
            try execute("UPDATE \(table) SET refusal = NULL WHERE refusal IS NOT NULL")
        }
        try execute(
            "UPDATE __sync_lost SET refusals = 0, failures = 0 WHERE refusals > 0")
        try forgetShownVersions()
        try askForReviewsAgain(newID: newID)
    }

    /// The record that a verdict of *conflict* showed had a version of the old epoch. What the pull
    /// brings stands against the inspector's value then.
    private func forgetShownVersions() throws {
        let rows = try query(
            """
            SELECT seq_id, server_snapshot FROM __sync_outbox
            WHERE status = 'CONFLICT' AND status <> 'ACKNOWLEDGED' AND server_snapshot IS NOT NULL
            """
        ) { (try $0.integer(0), try $0.text(1)) }
        for (sequence, stored) in rows {
            var snapshot = try ConflictSnapshot(stored: stored)
            snapshot.record = nil
            try execute(
                "UPDATE __sync_outbox SET server_snapshot = ? WHERE seq_id = ?",
                [.text(snapshot.stored), .integer(sequence)])
        }
    }

    /// The review may be among what the server has lost: it is asked for by the mutation's id. One
    /// that it has answers as before. What is left of a mutation goes under a new id and at the end, and
    /// what was entered later stays behind it.
    private func askForReviewsAgain(newID: () -> String) throws {
        var moved: [RecordID: Int64] = [:]
        let rows = try query(
            """
            SELECT seq_id, record_id, status = 'IN_REVIEW' AND is_part = 1 FROM __sync_outbox
            WHERE status IN ('IN_REVIEW', 'PENDING') AND record_id IN (
                SELECT record_id FROM __sync_outbox WHERE status = 'IN_REVIEW' AND is_part = 1)
            ORDER BY seq_id
            """
        ) {
            (sequence: try $0.integer(0), record: RecordID(try $0.text(1)), isPart: try $0.flag(2))
        }
        for row in rows where row.isPart || row.sequence < moved[row.record] ?? .min {
            moved[row.record] = try reissue(row.sequence, newID: newID())
        }
        // Whatever else of the record waits for a person: it was judged before.
        try execute("DELETE FROM __sync_asked_again")
        try execute(
            """
            INSERT INTO __sync_asked_again (seq_id)
            SELECT seq_id FROM __sync_outbox WHERE status = 'IN_REVIEW'
            """)
        try execute(
            "UPDATE __sync_outbox SET status = 'PENDING', sealed = 1 WHERE status = 'IN_REVIEW'")
    }
}

/// Bases of an older epoch. A batch says by its `pullPosition` in which epoch its bases were learnt,
/// so that mutations with old ones travel apart from the others.
extension Connection {
    /// What waits of a record was based on versions of the epoch before.
    func keepOldBases(of id: RecordID) throws {
        try execute(
            """
            INSERT INTO __sync_old_base (record_id, name)
            SELECT record_id, name FROM (
                SELECT record_id, name FROM __sync_shadow WHERE record_id = ?1
                UNION SELECT record_id, name FROM __sync_waiting WHERE record_id = ?1) AS based
            WHERE NOT EXISTS (
                SELECT 1 FROM __sync_old_base AS known
                WHERE known.record_id = based.record_id AND known.name = based.name)
            """, [.text(id.rawValue)])
    }

    /// A cursor of no epoch: to the server what was learnt under it was never seen. It stands for an old
    /// cursor that nobody knows any more, and may ask a person once too often.
    static let unknownCursor = "unknown"

    /// Where there are bases of an older epoch, there is a cursor of one.
    func requireOldCursor() throws {
        guard try metadataText("old_cursor") == nil else { return }
        try setMetadata("old_cursor", .text(Self.unknownCursor))
    }

    func keepOldBase(of name: FieldName, on id: RecordID) throws {
        try execute(
            "INSERT OR IGNORE INTO __sync_old_base (record_id, name) VALUES (?, ?)",
            [.text(id.rawValue), .text(name)])
    }

    /// The server has not shown the record in this epoch.
    func noteUnseen(_ id: RecordID) throws {
        try execute(
            "INSERT OR REPLACE INTO __sync_unseen (record_id, is_old) VALUES (?, 1)",
            [.text(id.rawValue)])
    }

    /// What was decided on a value of this epoch has a base of this epoch.
    func forgetOldBases(of names: some Sequence<FieldName>, on id: RecordID) throws {
        for name in names {
            try execute(
                """
                DELETE FROM __sync_old_base WHERE record_id = ?1 AND name = ?2
                    AND NOT EXISTS (SELECT 1 FROM __sync_unseen WHERE record_id = ?1)
                """, [.text(id.rawValue), .text(name)])
        }
    }

    /// The cursor under which the old bases were learnt. Where there are none any more it is forgotten,
    /// and the answer is nil.
    func neededOldCursor() throws -> String? {
        guard let cursor = try metadataText("old_cursor") else { return nil }
        try execute(
            """
            DELETE FROM __sync_old_base WHERE NOT EXISTS (
                SELECT 1 FROM __sync_shadow AS shadow
                WHERE shadow.record_id = __sync_old_base.record_id
                    AND shadow.name = __sync_old_base.name)
            AND NOT EXISTS (
                SELECT 1 FROM __sync_waiting AS waiting
                WHERE waiting.record_id = __sync_old_base.record_id
                    AND waiting.name = __sync_old_base.name)
            """)
        let isNeeded = try first(
            """
            SELECT EXISTS (SELECT 1 FROM __sync_old_base)
                OR EXISTS (SELECT 1 FROM __sync_unseen WHERE is_old = 1)
                OR EXISTS (SELECT 1 FROM __sync_lost_field)
            """
        ) { try $0.flag(0) }
        if isNeeded ?? false { return cursor }
        try execute("DELETE FROM __sync_former")
        try setMetadata("old_cursor", .null)
        return nil
    }

    /// Whether something in a mutation is based on a version of an older epoch.
    func hasOldBase(_ sequence: Int64, of record: RecordID) throws -> Bool {
        try first(
            """
            SELECT EXISTS (SELECT 1 FROM __sync_unseen WHERE record_id = ?2 AND is_old = 1)
                OR EXISTS (
                    SELECT 1 FROM __sync_outbox_field AS entry
                    JOIN __sync_old_base AS old ON old.record_id = ?2 AND old.name = entry.name
                    WHERE entry.seq_id = ?1)
            """, [.integer(sequence), .text(record.rawValue)]
        ) { try $0.flag(0) } ?? false
    }
}
