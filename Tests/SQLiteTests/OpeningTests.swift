import Foundation
import TestSupport
import Testing

@testable import SQLite

@Suite("Opening a database")
struct OpeningTests {
    private func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private let plainHeader = Array("SQLite format 3\0".utf8)

    @Test("no room for the index of the log is a full disk; other input/output errors are none")
    func noRoom() {
        let index = SQLiteError(.engine(10), extendedCode: 10 | 19 << 8, "disk I/O error")
        #expect(index.isFull && index.isIO)
        let read = SQLiteError(.engine(10), extendedCode: 10 | 1 << 8, "disk I/O error")
        #expect(!read.isFull && read.isIO)
    }

    @Test("V14 an engine that damages databases by its savepoints is refused, no other one")
    func engines() {
        for unsound in [3_035_000, 3_036_000, 3_037_000, 3_037_001] as [Int32] {
            #expect(!Connection.isSound(engineVersion: unsound), "\(unsound)")
        }
        // Debian 11, 12 and 13, and SQLCipher's of 12.
        for sound in [3_015_002, 3_034_001, 3_037_002, 3_040_001, 3_046_001] as [Int32] {
            #expect(Connection.isSound(engineVersion: sound), "\(sound)")
        }
    }

    @Test("Every pragma reads back as it was set", arguments: [false, true])
    func pragmas(readOnly: Bool) throws {
        let scratch = try Scratch()
        do {
            let database = try scratch.open()

            try scratch.close(database)
        }
        let database = try scratch.open(readOnly ? .readOnly : .readWrite)
        let expected: [String: DatabaseValue] = [
            "journal_mode": "wal", "foreign_keys": 1, "synchronous": 2, "temp_store": 2,
            "secure_delete": 1, "busy_timeout": 5000, "wal_autocheckpoint": 0,
            "cache_size": -65536, "recursive_triggers": 1, "auto_vacuum": 2,
            "query_only": readOnly ? 1 : 0,
        ]
        for (name, value) in expected {
            #expect(try database.pragma(name) == value, "\(name)")
        }
        try scratch.close(database)
    }

