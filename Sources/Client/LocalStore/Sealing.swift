internal import Forms
package import Replication
internal import SQLite

/// The way of a mutation to the server. Before a batch's first byte its mutations are sealed and
/// IN_FLIGHT in a durable transaction; from then on they never change. They leave that state by a
/// verdict that names them, or go back to PENDING with the same ids.
extension DeviceStore {
    /// UTF-8 bytes of a batch's mutations, unpacked.
    package static let largestBatch = 1 << 20

    /// What was in flight when the last process ended goes back to PENDING, with the same ids: the
    /// server knows which of them it has judged. Only the holder of the home's lease calls it.
    @discardableResult
    package func recoverInFlight() throws -> Int {
        // Each cycle asks, and nearly always nothing is: no transaction that writes, then.
        guard try read({ try $0.hasInFlight() }) else { return 0 }
        let now = sources.now()
        return try edit { database in
            try database.execute(
                """
                UPDATE __sync_outbox SET status = 'PENDING', next_attempt_at = NULL
                WHERE status = 'IN_FLIGHT' AND status <> 'ACKNOWLEDGED'
                    AND ifnull(next_attempt_at, 0) NOT BETWEEN ?1 + 1 AND ?1 + ?2
                """, [.integer(now), .integer(Self.ticketPatience)])
            return database.changes
        }
    }

    /// How long verdicts of a queued batch are waited for before it is offered again, in
    /// milliseconds.
    static let ticketPatience: Int64 = 600_000

    /// The server has put these into a queue and answers by pull: they stay IN_FLIGHT, over restarts
    /// too, for a while.
    package func keepTicket(for ids: [MutationID]) throws {
        let until = sources.now() + Self.ticketPatience
        try edit { database in
            for id in ids {
                try database.execute(
                    """
                    UPDATE __sync_outbox SET next_attempt_at = ?
                    WHERE mutation_id = ? AND status = 'IN_FLIGHT'
                    """, [.integer(until), .text(id.rawValue)])
            }
        }
    }

    /// Seals the next mutations in the order of the queue, at most `limit` and 1 MiB, at least one.
    ///
    /// - Parameter skipping: mutations that were offered in this cycle already; later ones of their
    ///   records wait with them.
    /// - Returns: nil where nothing can be sent.
    package func sealBatch(
        limit: Int = PushRequest.mostMutations, skipping: Set<MutationID> = []
    ) throws -> PushRequest? {
        try edit { database in
            let selection = BatchSelection(
                obstacles: try BatchObstacles(database), limit: limit, skipping: skipping,
                partedAt: try database.partedAt())
            return try database.seal(selection, newID: sources.newID)
        }
    }

    /// A batch that no answer settled: lost, refused as a whole, or never sent.
    package func returnToQueue(_ ids: [MutationID]) throws {
        try edit { database in
            for id in ids { try database.returnToQueue(id) }
        }
    }

    /// The server will never take it as it is. A person retries, edits or discards it.
    package func fail(_ id: MutationID, error: String) throws {
        try edit { try $0.settleStatus(of: id, "FAILED", error: error) }
    }

    /// Failures of one mutation on the server, after which a person has to look.
    package static let mostFailures: Int64 = 5

    /// One failure that was this mutation's own, not the network's.
    /// - Returns: whether it is FAILED now.
    @discardableResult
    package func countFailure(_ id: MutationID, error: String) throws -> Bool {
        try edit { database in
            try database.countFailure(id, error: error)
            return try database.status(of: id) == "FAILED"
        }
    }

    /// Divides a mutation that is too large to travel into two, with new ids: the server has
    /// refused its bytes, so it never knew the old one.
    /// - Returns: false where it has a single field and cannot be divided.
    package func split(_ id: MutationID) throws -> Bool {
        try settle { database in
            let mutation = try database.waitingMutation(id)
            let names = mutation.entries.keys.sorted()
            guard names.count > 1 else { return false }
            let later = Set(names[(names.count / 2)...])
            try database.move(later, of: mutation.sequence, newID: sources.newID())
            try database.execute(
                """
                UPDATE __sync_outbox
                SET mutation_id = ?, status = 'PENDING', sealed = pull_position IS NOT NULL,
                    retry_count = 0
                WHERE seq_id = ?
                """, [.text(sources.newID()), .integer(mutation.sequence)])
            return true
        }
    }
}

