import Coding
import Crypto
import Forms
import Glibc
import LocalStore
import Replication
import SQLite
import Vault

/// `edit_commit`: one field edit through the store (SQLCipher, triggers, `synchronous = FULL`, an entry
/// in the journal), beside the same SQL in a bare loop of prepared statements on the same file and one
/// write with fdatasync(2) into a file whose blocks are there.
enum EditCommit {
    static func measure(edits: Int = 2000) throws -> Figure {
        let bench = try BenchHome()
        let inspection = try bench.inspection()
        var ours = Sample()
        for number in 0..<edits {
            let value = FieldValue.string("bench \(number)")
            try ours.time {
                try bench.store.change(
                    inspection, by: [.answer(AnswerKey("notes"), value)])
            }
        }
        try bench.store.close()
        let bare = try bareLoop(in: bench, inspection: inspection, edits: edits)
        return figure(ours: ours, bare: bare)
    }

    /// BEGIN IMMEDIATE, the UPDATE that fires the same triggers, about as many bytes as an entry has into
    /// second file, COMMIT with its fsync.
    private static func bareLoop(
        in bench: BenchHome, inspection: RecordID, edits: Int
    ) throws -> Sample {
        let connection = try bench.key.withBytes { key in
            try Connection.open(bench.home.database, mode: .readWrite, key: key)
        }
        try registerFunctions(on: connection)
        let second = try SecondFile(bench.folder.path + "/second", byteCount: edits * 512)
        var sample = Sample()
        for number in 0..<edits {
            let values: [DatabaseValue] = [
                .text("bare \(number)"), .text(inspection.rawValue), .text("notes"),
            ]
            try sample.time {
                try connection.execute("BEGIN IMMEDIATE")
                try connection.execute(
                    "UPDATE field SET value = ? WHERE record_id = ? AND name = ?", values)
                try second.append(512)
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
        try connection.registerFunction(
            "walkdown_misfits", arguments: 2, deterministic: true
        ) { _ in .integer(0) }
    }

    private static func figure(ours: Sample, bare: Sample) -> Figure {
        Figure(
            name: "edit_commit",
            readings: [
                .init(label: "p50", value: ours.p50, unit: "ms"),
                .init(label: "p99", value: ours.p99, unit: "ms"),
                .init(label: "bound p50", value: bare.p50, unit: "ms"),
                .init(label: "bound p99", value: bare.p99, unit: "ms"),
                .init(label: "ratio", value: ours.p50 / bare.p50, unit: "x"),
            ],
            goals: [
                .init(text: "p50 within 1.5 x its bound", holds: ours.p50 <= 1.5 * bare.p50),
                .init(text: "p99 under 5 ms", holds: ours.p99 < 5),
            ])
    }
}

/// A file of zeros that is written from its beginning, each time on the disk when the call returns.
private final class SecondFile {
    private let descriptor: Int32
    private var end = 0

    init(_ path: String, byteCount: Int) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchFailure.program("cannot make \(path)") }
        try write(byteCount, value: 0)
        guard fsync(descriptor) == 0 else { throw BenchFailure.program("cannot fsync \(path)") }
        end = 0
    }

    deinit { close(descriptor) }

    func append(_ byteCount: Int) throws {
        try write(byteCount, value: 1)
        guard fdatasync(descriptor) == 0 else { throw BenchFailure.program("cannot fdatasync") }
    }

    private func write(_ byteCount: Int, value: UInt8) throws {
        let bytes = [UInt8](repeating: value, count: byteCount)
        guard pwrite(descriptor, bytes, byteCount, off_t(end)) == byteCount else {
            throw BenchFailure.program("cannot write the second file")
        }
        end += byteCount
    }
}
