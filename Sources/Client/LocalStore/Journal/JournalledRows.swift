internal import Replication
internal import SQLite

/// How the journal reads the queue.
struct JournalledRows {
    private static let columns = [
        "mutation_id", "seq_id", "table_name", "record_id", "operation", "status", "sealed",
        "lamport", "bytes", "schema_version", "retry_count", "next_attempt_at", "last_error",
        "server_snapshot", "created_at_utc",
    ]

    private let database: Connection
    /// Columns that a later schema has added to the outbox.
    let otherColumns: [String]
    private let selectWaiting: String
    private let selectOne: String

    init(_ database: Connection) throws {
        self.database = database
        let present = try database.query("PRAGMA table_info(__sync_outbox)") { try $0.text(1) }
        otherColumns = present.filter { !Self.columns.contains($0) }
        let names = (Self.columns + otherColumns).map { "outbox.\($0)" }
        let select = """
            SELECT record.parent_id, \(names.joined(separator: ", "))
            FROM __sync_outbox AS outbox
            LEFT JOIN record ON record.id = outbox.record_id
            WHERE outbox.status <> 'ACKNOWLEDGED'
            """
        selectWaiting = select + " ORDER BY outbox.seq_id"
        selectOne = select + " AND outbox.mutation_id = ?"
    }

    /// Everything that waits, in the order of the queue.
    func waiting() throws -> [JournalledMutation] {
        var mutations: [JournalledMutation] = []
        try each { mutations.append($0) }
        return mutations
    }

    func waitingIDs() throws -> [String] {
        try database.query(
            "SELECT mutation_id FROM __sync_outbox WHERE status <> 'ACKNOWLEDGED' ORDER BY seq_id"
        ) { try $0.text(0) }
    }

    /// The same, one after the other.
    func each(_ body: (JournalledMutation) throws -> Void) throws {
        try database.each(selectWaiting) { row in
            var mutation = try mutation(row)
            mutation.fields = try fields(of: mutation.sequence)
            try body(mutation)
        }
    }

    /// One of them, without its fields; nil where it does not wait.
    func row(_ id: String) throws -> JournalledMutation? {
        try database.first(selectOne, [.text(id)], mutation)
    }

    /// A base is of an older epoch where it is noted so, and of a record that the server has not shown
    /// since.
    private static let selectFields = """
        SELECT entry.name, entry.value, base_value, base_version, entry.lamport,
            EXISTS (
                SELECT 1 FROM __sync_old_base AS old
                WHERE old.record_id = outbox.record_id AND old.name = entry.name)
            OR EXISTS (
                SELECT 1 FROM __sync_unseen AS unseen
                WHERE unseen.record_id = outbox.record_id AND unseen.is_old = 1)
        FROM __sync_outbox_field AS entry
        JOIN __sync_outbox AS outbox ON outbox.seq_id = entry.seq_id
        WHERE entry.seq_id = ?
        """

    func fields(of sequence: Int64) throws -> [FieldName: JournalledMutation.Field] {
        var fields: [FieldName: JournalledMutation.Field] = [:]
        try database.each(Self.selectFields, [.integer(sequence)]) {
            fields[try $0.text(0)] = try field($0)
        }
        return fields
    }

    func field(
        _ name: FieldName, of sequence: Int64
    ) throws -> JournalledMutation.Field? {
        try database.first(
            Self.selectFields + " AND entry.name = ?", [.integer(sequence), .text(name)], field)
    }

    private func field(_ row: Row) throws -> JournalledMutation.Field {
        JournalledMutation.Field(
            value: row.value(1), baseValue: row.value(2), baseVersion: try row.integer(3),
            lamport: try row.integer(4), isOldBase: try row.flag(5))
    }

    private func mutation(_ row: Row) throws -> JournalledMutation {
        var mutation = JournalledMutation(
            id: try row.text(1), sequence: try row.integer(2), table: try row.text(3),
            record: try row.text(4), parent: try row.optionalText(0),
            operation: try row.text(5), status: try row.text(6), isSealed: try row.flag(7),
            lamport: try row.integer(8), bytes: try row.integer(9),
            schemaVersion: try row.integer(10), retryCount: try row.integer(11),
            nextAttempt: try row.optionalInteger(12), lastError: try row.optionalText(13),
            snapshot: try row.optionalText(14), createdAt: try row.text(15))
        for (index, name) in otherColumns.enumerated() {
            let value = row.value(Self.columns.count + 1 + index)
            if value != .null { mutation.others[name] = value }
        }
        return mutation
    }
}

extension Connection {
    func journalOrigin() throws -> JournalOrigin {
        var metadata: [String: DatabaseValue] = [:]
        for key in JournalOrigin.keys {
            let value = try first(
                "SELECT value FROM __sync_metadata WHERE key = ?", [.text(key)]
            ) { $0.value(0) }
            if let value, value != .null { metadata[key] = value }
        }
        return JournalOrigin(metadata: metadata)
    }

    func journalPosition() throws -> JournalPosition {
        // NULL after an INSERT … SELECT that found nothing to insert.
        let sequence =
            try first(
                "SELECT seq FROM sqlite_sequence WHERE name = '__sync_outbox'"
            ) { try $0.optionalInteger(0) } ?? nil
        return JournalPosition(
            lamport: try metadataInteger("lamport") ?? 0, sequence: sequence ?? 0,
            serverEpoch: try metadataInteger("server_epoch") ?? 0,
            baton: try metadataText("baton"),
            pullPosition: try metadataText("cursor") ?? metadataText("pull_position"))
    }

    func transactionNumber() throws -> Int64 { try metadataInteger("transaction_number") ?? 0 }
}
