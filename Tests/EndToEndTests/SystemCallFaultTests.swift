import Foundation
import TestSupport
import Testing

/// The so many-th call of the system for a file of the home fails, by strace(1). Without `-P` the loader
/// would be hit and nothing be shown.
///
/// CI tries some points; `WALKDOWN_CALL_FAULTS=all` tries each call with each error.
@Suite("A call of the system fails", .serialized)
struct SystemCallFaultTests {
    /// A call, and how it may fail.
    struct Fault {
        var call: String
        var error: String
        /// Which of these calls: from 1 on.
        var place: Int
    }

    /// As strace names them, with the errors that Linux gives for them.
    private static let errors: [String: [String]] = [
        "pwrite64": ["EIO", "ENOSPC", "EINTR"], "pread64": ["EIO", "EINTR"],
        "read": ["EIO"], "write": ["EIO", "ENOSPC"],
        "fdatasync": ["EIO", "ENOSPC"], "fsync": ["EIO"], "ftruncate": ["EIO", "ENOSPC"],
        "openat": ["EMFILE", "ENOMEM", "EIO", "EINTR"], "mmap": ["ENOMEM"], "fstat": ["EIO"],
        "newfstatat": ["EIO", "ENOMEM"], "fcntl": ["EIO", "ENOLCK"], "unlink": ["EIO"],
        "rename": ["EIO", "ENOSPC"], "link": ["EIO"], "access": ["EIO"], "getdents64": ["EIO"],
    ]

    private static let fewPoints = 150

    @Test("R-4 in an edit: no crash, nothing called saved that is not, nothing saved before lost")
    func edits() throws {
        let bench = try FaultBench()
        let log = bench.world.folder.file("strace")
        let all = try bench.withCopy { copy in
            let attempt = try copy.attempt(
                ["set", bench.inspection, FaultBench.edit],
                under: Self.watching(Array(Self.errors.keys), in: copy.home, log: log))
            try #require(attempt.status == 0, "strace(1) is needed: \(attempt.messages)")
            return try Self.faults(in: log)
        }
        try #require(all.count > 100, "strace saw only \(all.count) calls")
        var random = SeededRandom(seed: UInt64.random(in: 0...UInt64.max))
        let chosen =
            ProcessInfo.processInfo.environment["WALKDOWN_CALL_FAULTS"] == "all"
            ? all : Array(all.shuffled(using: &random).prefix(Self.fewPoints))
        var hits = 0
        for fault in chosen {
            try bench.withCopy { copy in
                let injection =
                    "inject=\(fault.call):error=\(fault.error):when=\(fault.place)"
                try bench.edit(
                    on: copy,
                    under: Self.watching([fault.call], in: copy.home, log: log)
                        + ["-e", injection], injection)
            }
            let text = FileManager.default.contents(atPath: log) ?? Data()
            if String(decoding: text, as: UTF8.self).contains("INJECTED") { hits += 1 }
        }
        #expect(hits > chosen.count / 2, "only \(hits) of \(chosen.count) were hit")
    }

    /// strace with an eye on these calls for the files of the home.
    private static func watching(_ calls: [String], in home: String, log: String) -> [String] {
        let names = [
            "walkdown.db", "walkdown.db-wal", "walkdown.db-shm",
            "journal", "journal/00000001.journal", "journal/00000002.journal",
            "journal/00000003.journal",
        ]
        return ["strace", "-f", "--seccomp-bpf", "-qq", "-o", log]
            + names.flatMap { ["-P", home + "/" + $0] }
            + ["-e", "trace=" + calls.joined(separator: ",")]
    }

    /// Each call that was seen, with each of its errors.
    private static func faults(in log: String) throws -> [Fault] {
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: log)), as: UTF8.self)
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            // PID CALL(…
            let rest = line.drop { $0 != " " }.drop { $0 == " " }
            counts[String(rest.prefix { $0 != "(" }), default: 0] += 1
        }
        return counts.sorted { $0.key < $1.key }.flatMap { call, count in
            (errors[call] ?? []).flatMap { error in
                (1...count).map { Fault(call: call, error: error, place: $0) }
            }
        }
    }
}
