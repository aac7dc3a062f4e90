import Coding
import Crypto
import LocalStore
import Replication
import SQLite
import Vault

/// `edit_commit`: one field edit through the store (SQLCipher, triggers, `synchronous = FULL`),
/// beside the same SQL in a bare loop of prepared statements on the same file.
enum EditCommit {
    static func measure(edits: Int = 2000) throws -> Figure {
        let bench = try BenchHome()
        let inspection = try bench.inspection()
        var ours = Sample()
        for number in 0..<edits {
            let value = FieldValue.string("bench \(number)")
            try ours.time { try bench.store.set([("notes", value)], on: inspection) }
        }
        try bench.store.close()
        let bare = try bareLoop(in: bench, inspection: inspection, edits: edits)
        return figure(ours: ours, bare: bare)
    }

    /// BEGIN IMMEDIATE, the UPDATE that fires the same triggers, COMMIT with its fsync.
    private static func bareLoop(
        in bench: BenchHome, inspection: RecordID, edits: Int
    ) throws -> Sample {
        let connection = try bench.key.withBytes { key in
            try Connection.open(bench.home.database, mode: .readWrite, key: key)
        }
        try registerFunctions(on: connection)
        var sample = Sample()
        for number in 0..<edits {
            let values: [DatabaseValue] = [
                .text("bare \(number)"), .text(inspection.rawValue), .text("notes"),
            ]
            try sample.time {
                try connection.execute("BEGIN IMMEDIATE")
                try connection.execute(
                    "UPDATE field SET value = ? WHERE record_id = ? AND name = ?", values)
                try connection.execute("COMMIT")
            }
        }
        try connection.close()
        return sample
    }

    private static func registerFunctions(on connection: Connection) throws {
        try connection.registerFunction("walkdown_uuid", arguments: 0, deterministic: false) { _ in
            .text(BenchSources.newID())
        }
        try connection.registerFunction("walkdown_now", arguments: 0, deterministic: false) { _ in
            .text(SyncTimestamp.text(BenchSources.now()))
        }
        try connection.registerFunction(
            "walkdown_refuses_text", arguments: 1, deterministic: true
        ) { _ in .integer(0) }
    }

    private static func figure(ours: Sample, bare: Sample) -> Figure {
        Figure(
            name: "edit_commit",
            readings: [
                .init(label: "p50", value: ours.p50, unit: "ms"),
                .init(label: "p99", value: ours.p99, unit: "ms"),
                .init(label: "bound p50", value: bare.p50, unit: "ms"),
                .init(label: "ratio", value: ours.p50 / bare.p50, unit: "x"),
            ],
            goals: [
                .init(text: "p50 within 1.5 x its bound", holds: ours.p50 <= 1.5 * bare.p50),
                .init(text: "p99 under 5 ms", holds: ours.p99 < 5),
            ])
    }
}
