internal import Coding
internal import Replication
internal import SQLite

/// Work below a record that was deleted elsewhere.
///
/// The server refuses it, and sending it again changes nothing: whether the record comes back is for the
/// inspector to say. So the record itself comes into conflict, as it does where it was edited itself,
/// and what waits below it waits for that decision: restored, it is sent; let go, it goes with it.
extension Connection {
    /// What a server says of a change below a deleted record; the beginning of `last_error`.
    static let parentDeleted = "parent_deleted"

    private static let waitsForDecision =
        "what it belongs to was deleted elsewhere: a decision waits"

    /// Asks about deleted records for whose sake something was refused, and takes back what others have
    /// answered meanwhile by restoring the record. With the apply guard up.
    func askAboutDeleted(newID: () -> String, nowUtc: String) throws {
        try withdrawAnswered()
        let refused = try query(
            """
            SELECT mutation_id, record_id FROM __sync_outbox
            WHERE status = 'FAILED' AND status <> 'ACKNOWLEDGED'
                AND substr(last_error, 1, \(Self.parentDeleted.count)) = '\(Self.parentDeleted)'
            ORDER BY seq_id
            """
        ) { (id: MutationID(try $0.text(0)), record: RecordID(try $0.text(1))) }
        for (id, record) in refused {
            var isAsked = false
            for ancestor in try ancestors(of: record) {
                if try isTombstone(ancestor), try !isInQuestion(ancestor) {
                    try ask(about: ancestor, newID: newID(), nowUtc: nowUtc)
                }
                isAsked = try isAsked || isInQuestion(ancestor)
            }
            guard isAsked else { continue }
            try settleStatus(of: id, "PENDING", error: Self.waitsForDecision)
        }
    }

