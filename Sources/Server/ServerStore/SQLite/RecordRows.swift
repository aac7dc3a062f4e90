internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

extension WriteSession {
    /// Writes a record and those of its fields that changed, moves it to the end of the feed, and
    /// keeps the digest of its site: all of confirmed state changes here and nowhere else.
    func save(_ record: StoredRecord, before: StoredRecord?) throws {
        try saveRow(record, isNew: before == nil)
        for (name, register) in record.fields where register != before?.fields[name] {
            try save(register, name: name, of: record.id)
        }
        try changeDigest(of: record.site) { sum in
            if let before, before.counts { sum.subtract(before.digest) }
            if record.counts { sum.add(record.digest) }
        }
    }

    private func saveRow(_ record: StoredRecord, isNew: Bool) throws {
        let position = advance()
        let deletedAt = record.isDeleted ? DatabaseValue.integer(now) : .null
        guard isNew else {
            return try connection.execute(
                """
                UPDATE record SET version = ?, position = ?, is_deleted = ?, deleted_at = ?,
                    digest = ?, updated_at = ?
                WHERE id = ?
                """,
                [
                    .integer(record.version), .integer(position), DatabaseValue(record.isDeleted),
                    deletedAt, .blob(record.digest.bytes), .integer(now), .text(record.id.rawValue),
                ])
        }
        try connection.execute(
            """
            INSERT INTO record (id, table_name, parent_id, site_id, team_id, version, position,
                is_deleted, deleted_at, digest, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(record.id.rawValue), .text(record.table),
                DatabaseValue(record.parent?.rawValue), .text(record.site.id),
                .text(record.site.team), .integer(record.version), .integer(position),
                DatabaseValue(record.isDeleted), deletedAt, .blob(record.digest.bytes),
                .integer(now),
                .integer(now),
            ])
    }

    private func save(_ register: FieldRegister, name: FieldName, of id: RecordID) throws {
        try connection.execute(
            """
            INSERT OR REPLACE INTO field
                (record_id, name, value, lamport, node, version, foreign_version)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(id.rawValue), .text(name), DatabaseValue(register.value),
                .integer(register.stamp.lamport), .text(register.stamp.node.rawValue),
                .integer(register.version), .integer(register.foreignVersion),
            ])
    }

    /// Keeps a value that lost, or that another one took the place of.
    func keep(
        _ entry: HistoryEntry, of record: RecordID, version: Int64, because mutation: MutationID
    )
        throws
    {
        try connection.execute(
            """
            INSERT INTO history
                (record_id, name, value, lamport, node, version, rule, mutation_id, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(record.rawValue), .text(entry.field), DatabaseValue(entry.value),
                .integer(entry.stamp.lamport), .text(entry.stamp.node.rawValue), .integer(version),
                .text(entry.rule.rawValue), .text(mutation.rawValue), .integer(now),
            ])
    }
}
