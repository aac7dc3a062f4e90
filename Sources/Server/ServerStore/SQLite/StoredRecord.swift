internal import Coding
internal import Replication
internal import SQLite

/// A record with all its fields, and what the server alone knows of it.
struct StoredRecord {
    var state: RecordState
    /// Where it belongs: its site, or, without one, the team that made it.
    let site: WriteSession.Site
    /// Milliseconds since 1970, UTC.
    var updatedAt: Int64
    /// Of the state as it is stored.
    let digest: RecordDigest

    var id: RecordID { state.id }
    var table: String { state.table }
    var parent: RecordID? { state.parent }
    var version: Int64 { state.version }
    var isDeleted: Bool { state.isDeleted }
    var fields: [FieldName: FieldRegister] { state.fields }

    func value(_ name: FieldName) -> FieldValue { state.fields[name]?.value ?? .null }

    func text(_ name: FieldName) -> String? {
        guard case .string(let text) = value(name) else { return nil }
        return text
    }

    /// Whether the record takes part in its site's digest.
    var counts: Bool { !isDeleted && version > 0 }

    /// The record as devices see it.
    var wire: WireRecord { state.wire(updatedAtUtc: SyncTimestamp.text(updatedAt)) }
}

extension WireRecord {
    /// Bytes of the record as JSON, from above.
    var estimatedBytes: Int {
        fields.reduce(300) { sum, field in
            sum + 150 + field.key.utf8.count + field.value.stamp.node.rawValue.utf8.count
                + field.value.value.estimatedBytes
        }
    }
}

extension Verdict {
    /// Bytes of the verdict as JSON, from above.
    var estimatedBytes: Int {
        conflicts.reduce(400 + (record?.estimatedBytes ?? 0)) { sum, conflict in
            sum + 300 + conflict.column.utf8.count + conflict.base.estimatedBytes
                + conflict.mine.estimatedBytes + conflict.theirs.estimatedBytes
        }
    }
}

extension Verdict {
    /// Bytes of one verdict, estimated from above: less than a device reads, and more than a full
    /// record has.
    static let mostBytes = 6 << 20

    /// Without the record, which comes by pull, where it is too much beside the conflicts.
    var readable: Verdict {
        guard estimatedBytes > Verdict.mostBytes else { return self }
        var verdict = self
        verdict.record = nil
        return verdict
    }
}

extension FieldValue {
    /// What a text takes in JSON; numbers are within what is counted for their field.
    var estimatedBytes: Int {
        guard case .string(let text) = self else { return 0 }
        return text.utf8.reduce(0) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) }
    }
}

extension StoredRecord {
    static let select = """
        SELECT id, table_name, parent_id, site_id, team_id, version, updated_at, position,
            digest, is_deleted
        FROM record
        """

    /// The record without its fields.
    init(row: Row) throws {
        state = RecordState(
            table: try row.text(1), id: RecordID(try row.text(0)),
            parent: try row.optionalText(2).map { RecordID($0) }, version: try row.integer(5))
        site = WriteSession.Site(id: try row.text(3), team: try row.text(4))
        updatedAt = try row.integer(6)
        digest = try RecordDigest(bytes: row.blob(8))
    }
}

extension Connection {
    func record(_ id: RecordID) throws -> StoredRecord? {
        let found = try first(
            StoredRecord.select + " WHERE id = ?", [.text(id.rawValue)], StoredRecord.init(row:))
        guard var record = found else { return nil }
        record.state.fields = try fields(of: id)
        return record
    }

    func fields(of id: RecordID) throws -> [FieldName: FieldRegister] {
        var fields: [FieldName: FieldRegister] = [:]
        try each(
            """
            SELECT name, value, lamport, node, version, foreign_version
            FROM field WHERE record_id = ?
            """, [.text(id.rawValue)]
        ) { row in
            fields[try row.text(0)] = FieldRegister(
                value: try row.fieldValue(1),
                stamp: Stamp(
                    lamport: try row.integer(2), node: NodeID(rawValue: try row.text(3))),
                version: try row.integer(4), foreignVersion: try row.integer(5))
        }
        return fields
    }

    func siteDigest(_ site: WriteSession.Site) throws -> SiteDigest {
        let sum = try first(
            "SELECT sum FROM site_digest WHERE site_id = ? AND team_id = ?",
            [.text(site.id), .text(site.team)]
        ) { try $0.blob(0) }
        return try sum.map { try SiteDigest(bytes: $0) } ?? SiteDigest()
    }
}
