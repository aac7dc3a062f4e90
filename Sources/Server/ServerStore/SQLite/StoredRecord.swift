internal import Coding
internal import Replication
internal import SQLite

/// A record as the server holds it, with all its fields.
struct StoredRecord {
    let id: RecordID
    let table: String
    let parent: RecordID?
    /// Where it belongs: its site, or, without one, the team that made it.
    let site: WriteSession.Site
    var version: Int64
    var isDeleted: Bool
    var digest: [UInt8]
    /// Milliseconds since 1970, UTC.
    var updatedAt: Int64
    var fields: [FieldName: FieldRegister]

    /// The record that an INSERT begins.
    init(new mutation: Mutation, site: WriteSession.Site) {
        id = mutation.record
        table = mutation.table
        parent = mutation.parent
        self.site = site
        version = 0
        isDeleted = false
        digest = []
        updatedAt = 0
        fields = [:]
    }

    func text(_ name: FieldName) -> String? {
        guard case .string(let text) = fields[name]?.value else { return nil }
        return text
    }
}

extension StoredRecord {
    static let select = """
        SELECT id, table_name, parent_id, site_id, team_id, version, is_deleted, digest,
            updated_at, position
        FROM record
        """

    /// The record without its fields.
    init(row: Row) throws {
        id = RecordID(rawValue: try row.text(0))
        table = try row.text(1)
        parent = try row.optionalText(2).map { RecordID(rawValue: $0) }
        site = WriteSession.Site(id: try row.text(3), team: try row.text(4))
        version = try row.integer(5)
        isDeleted = try row.flag(6)
        digest = try row.blob(7)
        updatedAt = try row.integer(8)
        fields = [:]
    }
}

extension Connection {
    func record(_ id: RecordID) throws -> StoredRecord? {
        let found = try first(
            StoredRecord.select + " WHERE id = ?", [.text(id.rawValue)], StoredRecord.init(row:))
        guard var record = found else { return nil }
        record.fields = try fields(of: id)
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
