internal import Coding
internal import Replication
internal import SQLite

/// What the server said, while it is written into the tables in one transaction.
///
/// Repeating it is harmless: a record is taken only if its version is newer, and the version is
/// written together with the last of its fields.
final class RemoteApplication {
    let database: Connection
    let nowUtc: String
    let newID: () -> String
    var sums: SiteSums

    init(database: Connection, nowUtc: String, newID: @escaping () -> String) {
        self.database = database
        self.nowUtc = nowUtc
        self.newID = newID
        sums = SiteSums(database)
    }

    func take(_ step: ApplyStep, _ report: inout PageReport) throws {
        switch step {
        case .fields(let record, let names, let isFirst, let isLast):
            let wasNewer = try apply(record, names: names, isFirst: isFirst, isLast: isLast)
            if wasNewer && isLast { report.records += 1 }
        case .verdict(let verdict, let isAnswer):
            // A decision says nothing of the fields that the verdict before it left to the
            // inspector. Where that one never arrived, the mutation is pushed again and hears both.
            guard try isAnswer || !waitsToBeSent(verdict.mutationId) else { return }
            try settle(verdict, &report.verdicts)
        case .removal(let id):
            if try remove(id) { report.removed += 1 }
        }
    }

    private func waitsToBeSent(_ id: MutationID) throws -> Bool {
        try database.status(of: id) == "PENDING"
    }

    /// The counter of the server, and the epoch that gives versions their meaning.
    func note(_ server: ServerState) throws {
        try database.execute(
            "UPDATE __sync_metadata SET value = max(value, ?) WHERE key = 'lamport'",
            [.integer(server.lamport)])
        try database.execute(
            "UPDATE __sync_metadata SET value = ? WHERE key = 'server_epoch' AND value IS NOT ?",
            [.integer(server.epoch), .integer(server.epoch)])
    }

    func writeSiteSums() throws { try sums.write() }

    // MARK: One record

    private struct Known {
        var version: Int64
        var isDeleted: Bool
        var digest: RecordDigest?
    }

    private func known(_ id: RecordID) throws -> Known? {
        try database.first(
            "SELECT version, is_deleted, digest FROM record WHERE id = ?", [.text(id.rawValue)]
        ) { row in
            Known(
                version: try row.integer(0), isDeleted: try row.flag(1),
                digest: row.isNull(2) ? nil : try RecordDigest(bytes: row.blob(2)))
        }
    }

    /// - Returns: whether the record was newer than what is here.
    private func apply(
        _ record: WireRecord, names: ArraySlice<FieldName>, isFirst: Bool, isLast: Bool
    ) throws -> Bool {
        let known = try known(record.id)
        if let known, known.version >= record.version { return false }
        if known == nil { try insert(record) }
        let isNew = known == nil && isFirst
        let waiting = isNew ? [] : try waitingFields(of: record.id)
        let present = isNew ? [] : try fieldNames(of: record.id)
        for name in names {
            guard let field = record.fields[name] else { continue }
            try write(
                field, to: name, of: record.id, waits: waiting.contains(name),
                exists: present.contains(name))
        }
        guard isLast else { return true }
        for name in present.union(waiting) where record.fields[name] == nil {
            try clear(name, in: record, waits: waiting.contains(name))
        }
        try finish(record, known)
        return true
    }

    private func insert(_ record: WireRecord) throws {
        try database.execute(
            """
            INSERT INTO record (id, table_name, parent_id, server_updated_at) VALUES (?, ?, ?, ?)
            """,
            [
                .text(record.id.rawValue), .text(record.table),
                DatabaseValue(record.parent?.rawValue), .text(record.updatedAtUtc),
            ])
        try sums.adoptChildren(of: record.id)
    }

    /// Fields with a shadow: a change of them waits, or they are on the screen.
    private func waitingFields(of id: RecordID) throws -> Set<FieldName> {
        try Set(
            database.query(
                "SELECT name FROM __sync_shadow WHERE record_id = ?", [.text(id.rawValue)]
            ) { try $0.text(0) })
    }

