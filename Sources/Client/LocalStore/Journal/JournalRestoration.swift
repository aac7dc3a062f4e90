internal import Replication
internal import SQLite

/// How waiting mutations come from the journal into the tables. With the apply guard up.
extension Connection {
    /// Puts mutations into the queue as the journal has them, in the place of rows of the same ids, and
    /// shows their values.
    ///
    /// - Parameter incomplete: of these a part may be missing in the journal. What stands here of them
    ///   stays, and one that may have been sent otherwise is not sent again under its id.
    /// - Returns: how many there are now.
    @discardableResult
    func restore(
        _ mutations: [JournalledMutation], incomplete: Set<String> = []
    ) throws -> Int {
        let rows = try JournalledRows(self)
        var shown: [(record: String, names: Set<FieldName>)] = []
        var made: Set<String> = []
        for var mutation in mutations.sorted(by: { $0.sequence < $1.sequence }) {
            if incomplete.contains(mutation.id) {
                mutation = try mended(mutation, rows)
                // Nothing but its row was readable.
                guard mutation.operation == "INSERT" || !mutation.fields.isEmpty else { continue }
            }
            let replaced = try removeRow(mutation.id)
            if try makeRecord(of: mutation) { made.insert(mutation.record) }
            try insertRow(mutation, rows.otherColumns)
            try keepShadows(of: mutation)
            try keepOldBases(of: mutation, onStandIn: made.contains(mutation.record))
            // What makes a record is in review as a whole only where the record is out of reach.
            if mutation.operation == "INSERT", mutation.status == "IN_REVIEW" {
                try noteLeft(RecordID(mutation.record), isLost: false)
            }
            shown.append((mutation.record, replaced.union(mutation.fields.keys)))
        }
        for (record, names) in shown { try show(names, of: record) }
        return shown.count
    }

    /// With the fields that stand here and not in the journal. A person looks at one that is not known
    /// to be as it was: what goes out after that is a new mutation.
    private func mended(
        _ mutation: JournalledMutation, _ rows: JournalledRows
    ) throws -> JournalledMutation {
        var mutation = mutation
        let present = try rows.row(mutation.id)
        if let present {
            let fields = try rows.fields(of: present.sequence)
            mutation.fields.merge(fields) { journalled, _ in journalled }
        }
        guard present == nil || mutation.isSealed else { return mutation }
        mutation.status = "FAILED"
        mutation.isSealed = true
        mutation.nextAttempt = nil
        mutation.snapshot = nil
        mutation.lastError = Self.incompleteError
        return mutation
    }

    static let incompleteError =
        "a part of this change was lost with damaged files: see what is there, and enter what is not"

    /// A change that was offered, as a new mutation behind all that waits: whoever takes it makes it
    /// now.
    func restore(_ offered: JournalledMutation, asNew id: String) throws {
        var mutation = offered
        mutation.id = id
        mutation.status = "PENDING"
        mutation.isSealed = false
        (mutation.retryCount, mutation.nextAttempt) = (0, nil)
        (mutation.lastError, mutation.snapshot) = (nil, nil)
        // What is made now was not made before a loss of scope, and is whole.
        for column in ["pull_position", "is_part"] { mutation.others[column] = nil }
        for name in mutation.fields.keys.sorted() {
            mutation.fields[name]?.lamport = try tickLamport()
        }
        mutation.lamport = try mutation.fields.values.map(\.lamport).max() ?? tickLamport()
        let isStandIn = try makeRecord(of: mutation)
        try insertRow(mutation, JournalledRows(self).otherColumns, isLast: true)
        try keepShadows(of: mutation)
        try keepOldBases(of: mutation, onStandIn: isStandIn)
        // Only a pull from the beginning tells whether the server has the record.
        if isStandIn, mutation.operation != "INSERT" { try restartPull() }
        try show(mutation.fields.keys, of: mutation.record)
    }

    /// Takes mutations out of the queue that the journal knows for settled. A record that stands only
    /// here then goes as well: the server has it, and a pull brings it, or nobody has.
    func withdraw(_ ids: [String]) throws {
        for id in ids {
            let row = try first(
                """
                SELECT seq_id, record_id FROM __sync_outbox
                WHERE mutation_id = ? AND status <> 'ACKNOWLEDGED'
                """, [.text(id)]
            ) { (try $0.integer(0), try $0.text(1)) }
            guard let (sequence, record) = row else { continue }
            let names = try fieldNames(ofMutation: sequence)
            try execute("DELETE FROM __sync_outbox WHERE seq_id = ?", [.integer(sequence)])
            try show(names, of: record)
            try removeUnknown(RecordID(record))
        }
    }

    private func removeUnknown(_ record: RecordID) throws {
        let isUnknown = try first(
            "SELECT version = 0 AND server_updated_at IS NULL FROM record WHERE id = ?",
            [.text(record.rawValue)]
        ) { try $0.flag(0) }
        guard isUnknown ?? false, try !holdsWork(record) else { return }
        try removeCopy(of: record)
    }

    private func show(_ names: some Sequence<FieldName>, of record: String) throws {
        for name in names { try showConfirmedOrNewest(name, of: RecordID(record)) }
    }