extension Connection {
    fileprivate func hasInFlight() throws -> Bool {
        // Both conditions, so that the index of what waits answers.
        try first(
            """
            SELECT 1 FROM __sync_outbox
            WHERE status = 'IN_FLIGHT' AND status <> 'ACKNOWLEDGED' LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// Fills the batch and seals it; nil, and nothing sealed, where none may go.
    func seal(_ empty: BatchSelection, newID: () -> String) throws -> PushRequest? {
        var selection = empty
        try separateFieldsInReview(selection.obstacles, newID: newID)
        try select(into: &selection)
        guard !selection.mutations.isEmpty, !selection.leavesRoom else { return nil }
        for mutation in selection.mutations {
            try execute(
                """
                UPDATE OR FAIL __sync_outbox SET status = 'IN_FLIGHT', sealed = 1
                WHERE seq_id = ?
                """,
                [.integer(mutation.sequence)])
        }
        let position = try position()
        var request = PushRequest(
            clientNodeId: position.node, clientEpoch: position.clientEpoch,
            baton: position.baton, schemaVersion: Schema.version,
            pullPosition: try pullPosition(of: selection.time), mutations: selection.mutations,
            written: selection.written)
        request.hasExactBases = selection.time.hasExactBases
        request.unheard = try noteSent(selection.mutations.map(\.id))
        return request
    }

    func status(of id: MutationID) throws -> String? {
        try first(
            "SELECT status FROM __sync_outbox WHERE mutation_id = ?", [.text(id.rawValue)]
        ) { try $0.text(0) }
    }

    func countFailure(_ id: MutationID, error: String) throws {
        try execute(
            """
            UPDATE __sync_outbox
            SET retry_count = retry_count + 1, last_error = ?,
                status = CASE WHEN retry_count + 1 >= ? THEN 'FAILED' ELSE 'PENDING' END
            WHERE mutation_id = ? AND status IN ('PENDING', 'IN_FLIGHT')
            """,
            [
                .text(ShownText.clean(error)), .integer(DeviceStore.mostFailures),
                .text(id.rawValue),
            ])
    }

    func returnToQueue(_ id: MutationID) throws {
        try execute(
            "UPDATE __sync_outbox SET status = 'PENDING' WHERE mutation_id = ? AND status = 'IN_FLIGHT'",
            [.text(id.rawValue)])
    }

    /// A new status for a row that waits. What is acknowledged stays so.
    /// - Parameter error: for people; may be a server's words, which must not steer a terminal.
    ///
    /// `OR FAIL`, because what fails here takes the whole transaction back: the old image of every page,
    /// encrypted in case only the statement is taken back (`Staging`), was a sixth of a drain's work.
    func settleStatus(of id: MutationID, _ status: String, error: String?) throws {
        try execute(
            """
            UPDATE OR FAIL __sync_outbox
            SET status = ?, last_error = ?, next_attempt_at = NULL, settled_since = NULL
            WHERE mutation_id = ? AND status <> 'ACKNOWLEDGED'
            """,
            [.text(status), DatabaseValue(error.map(ShownText.clean)), .text(id.rawValue)])
    }

    /// Moves fields of a mutation into a new one behind it, an unsealed UPDATE; sealed where it goes under
    /// a cursor of before a loss of scope, for nothing later may be added. Later unsent changes of the
    /// same fields go along, so that the newest value stays in the newest mutation.
    func move(_ fields: Set<FieldName>, of sequence: Int64, newID: String) throws {
        try execute(
            """
            INSERT INTO __sync_outbox
                (mutation_id, table_name, record_id, operation, lamport, schema_version,
                    created_at_utc, pull_position, sealed, in_bundle)
            SELECT ?, table_name, record_id, 'UPDATE', lamport, schema_version, created_at_utc,
                pull_position, pull_position IS NOT NULL, in_bundle
            FROM __sync_outbox WHERE seq_id = ?
            """, [.text(newID), .integer(sequence)])
        let next = lastInsertRowID
        for field in fields {
            try execute(
                "UPDATE __sync_outbox_field SET seq_id = ? WHERE seq_id = ? AND name = ?",
                [.integer(next), .integer(sequence), .text(field)])
        }
        let between = try query(
            """
            SELECT later.seq_id FROM __sync_outbox AS later
            JOIN __sync_outbox AS moved ON moved.record_id = later.record_id
            WHERE moved.seq_id = ?2 AND later.seq_id > ?1 AND later.seq_id < ?2
                AND later.status = 'PENDING' AND later.sealed = 0 ORDER BY later.seq_id
            """, [.integer(sequence), .integer(next)]
        ) { try $0.integer(0) }
        for later in between { try absorb(fields, of: later, into: next) }
        for changed in [sequence] + between + [next] { try weigh(changed) }
    }

    private func absorb(_ fields: Set<FieldName>, of later: Int64, into next: Int64) throws {
        for field in fields {
            let key: [DatabaseValue] = [.integer(next), .integer(later), .text(field)]
            try execute(
                """
                UPDATE __sync_outbox_field
                SET (value, lamport) = (
                    SELECT value, lamport FROM __sync_outbox_field WHERE seq_id = ?2 AND name = ?3)
                WHERE seq_id = ?1 AND name = ?3 AND EXISTS (
                    SELECT 1 FROM __sync_outbox_field WHERE seq_id = ?2 AND name = ?3)
                """, key)
            try execute(
                "DELETE FROM __sync_outbox_field WHERE seq_id = ? AND name = ?", Array(key[1...]))
        }
        try execute(
            """
            DELETE FROM __sync_outbox WHERE seq_id = ?1 AND operation = 'UPDATE'
                AND NOT EXISTS (SELECT 1 FROM __sync_outbox_field WHERE seq_id = ?1)
            """, [.integer(later)])
    }

    /// Brings `bytes` to what the triggers would have counted.
    private func weigh(_ sequence: Int64) throws {
        try execute(
            """
            UPDATE __sync_outbox SET bytes = (
                SELECT ifnull(sum(64 + length(CAST(name AS BLOB))
                    + ifnull(length(CAST(value AS BLOB)), 0)), 0)
                FROM __sync_outbox_field WHERE seq_id = __sync_outbox.seq_id)
            WHERE seq_id = ?
            """, [.integer(sequence)])
    }
}
