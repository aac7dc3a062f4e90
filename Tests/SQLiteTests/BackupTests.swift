import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Backup")
struct BackupTests {
    @Test("A copy holds what was committed, and nothing of what was not")
    func copy() throws {
        let folder = try TemporaryFolder("copy")
        let source = try Connection.open(folder.file("a.db"), mode: .create)
        try source.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let reader = try Connection.open(folder.file("a.db"), mode: .readOnly)
        try source.run(script: "BEGIN; INSERT INTO t VALUES (2)")
        let copy = try Connection.open(folder.file("b.db"), mode: .create) {
            try reader.copy(into: $0)
        }
        #expect(try copy.query("SELECT a FROM t") { try $0.integer(0) } == [1])
        try source.execute("COMMIT")
        #expect(try source.query("SELECT a FROM t") { try $0.integer(0) } == [1, 2])
        for connection in [copy, reader, source] {
            #expect(connection.busyStatements == [])
            try connection.close()
        }
        #expect(try folder.names() == ["a.db", "b.db"])
    }

    @Test("V13 A copy holds what stands in the log alone, which a copy of the file lacks")
    func log() throws {
        let folder = try TemporaryFolder("copy")
        let source = try Connection.open(folder.file("a.db"), mode: .create)
        try source.run(script: "CREATE TABLE t (a)")
        try source.checkpoint(.truncate)
        try source.run(script: "INSERT INTO t VALUES (1), (2), (3)")
        try FileManager.default.copyItem(
            atPath: folder.file("a.db"), toPath: folder.file("file.db"))
        let copy = try Connection.open(folder.file("b.db"), mode: .create) {
            try source.copy(into: $0)
        }
        let file = try Connection.open(folder.file("file.db"), mode: .readWrite)
        func count(_ database: Connection) throws -> Int64? {
            try database.first("SELECT count(*) FROM t") { try $0.integer(0) }
        }
        #expect(try count(file) == 0)
        #expect(try count(copy) == 3)
        for connection in [copy, file, source] { try connection.close() }
    }

    @Test("A copy that fails into a database that is being written says why")
    func refused() throws {
        let folder = try TemporaryFolder("copy")
        let source = try Connection.open(folder.file("a.db"), mode: .create)
        let target = try Connection.open(folder.file("b.db"), mode: .create)
        try target.run(script: "BEGIN; CREATE TABLE t (a)")
        #expect(throws: SQLiteError.self) { try source.copy(into: target) }
        try target.execute("ROLLBACK")
        try target.close()
        try source.close()
    }
}
