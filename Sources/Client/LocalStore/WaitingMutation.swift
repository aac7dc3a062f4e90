internal import Coding
internal import Replication
internal import SQLite

/// A row of the outbox with its fields, as retry, discard and resolve see it.
struct WaitingMutation {
    struct Entry {
        var value: DatabaseValue
        var baseValue: DatabaseValue
        var baseVersion: Int64
        var lamport: Int64
    }

    var sequence: Int64
    var id: String
    var table: String
    var record: RecordID
    var operation: String
    var status: String
    var sealed: Bool
    var snapshot: String?
    var pullPosition: String?
    /// Whether it, or one that it took the place of, was sealed for a bundle.
    var isInBundle: Bool
    /// Whether a supervisor decides on it, as far as is known: a server that was restored is asked for
    /// that again.
    var isForReview: Bool
    var entries: [FieldName: Entry] = [:]
}

extension Connection {
    private static let waitingColumns = """
        SELECT seq_id, mutation_id, table_name, record_id, operation, status, sealed,
            server_snapshot, pull_position, in_bundle IS NOT NULL,
            status = 'IN_REVIEW' OR EXISTS (
                SELECT 1 FROM __sync_asked_again AS asked
                WHERE asked.seq_id = __sync_outbox.seq_id)
        FROM __sync_outbox
        """

    /// - Throws: `unknownMutation` where it is not in the queue, or acknowledged.
    func waitingMutation(_ id: MutationID) throws -> WaitingMutation {
        let found = try waiting("WHERE mutation_id = ?", [.text(id.rawValue)])
        guard let mutation = found.first else { throw StoreError.unknownMutation(id.rawValue) }
        return mutation
    }

    /// What waits for a record, in the order of the queue.
    func waitingMutations(of record: RecordID) throws -> [WaitingMutation] {
        try waiting("WHERE record_id = ?", [.text(record.rawValue)])
    }

    private func waiting(
        _ condition: String, _ values: [DatabaseValue]
    ) throws -> [WaitingMutation] {
        var mutations = try query(
            "\(Self.waitingColumns) \(condition) AND status <> 'ACKNOWLEDGED' ORDER BY seq_id",
            values
        ) { row in
            WaitingMutation(
                sequence: try row.integer(0), id: try row.text(1), table: try row.text(2),
                record: RecordID(try row.text(3)), operation: try row.text(4),
                status: try row.text(5), sealed: try row.flag(6), snapshot: try row.optionalText(7),
                pullPosition: try row.optionalText(8), isInBundle: try row.flag(9),
                isForReview: try row.flag(10))
        }
        for index in mutations.indices {
            mutations[index].entries = try entries(of: mutations[index].sequence)
        }
        return mutations
    }

    private func entries(of sequence: Int64) throws -> [FieldName: WaitingMutation.Entry] {
        let pairs = try query(
            """
            SELECT name, value, base_value, base_version, lamport
            FROM __sync_outbox_field WHERE seq_id = ?
            """, [.integer(sequence)]
        ) { row in
            (
                try row.text(0),
                WaitingMutation.Entry(
                    value: row.value(1), baseValue: row.value(2), baseVersion: try row.integer(3),
                    lamport: try row.integer(4))
            )
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Replaces mutations of one record by one new mutation with a new id. An UPDATE without
    /// fields is nothing to send and not written. With the apply guard up.
    func replace(
        _ old: [WaitingMutation], with entries: [FieldName: WaitingMutation.Entry],
        operation: String, newID: String
    ) throws -> MutationID? {
        guard let first = old.first else { return nil }
        for mutation in old {
            // The entries go with it: ON DELETE CASCADE.
            try execute(
                "DELETE FROM __sync_outbox WHERE seq_id = ?", [.integer(mutation.sequence)])
        }
        guard operation != "UPDATE" || !entries.isEmpty else { return nil }
        let newest = try entries.values.map(\.lamport).max() ?? tickLamport()
        // With a change of after the loss of scope the whole is one. Without, it stays of before,
        // whatever is entered from now on.
        let isBeforeLoss = old.allSatisfy { $0.pullPosition != nil }
        let pullPosition = isBeforeLoss ? first.pullPosition : nil
        try execute(
            """
            INSERT INTO __sync_outbox
                (mutation_id, table_name, record_id, operation, lamport, created_at_utc,
                    sealed, pull_position, in_bundle)
            VALUES (?, ?, ?, ?, ?, walkdown_now(), ?, ?, ?)
            """,
            [
                .text(newID), .text(first.table), .text(first.record.rawValue), .text(operation),
                .integer(newest), DatabaseValue(isBeforeLoss), DatabaseValue(pullPosition),
                old.contains(where: \.isInBundle) ? .integer(1) : .null,
            ])
        let sequence = lastInsertRowID
        for (name, entry) in entries { try insert(entry, of: name, into: sequence) }
        return MutationID(newID)
    }

    func insert(
        _ entry: WaitingMutation.Entry, of name: FieldName, into sequence: Int64
    ) throws {
        try execute(
            """
            INSERT INTO __sync_outbox_field
                (seq_id, name, value, base_value, base_version, lamport)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(sequence), .text(name), entry.value, entry.baseValue,
                .integer(entry.baseVersion), .integer(entry.lamport),
            ])
        try execute(
            """
            UPDATE __sync_outbox
            SET bytes = bytes + 64 + length(CAST(?2 AS BLOB)) + ifnull(length(CAST(?3 AS BLOB)), 0)
            WHERE seq_id = ?1
            """, [.integer(sequence), .text(name), entry.value])
    }

    /// The next count of the Lamport clock.
    func tickLamport() throws -> Int64 {
        try execute("UPDATE __sync_metadata SET value = value + 1 WHERE key = 'lamport'")
        guard
            let counter = try first(
                "SELECT value FROM __sync_metadata WHERE key = 'lamport'", [],
                { try $0.integer(0) })
        else { throw StoreError.damaged("there is no Lamport counter") }
        return counter
    }

    /// Keeps a value of this device that did not, or does not any more, stand.
    func keepInHistory(
        _ entries: [FieldName: WaitingMutation.Entry], of record: RecordID, rule: String
    ) throws {
        for (name, entry) in entries where name != Mutation.deletedField {
            try execute(
                """
                INSERT INTO __sync_history (record_id, name, value, lamport, node, rule, at_utc)
                SELECT ?, ?, ?, ?, coalesce(value, ''), ?, walkdown_now()
                FROM __sync_metadata WHERE key = 'node'
                """,
                [
                    .text(record.rawValue), .text(name), entry.value, .integer(entry.lamport),
                    .text(rule),
                ])
        }
    }
}