    /// Nearly always nothing was: then no cycle writes anything for it.
    fileprivate func mayAskAboutDeleted() throws -> Bool {
        try first(
            """
            SELECT 1 FROM __sync_outbox
            WHERE status IN ('FAILED', 'CONFLICT') AND status <> 'ACKNOWLEDGED' LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// Whether a restoration of something above a record waits for a person or for the server, so that
    /// it is not known yet whether the record is a part of anything.
    func isBelowQuestion(_ parent: RecordID) throws -> Bool {
        try ([parent] + ancestors(of: parent)).contains { try isInQuestion($0) }
    }

    /// What was refused below a record for its deletion, and waits for it from now on.
    func awaitRestoration(of id: RecordID) throws {
        for member in try family(of: id) where member != id {
            for mutation in try waitingMutations(of: member) where mutation.status == "FAILED" {
                let reason = try first(
                    "SELECT last_error FROM __sync_outbox WHERE seq_id = ?",
                    [.integer(mutation.sequence)]
                ) { try $0.optionalText(0) }
                guard reason??.hasPrefix(Self.parentDeleted) ?? false else { continue }
                try settleStatus(
                    of: MutationID(mutation.id), "PENDING", error: Self.waitsForDecision)
            }
        }
    }

    /// The records that letting a deleted one go removes from this device.
    func recordsRemoved(byLettingGo id: RecordID) throws -> [RecordID] {
        try family(of: id).filter { member in
            try member != id && waitsToBeMade(member) && !isOnServer(member)
        }
    }

    /// Whether the server has deleted the record, and nothing here says otherwise.
    func isTombstone(_ id: RecordID) throws -> Bool {
        try isDeletedThere(id)
            && first("SELECT is_deleted FROM record WHERE id = ?", [.text(id.rawValue)]) {
                try $0.flag(0)
            } ?? false
    }

    /// Whether the server has deleted the record, as far as is known here.
    func isDeletedThere(_ id: RecordID) throws -> Bool {
        try first(
            """
            SELECT 1 FROM record
            WHERE id = ?1 AND version > 0 AND digest IS NULL
                AND NOT EXISTS (SELECT 1 FROM __sync_left WHERE record_id = ?1)
            """, [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    /// From the nearest on.
    private func ancestors(of id: RecordID) throws -> [RecordID] {
        try query(
            """
            WITH RECURSIVE above (id, depth) AS (
                SELECT parent_id, 1 FROM record WHERE id = ?
                UNION
                SELECT record.parent_id, depth + 1
                FROM above JOIN record ON record.id = above.id
                WHERE depth < \(Self.deepestFamily)
            )
            SELECT id FROM above WHERE id IS NOT NULL ORDER BY depth
            """, [.text(id.rawValue)]
        ) { RecordID(try $0.text(0)) }
    }

    /// Whether a person is asked about the deletion of a record, or what was decided waits to be sent.
    private func isInQuestion(_ id: RecordID) throws -> Bool {
        if try waitingDeletion(of: id) == false { return true }
        let snapshots = try query(
            """
            SELECT server_snapshot FROM __sync_outbox
            WHERE record_id = ? AND status = 'CONFLICT' AND server_snapshot IS NOT NULL
            """, [.text(id.rawValue)]
        ) { try $0.text(0) }
        return try snapshots.contains { try ConflictSnapshot(stored: $0).meetsTombstone }
    }

    /// The conflict that the server would answer to an edit of the record itself: its restoration
    /// against the deletion, on the version that is known here.
    private func ask(about id: RecordID, newID: String, nowUtc: String) throws {
        let found = try first(
            "SELECT table_name, parent_id, version FROM record WHERE id = ?", [.text(id.rawValue)]
        ) { row in
            WireRecord(
                table: try row.text(0), id: id,
                parent: try row.optionalText(1).map { RecordID($0) },
                version: try row.integer(2), isDeleted: true, fields: [:], updatedAtUtc: nowUtc)
        }
        guard let record = found else { return }
        let conflict = FieldConflict(
            column: Mutation.deletedField, base: .integer(0), mine: .integer(0),
            theirs: .integer(1), theirsNode: nil, rule: MergeRule.tombstone.rawValue)
        let lamport = try tickLamport()
        try execute(
            """
            INSERT INTO __sync_outbox
                (mutation_id, table_name, record_id, operation, status, sealed, lamport,
                    server_snapshot, created_at_utc)
            VALUES (?, ?, ?, 'UPDATE', 'CONFLICT', 1, ?, ?, ?)
            """,
            [
                .text(newID), .text(record.table), .text(id.rawValue), .integer(lamport),
                .text(ConflictSnapshot(conflicts: [conflict], record: record).stored),
                .text(nowUtc),
            ])
        try insert(
            WaitingMutation.Entry(
                value: .integer(0), baseValue: .integer(1), baseVersion: record.version,
                lamport: lamport),
            of: Mutation.deletedField, into: lastInsertRowID)
        try showConfirmedOrNewest(Mutation.deletedField, of: id)
    }

    /// Somebody else has restored the record: nothing is left to ask, and nothing that the answer would
    /// send but the restoration.
    private func withdrawAnswered() throws {
        let answered = try query(
            """
            SELECT seq_id, record_id FROM __sync_outbox AS asked
            JOIN record ON record.id = record_id
            WHERE status = 'CONFLICT' AND status <> 'ACKNOWLEDGED' AND digest IS NOT NULL
                AND EXISTS (
                    SELECT 1 FROM __sync_outbox_field AS entry
                    WHERE entry.seq_id = asked.seq_id AND name = '@deleted' AND value = 0)
                AND NOT EXISTS (
                    SELECT 1 FROM __sync_outbox_field AS entry
                    WHERE entry.seq_id = asked.seq_id AND name <> '@deleted')
            """
        ) { (sequence: try $0.integer(0), record: RecordID(try $0.text(1))) }
        for (sequence, record) in answered {
            try execute("DELETE FROM __sync_outbox WHERE seq_id = ?", [.integer(sequence)])
            try showConfirmedOrNewest(Mutation.deletedField, of: record)
        }
    }
}

extension ConflictSnapshot {
    /// Whether the record was deleted by somebody else.
    var meetsTombstone: Bool {
        conflicts.contains { $0.rule == MergeRule.tombstone.rawValue }
    }
}

extension DeviceStore {
    /// At the end of a cycle, when what the server said of a record and of what stands below it is here.
    package func askAboutDeleted() throws {
        guard try read({ try $0.mayAskAboutDeleted() }) else { return }
        let now = SyncTimestamp.text(sources.now())
        try settle { try $0.askAboutDeleted(newID: sources.newID, nowUtc: now) }
    }

    /// What waits below a record that is let go goes with it: what the server has of it stands again,
    /// what it never had is gone, and what was entered is in the history. What a supervisor has to
    /// decide stays with the supervisor.
    func letGoBelow(_ id: RecordID, _ database: Connection) throws {
        let rule = MergeRule.deleted.rawValue
        for member in try database.family(of: id) where member != id {
            let waiting = try database.waitingMutations(of: member)
            guard !waiting.contains(where: \.isForReview) else { continue }
            if try waiting.contains(where: { $0.operation == "INSERT" })
                && !database.isOnServer(member)
            {
                try removeUnsent(member, rule: rule, database)
                continue
            }
            for mutation in waiting where mutation.operation != "DELETE" {
                try giveUp(mutation, rule: rule, database)
            }
        }
    }
}

extension WaitingMutation {
    func meetsTombstone() throws -> Bool {
        try snapshot.map { try ConflictSnapshot(stored: $0).meetsTombstone } ?? false
    }
}