    @Test("A key encrypts from the first byte, or plain SQLite refuses it")
    func keyed() throws {
        let scratch = try Scratch()
        guard cipher != nil else {
            #expect(throws: SQLiteError.self) {
                try Scratch.withKey { try Connection.open(scratch.path, mode: .create, key: $0) }
            }
            #expect(!FileManager.default.fileExists(atPath: scratch.path))
            return
        }
        let database = try Scratch.withKey {
            try Connection.open(scratch.path, mode: .create, key: $0)
        }
        try database.execute("CREATE TABLE reading (value TEXT)")
        try database.execute("INSERT INTO reading VALUES (?)", ["MARKER-160.5-PSI"])
        for suffix in ["", "-wal"] {
            let content = try bytes(scratch.path + suffix)
            #expect(Array(content.prefix(16)) != plainHeader)
            #expect(Data(content).range(of: Data("MARKER".utf8)) == nil)
        }
        try database.close()
        #expect(Array(try bytes(scratch.path).prefix(16)) != plainHeader)
    }

    @Test("Another key is code 26 and leaves the file byte for byte as it was")
    func wrongKey() throws {
        guard cipher != nil else { return try plainReadsNoKey() }
        let scratch = try Scratch()
        try Scratch.withKey { try Connection.open(scratch.path, mode: .create, key: $0).close() }
        let before = try bytes(scratch.path)
        do {
            _ = try Scratch.withKey(8) {
                try Connection.open(scratch.path, mode: .readWrite, key: $0)
            }
            Issue.record("another key opened the database")
        } catch let error as SQLiteError {
            #expect(error.isNotADatabase)
            #expect(!error.description.lowercased().contains("pin"))
            #expect(!error.description.contains("0808"))
        }
        #expect(try bytes(scratch.path) == before)
    }

    private func plainReadsNoKey() throws {
        let scratch = try Scratch()
        do {
            let database = try scratch.open()

            try scratch.close(database)
        }
        do {
            _ = try Scratch.withKey {
                try Connection.open(scratch.path, mode: .readWrite, key: $0)
            }
            Issue.record("plain SQLite took a key")
        } catch let error as SQLiteError {
            #expect(error.reason == .noCipher)
        }
    }

    @Test("A key is 32 bytes and nothing else", arguments: [0, 16, 31, 33, 64])
    func keyLength(count: Int) throws {
        let scratch = try Scratch()
        do {
            _ = try Scratch.withKey(count: count) {
                try Connection.open(scratch.path, mode: .create, key: $0)
            }
            Issue.record("a key of \(count) bytes was taken")
        } catch let error as SQLiteError {
            #expect(error.reason == .malformedKey)
        }
    }

    @Test("An existing file is never made again, a missing one never made by opening")
    func existing() throws {
        let scratch = try Scratch()
        #expect(throws: SQLiteError.self) {
            try Connection.open(scratch.path, mode: .readWrite)
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.path))
        do {
            let database = try scratch.open()
            try database.execute("CREATE TABLE kept (a)")
            try scratch.close(database)
        }
        do {
            _ = try Connection.open(scratch.path, mode: .create)
            Issue.record("a database was made over another")
        } catch let error as SQLiteError {
            #expect(error.reason == .exists)
        }
        let database = try scratch.open(.readWrite)
        #expect(try database.query("SELECT * FROM kept") { $0.count } == [])
        try scratch.close(database)
    }

    @Test("A file cut to nothing is damage, not a new database")
    func truncated() throws {
        let scratch = try Scratch()
        try Data().write(to: URL(fileURLWithPath: scratch.path))
        for mode in [Connection.Mode.readWrite, .readOnly, .create] {
            #expect(throws: SQLiteError.self) { try Connection.open(scratch.path, mode: mode) }
        }
        #expect(try bytes(scratch.path).isEmpty)
    }

    @Test("V07 a first creation that fails or dies blocks no later one")
    func failedCreation() throws {
        struct PowerCut: Error {}
        let scratch = try Scratch()
        #expect(throws: PowerCut.self) {
            try Connection.open(scratch.path, mode: .create) { database throws in
                try database.execute("CREATE TABLE half (a)")
                throw PowerCut()
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
        // What a killed process leaves: parts under the working name, with another key.
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let leftover = URL(fileURLWithPath: scratch.path + ".new" + suffix)
            try Data(repeating: 0x5A, count: 5000).write(to: leftover)
        }
        do {
            let database = try scratch.open()
            try database.execute("CREATE TABLE whole (a)")
            try scratch.close(database)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
                == ["walkdown.db"])
    }

    @Test("A log without its database is not overwritten by a new one")
    func orphanedLog() throws {
        let scratch = try Scratch()
        try Data(repeating: 1, count: 64).write(to: URL(fileURLWithPath: scratch.path + "-wal"))
        #expect(throws: SQLiteError.self) { try Connection.open(scratch.path, mode: .create) }
    }

    @Test("V08 a passing code 26 or read error is tried once more, a lasting one reported")
    func retriedOnce() throws {
        let scratch = try Scratch()
        do {
            let database = try scratch.open()

            try scratch.close(database)
        }
        for code in [Int32(26), 10] {
            var tries = 0
            let connection = try Connection.retriedOnce {
                tries += 1
                if tries == 1 { throw SQLiteError(.engine(code), "injected") }
                return try Connection.open(scratch.path, mode: .readWrite)
            }
            try connection.close()
            #expect(tries == 2)
            tries = 0
            #expect(throws: SQLiteError(.engine(code), "injected")) {
                try Connection.retriedOnce {
                    tries += 1
                    throw SQLiteError(.engine(code), "injected")
                }
            }
            #expect(tries == 2)
        }
    }

    @Test("The file and its log belong to their owner alone")
    func fileMode() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.execute("CREATE TABLE t (a)")
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: scratch.path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
        try scratch.close(database)
    }

    @Test("A reader refuses every write and never needs the writer to stand still")
    func reader() throws {
        let scratch = try Scratch()
        let writer = try scratch.open()
        try writer.execute("CREATE TABLE t (a)")
        let reader = try Connection.open(scratch.path, mode: .readOnly)
        #expect(throws: SQLiteError.self) { try reader.execute("INSERT INTO t VALUES (1)") }
        try writer.execute("BEGIN IMMEDIATE")
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(try rows(in: reader) == 0)
        try writer.execute("COMMIT")
        #expect(try rows(in: reader) == 1)
        try reader.close()
        try scratch.close(writer)
    }

    private func rows(in database: Connection) throws -> Int64? {
        try database.first("SELECT count(*) FROM t") { try $0.integer(0) }
    }
}
