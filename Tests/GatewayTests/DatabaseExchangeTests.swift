import Arguments
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Gateway

#if canImport(Glibc)
    import Glibc
#endif

@Suite("The place of a database")
struct DatabaseExchangeTests {
    private let folder: TemporaryFolder
    private var database: String { folder.file("server.db") }
    private var incoming: String { folder.file("server.db.restoring") }

    init() throws {
        folder = try TemporaryFolder("exchange")
        for (name, text) in [
            ("server.db", "old"), ("server.db-wal", "log"), ("server.db.restoring", "new"),
        ] {
            _ = try folder.write(text, to: name)
        }
    }

    /// A disk on which these calls of `rename` fail, counted from 1.
    private func exchange(failing: Set<Int>) -> DatabaseExchange {
        let calls = Calls()
        return DatabaseExchange(database) { path, name in
            guard !failing.contains(calls.next()) else {
                errno = EIO
                return -1
            }
            return Glibc.rename(path, name)
        }
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder.file(name), encoding: .utf8)
    }

    @Test("what stood there is kept beside it, with its log")
    func done() throws {
        #expect(try exchange(failing: []).take(incoming) == database + ".before-restore")
        #expect(
            try folder.names() == [
                "server.db", "server.db.before-restore", "server.db.before-restore-wal",
            ])
        #expect(try text("server.db") == "new")
    }

    @Test("where a file cannot be renamed, all is as it was", arguments: [1, 2, 3])
    func undone(call: Int) throws {
        #expect(throws: Failure.self) { try exchange(failing: [call]).take(incoming) }
        #expect(
            try folder.names() == ["server.db", "server.db-wal", "server.db.restoring"])
        #expect(try text("server.db") == "old")
        #expect(try text("server.db-wal") == "log")
    }

    @Test("where that fails too, the error names what lies where")
    func stuck() throws {
        do {
            _ = try exchange(failing: [3, 4]).take(incoming)
            Issue.record("it was not done")
        } catch {
            let words = error.sentence + (error.advice ?? "")
            #expect(words.contains(database + ".before-restore"))
            #expect(words.contains(database + ".before-restore-wal"))
            #expect(words.contains("by hand"))
        }
    }
}

private final class Calls: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
