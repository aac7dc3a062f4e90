internal import Replication
internal import SQLite

/// Pulled records and cells on their way into the tables: two temporary tables in memory, from
/// which a whole slice is written by a handful of statements.
///
/// A statement that fires triggers keeps the old image of each page that it touches, encrypted, in
/// case a trigger refuses it (sqlite.org/tempfiles.html, "Statement Journal Files"). Cell by cell
/// that is most of the work; for a whole slice it is once a page.
struct Staging {
    /// A record of which this slice brings something.
    struct Part {
        var record: WireRecord
        /// Whether the slice brings the last of its fields, and with them version and digest.
        var isComplete: Bool
        /// Whether the table has the record already.
        var isKnown: Bool
        /// What the table shall say; a deletion that waits here is shown meanwhile.
        var isDeleted: Bool
        var digest: RecordDigest?
    }

    private let database: Connection

    init(_ database: Connection) throws {
        self.database = database
        try database.execute(Self.cellTable)
        try database.execute(Self.recordTable)
    }

    private static let cellTable = """
        CREATE TEMP TABLE IF NOT EXISTS incoming_cell (
            record_id TEXT NOT NULL, name TEXT NOT NULL, value, lamport INTEGER NOT NULL,
            node TEXT NOT NULL, version INTEGER NOT NULL, is_known INTEGER NOT NULL,
            PRIMARY KEY (record_id, name)
        ) WITHOUT ROWID
        """

    private static let recordTable = """
        CREATE TEMP TABLE IF NOT EXISTS incoming_record (
            id TEXT PRIMARY KEY NOT NULL, table_name TEXT NOT NULL, parent_id TEXT,
            version INTEGER NOT NULL, is_deleted INTEGER NOT NULL, server_updated_at TEXT,
            digest BLOB, is_complete INTEGER NOT NULL, is_known INTEGER NOT NULL
        ) WITHOUT ROWID
        """

    func stage(_ part: Part) throws {
        let record = part.record
        // Version and digest come with the last field: a crash in between shows an older version,
        // and the whole record is applied again.
        try database.execute(
            "INSERT INTO temp.incoming_record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .text(record.id.rawValue), .text(record.table),
                DatabaseValue(record.parent?.rawValue),
                .integer(part.isComplete ? record.version : 0),
                DatabaseValue(part.isComplete && part.isDeleted), .text(record.updatedAtUtc),
                part.isComplete ? part.digest.map { .blob($0.bytes) } ?? .null : .null,
                DatabaseValue(part.isComplete), DatabaseValue(part.isKnown),
            ])
    }

    func stage(
        _ field: WireRecord.Field, _ name: FieldName, of id: RecordID, isKnown: Bool
    ) throws {
        try database.execute(
            "INSERT INTO temp.incoming_cell VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                .text(id.rawValue), .text(name), DatabaseValue(field.value),
                .integer(field.stamp.lamport), .text(field.stamp.node.rawValue),
                .integer(field.version), DatabaseValue(isKnown),
            ])
    }

    /// Moves everything into the tables and leaves the staging empty.
    func write(hasKnown: Bool) throws {
        try database.execute(Self.newRecords)
        if hasKnown {
            try database.execute(Self.knownRecords)
            try database.execute(Self.waitingCells)
            try database.execute(Self.knownCells)
        }
        try database.execute(Self.newCells)
        try database.execute("DELETE FROM temp.incoming_cell")
        try database.execute("DELETE FROM temp.incoming_record")
    }

    private static let newRecords = """
        INSERT INTO record
            (id, table_name, parent_id, version, is_deleted, server_updated_at, digest)
        SELECT id, table_name, parent_id, version, is_deleted, server_updated_at, digest
        FROM temp.incoming_record WHERE is_known = 0
        """

    private static let knownRecords = """
        UPDATE record SET (version, is_deleted, server_updated_at, digest) = (
            SELECT version, is_deleted, server_updated_at, digest
            FROM temp.incoming_record WHERE id = record.id)
        WHERE id IN (
            SELECT id FROM temp.incoming_record WHERE is_known = 1 AND is_complete = 1)
        """

    /// Under a change that waits, or a field on the screen, the shadow takes the value.
    private static let waitingCells = """
        UPDATE __sync_shadow SET (value, lamport, node, version, present) = (
            SELECT value, lamport, node, version, 1 FROM temp.incoming_cell AS cell
            WHERE cell.record_id = __sync_shadow.record_id AND cell.name = __sync_shadow.name)
        WHERE (record_id, name) IN (
            SELECT record_id, name FROM temp.incoming_cell WHERE is_known = 1)
        """

    private static let knownCells = """
        UPDATE field SET (value, lamport, node, version) = (
            SELECT value, lamport, node, version FROM temp.incoming_cell AS cell
            WHERE cell.record_id = field.record_id AND cell.name = field.name)
        WHERE (record_id, name) IN (
                SELECT record_id, name FROM temp.incoming_cell WHERE is_known = 1)
            AND NOT EXISTS (
                SELECT 1 FROM __sync_shadow AS shadow
                WHERE shadow.record_id = field.record_id AND shadow.name = field.name)
        """

    private static let newCells = """
        INSERT INTO field (record_id, name, value, lamport, node, version)
        SELECT record_id, name, value, lamport, node, version
        FROM temp.incoming_cell AS cell
        WHERE is_known = 0 OR NOT EXISTS (
            SELECT 1 FROM field
            WHERE field.record_id = cell.record_id AND field.name = cell.name
        ) AND NOT EXISTS (
            SELECT 1 FROM __sync_shadow AS shadow
            WHERE shadow.record_id = cell.record_id AND shadow.name = cell.name)
        """
}