    /// The record stands in for itself until a pull brings the whole. The server knows it in the
    /// version that a change of it was made on; where the pull ends without it, it goes with its work,
    /// as any record that the server does not show.
    ///
    /// - Returns: whether it was missing.
    private func makeRecord(of mutation: JournalledMutation) throws -> Bool {
        let known = try first("SELECT 1 FROM record WHERE id = ?", [.text(mutation.record)]) { _ in
            true
        }
        guard known == nil else { return false }
        let version = mutation.fields.values.map(\.baseVersion).max() ?? 0
        let isNew = mutation.operation == "INSERT"
        try execute(
            """
            INSERT INTO record
                (id, table_name, parent_id, version, local_updated_at, server_updated_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(mutation.record), .text(mutation.table), DatabaseValue(mutation.parent),
                .integer(version), .text(mutation.createdAt),
                isNew ? .null : .text(mutation.createdAt),
            ])
        if !isNew {
            try execute(
                "INSERT INTO __sync_unseen (record_id, is_old) VALUES (?, 0)",
                [.text(mutation.record)])
        }
        return true
    }

    /// Bases of an older epoch stay what they are. A record that stands in for itself has its version
    /// from such a base: until the server shows it, everything on it counts as based on the old epoch.
    private func keepOldBases(of mutation: JournalledMutation, onStandIn: Bool) throws {
        let names = mutation.fields.filter(\.value.isOldBase).keys.sorted()
        guard !names.isEmpty else { return }
        for name in names { try keepOldBase(of: name, on: RecordID(mutation.record)) }
        if onStandIn { try noteUnseen(RecordID(mutation.record)) }
        try requireOldCursor()
    }

    /// - Returns: the names of the fields that were in it.
    private func removeRow(_ id: String) throws -> Set<FieldName> {
        let sequence = try first(
            "SELECT seq_id FROM __sync_outbox WHERE mutation_id = ?", [.text(id)]
        ) { try $0.integer(0) }
        guard let sequence else { return [] }
        let names = try fieldNames(ofMutation: sequence)
        try execute("DELETE FROM __sync_outbox WHERE seq_id = ?", [.integer(sequence)])
        return Set(names)
    }

    private func insertRow(
        _ mutation: JournalledMutation, _ columns: [String], isLast: Bool = false
    ) throws {
        let isFree =
            try first(
                "SELECT 1 FROM __sync_outbox WHERE seq_id = ?", [.integer(mutation.sequence)]
            ) { _ in false } ?? !isLast
        try execute(
            """
            INSERT INTO __sync_outbox (seq_id, mutation_id, table_name, record_id, operation,
                status, sealed, lamport, bytes, schema_version, retry_count, next_attempt_at,
                last_error, server_snapshot, created_at_utc)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                isFree ? .integer(mutation.sequence) : .null, .text(mutation.id),
                .text(mutation.table), .text(mutation.record), .text(mutation.operation),
                .text(mutation.status), DatabaseValue(mutation.isSealed),
                .integer(mutation.lamport), .integer(mutation.bytes),
                .integer(mutation.schemaVersion), .integer(mutation.retryCount),
                DatabaseValue(mutation.nextAttempt), DatabaseValue(mutation.lastError),
                DatabaseValue(mutation.snapshot), .text(mutation.createdAt),
            ])
        let sequence = lastInsertRowID
        for name in columns {
            guard let value = mutation.others[name] else { continue }
            try execute(
                "UPDATE __sync_outbox SET \(name) = ? WHERE seq_id = ?",
                [value, .integer(sequence)])
        }
        for (name, field) in mutation.fields { try insert(field, name, into: sequence) }
    }

    private func insert(
        _ field: JournalledMutation.Field, _ name: FieldName, into sequence: Int64
    ) throws {
        try execute(
            """
            INSERT INTO __sync_outbox_field
                (seq_id, name, value, base_value, base_version, lamport)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(sequence), .text(name), field.value, field.baseValue,
                .integer(field.baseVersion), .integer(field.lamport),
            ])
    }

    private func keepShadows(of mutation: JournalledMutation) throws {
        for (name, field) in mutation.fields where name != Mutation.deletedField {
            try keepShadow(of: field, name, in: mutation.record)
        }
    }

    /// What the server confirmed under a waiting change: the field as it stands here; where it does
    /// not, what the oldest change was made on. A pull brings what is newer.
    private func keepShadow(
        of field: JournalledMutation.Field, _ name: FieldName, in record: String
    ) throws {
        let key: [DatabaseValue] = [.text(record), .text(name)]
        try execute(
            """
            INSERT INTO __sync_shadow (record_id, name, value, lamport, node, version, present)
            SELECT record_id, name, value, lamport, node, version, 1 FROM field
            WHERE record_id = ?1 AND name = ?2 AND NOT EXISTS (
                SELECT 1 FROM __sync_shadow WHERE record_id = ?1 AND name = ?2)
            """, key)
        // Of a record that stands here whole, in an older version, nothing else was confirmed.
        let isWhole = try first(
            "SELECT digest IS NOT NULL FROM record WHERE id = ?", [.text(record)]
        ) { try $0.flag(0) }
        let isKnown = field.baseVersion > 0 && isWhole != true
        try execute(
            """
            INSERT INTO __sync_shadow (record_id, name, value, lamport, node, version, present)
            SELECT ?1, ?2, ?3, 0, '', ?4, ?5
            WHERE NOT EXISTS (SELECT 1 FROM __sync_shadow WHERE record_id = ?1 AND name = ?2)
            """,
            key + [
                isKnown ? field.baseValue : .null, .integer(field.baseVersion),
                DatabaseValue(isKnown),
            ])
    }

    /// Counters stand above everything that the journal ever saw.
    func raiseCounters(above replay: JournalReplay, by margin: Int64) throws {
        try execute(
            "UPDATE __sync_metadata SET value = max(value, ?) WHERE key = 'lamport'",
            [.integer(replay.highestLamport + margin)])
        let sequence = replay.highestSequence + margin
        try execute(
            "UPDATE sqlite_sequence SET seq = max(ifnull(seq, 0), ?) WHERE name = '__sync_outbox'",
            [.integer(sequence)])
        if changes == 0 {
            try execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES ('__sync_outbox', ?)",
                [.integer(sequence)])
        }
    }
}
