import Coding
import Crypto
import Foundation
import LocalStore
import Replication
import SQLite
import Vault

/// `pull_apply`: pages of incoming records into the encrypted store, beside bare inserts of the
/// same cells in transactions of the same size.
enum PullApply {
    static let fieldsPerRecord = 8
    private static let recordsPerPage = 500

    static func measure(records: Int = 5000) throws -> Figure {
        let pages = Self.pages(records: records)
        let bench = try BenchHome()
        let ours = try elapsed {
            for page in pages { try bench.store.apply(page: page) }
        }
        let writeAhead = try size(of: bench.home.database + "-wal")
        try bench.store.close()
        let bare = try bareInserts(pages, in: bench)
        let fields = Double(records * fieldsPerRecord)
        let rate = fields / ours.seconds
        return Figure(
            name: "pull_apply (\(records) records of \(fieldsPerRecord) fields)",
            readings: [
                .init(label: "rate", value: rate, unit: "fields/s"),
                .init(label: "bare inserts", value: fields / bare.seconds, unit: "fields/s"),
                .init(label: "ratio", value: ours.seconds / bare.seconds, unit: "x"),
                .init(label: "WAL", value: writeAhead / 1_048_576, unit: "MiB"),
            ],
            goals: [
                .init(text: "at least 30,000 fields/s", holds: rate >= 30_000),
                .init(
                    text: "within 2 x its bound", holds: ours.seconds <= 2 * bare.seconds),
                .init(text: "WAL at most 128 MiB", holds: writeAhead <= 128 * 1_048_576),
            ])
    }

    private static func size(of path: String) throws -> Double {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return Double((attributes[.size] as? Int64) ?? 0)
    }

    static func pages(records: Int) -> [PullResponse] {
        (0..<pageCount(records: records)).map { page($0, records: records) }
    }

    static func pageCount(records: Int) -> Int {
        (records + recordsPerPage - 1) / recordsPerPage
    }

    /// - Parameter records: of all pages.
    static func page(_ page: Int, records: Int) -> PullResponse {
        let first = page * recordsPerPage
        let own = (first..<min(first + recordsPerPage, records)).map(record)
        return PullResponse(
            deltaRecords: own, results: [], removed: [], nextCursor: "c\(page)",
            hasMore: page < pageCount(records: records) - 1, digest: nil,
            server: ServerState(
                lamport: Int64(first), epoch: 1, timeUtc: "2026-03-02T08:00:00.000Z"))
    }

    private static func record(_ number: Int) -> WireRecord {
        let stamp = Stamp(
            lamport: Int64(number + 1), node: NodeID("00000000-0000-4000-8000-00000000000b"))
        var fields: [FieldName: WireRecord.Field] = [:]
        for field in 0..<fieldsPerRecord {
            let value: FieldValue =
                field % 2 == 0 ? .integer(Int64(number * field)) : .string("reading \(number)")
            fields["field_\(field)"] = WireRecord.Field(
                value: value, stamp: stamp, version: Int64(number + 1))
        }
        return WireRecord(
            table: "inspection", id: RecordID(BenchSources.newID()), parent: nil,
            version: Int64(number + 1), isDeleted: false, fields: fields,
            updatedAtUtc: "2026-03-02T08:00:00.000Z")
    }

    /// The same cells into tables of the same shape, without triggers, shadow or digest; a
    /// transaction for every 60 fields, as the store has it.
    private static func bareInserts(_ pages: [PullResponse], in bench: BenchHome) throws -> Duration
    {
        let connection = try bench.key.withBytes { key in
            try Connection.open(bench.home.database, mode: .readWrite, key: key)
        }
        try connection.run(script: bareTables)
        let records = pages.flatMap(\.deltaRecords)
        let perTransaction = 60 / fieldsPerRecord
        let duration = try elapsed {
            for first in stride(from: 0, to: records.count, by: perTransaction) {
                try connection.execute("BEGIN IMMEDIATE")
                for record in records[first..<min(first + perTransaction, records.count)] {
                    try insert(record, connection)
                }
                try connection.execute("COMMIT")
            }
        }
        try connection.close()
        return duration
    }

    private static let bareTables = """
        CREATE TABLE bare_record (
            id TEXT PRIMARY KEY NOT NULL, table_name TEXT, parent_id TEXT, version INTEGER,
            is_deleted INTEGER, server_updated_at TEXT) WITHOUT ROWID;
        CREATE TABLE bare_field (
            record_id TEXT NOT NULL, name TEXT NOT NULL, value, lamport INTEGER, node TEXT,
            version INTEGER, PRIMARY KEY (record_id, name)) WITHOUT ROWID;
        """

    private static func insert(_ record: WireRecord, _ connection: Connection) throws {
        try connection.execute(
            "INSERT INTO bare_record VALUES (?, ?, ?, ?, ?, ?)",
            [
                .text(record.id.rawValue), .text(record.table), .null, .integer(record.version),
                .integer(0), .text(record.updatedAtUtc),
            ])
        for (name, field) in record.fields {
            try connection.execute(
                "INSERT INTO bare_field VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .text(record.id.rawValue), .text(name), DatabaseValue(field.value),
                    .integer(field.stamp.lamport), .text(field.stamp.node.rawValue),
                    .integer(field.version),
                ])
        }
    }
}