    private func fieldNames(of id: RecordID) throws -> Set<FieldName> {
        try Set(
            database.query("SELECT name FROM field WHERE record_id = ?", [.text(id.rawValue)]) {
                try $0.text(0)
            })
    }

    private func write(
        _ field: WireRecord.Field, to name: FieldName, of id: RecordID, waits: Bool, exists: Bool
    ) throws {
        let values: [DatabaseValue] = [
            DatabaseValue(field.value), .integer(field.stamp.lamport),
            .text(field.stamp.node.rawValue), .integer(field.version), .text(id.rawValue),
            .text(name),
        ]
        try database.execute(waits ? Self.toShadow : exists ? Self.toField : Self.newField, values)
    }

    private static let toShadow = """
        UPDATE __sync_shadow SET value = ?, lamport = ?, node = ?, version = ?, present = 1
        WHERE record_id = ? AND name = ?
        """
    private static let toField = """
        UPDATE field SET value = ?, lamport = ?, node = ?, version = ?
        WHERE record_id = ? AND name = ?
        """
    private static let newField = """
        INSERT INTO field (value, lamport, node, version, record_id, name)
        VALUES (?, ?, ?, ?, ?, ?)
        """

    /// A field that the server's record does not name has no value there.
    private func clear(_ name: FieldName, in record: WireRecord, waits: Bool) throws {
        let table = waits ? "__sync_shadow" : "field"
        try database.execute(
            "UPDATE \(table) SET value = NULL, version = ? WHERE record_id = ? AND name = ?",
            [.integer(record.version), .text(record.id.rawValue), .text(name)])
    }

    private func finish(_ record: WireRecord, _ known: Known?) throws {
        let digest = record.isDeleted ? nil : Self.digest(of: record)
        // A deletion that still waits here is shown, whatever the server says meanwhile.
        let isDeleted =
            try record.isDeleted || (known?.isDeleted ?? false && deletionWaits(record.id))
        try database.execute(
            """
            UPDATE record SET version = ?, is_deleted = ?, server_updated_at = ?, digest = ?
            WHERE id = ?
            """,
            [
                .integer(record.version), DatabaseValue(isDeleted), .text(record.updatedAtUtc),
                digest.map { .blob($0.bytes) } ?? .null, .text(record.id.rawValue),
            ])
        try sums.replace(known?.digest, by: digest, of: record.id)
    }

    /// The server's record is the whole confirmed state, so its digest is this record's.
    private static func digest(of record: WireRecord) -> RecordDigest {
        RecordDigest(
            id: record.id, version: record.version, fields: record.fields.mapValues(\.value))
    }

    private func deletionWaits(_ id: RecordID) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM __sync_outbox
            WHERE record_id = ? AND operation = 'DELETE' AND status <> 'ACKNOWLEDGED'
            """, [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    // MARK: Out of scope

    /// Removes a record that this device may not see any more. One with work that waits stays until
    /// that is settled, but is not part of the digest.
    private func remove(_ id: RecordID) throws -> Bool {
        guard let known = try known(id) else { return false }
        try sums.replace(known.digest, by: nil, of: id)
        let key: [DatabaseValue] = [.text(id.rawValue)]
        let waits = try database.first(
            """
            SELECT 1 WHERE EXISTS (
                    SELECT 1 FROM __sync_outbox
                    WHERE record_id = ?1 AND status <> 'ACKNOWLEDGED')
                OR EXISTS (SELECT 1 FROM draft WHERE record_id = ?1)
            """, key
        ) { _ in true }
        if waits ?? false {
            try database.execute("UPDATE record SET digest = NULL WHERE id = ?", key)
            return false
        }
        try sums.disownChildren(of: id)
        for statement in [
            "DELETE FROM __sync_shadow WHERE record_id = ?",
            "DELETE FROM __sync_held WHERE record_id = ?",
            "DELETE FROM field WHERE record_id = ?", "DELETE FROM record WHERE id = ?",
        ] {
            try database.execute(statement, key)
        }
        return true
    }
}
