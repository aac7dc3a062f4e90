import Dispatch
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Transactions, migrations, integrity")
struct TransactionTests {
    struct Stop: Error {}

    @Test("A transaction is all or nothing, and the connection goes on after either")
    func rollback() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.execute("CREATE TABLE t (a)")
        #expect(throws: Stop.self) {
            try database.transaction { try insertAndStop(1, into: database) }
        }
        try database.transaction { try database.execute("INSERT INTO t VALUES (2)") }
        #expect(try database.query("SELECT a FROM t") { try $0.integer(0) } == [2])
        try scratch.close(database)
    }

    @Test("A savepoint that fails takes back its own part of the transaction")
    func savepoint() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.run(script: "CREATE TABLE t (a); BEGIN; INSERT INTO t VALUES (1)")
        #expect(throws: Stop.self) {
            try database.savepoint { try insertAndStop(2, into: database) }
        }
        try database.savepoint { try database.execute("INSERT INTO t VALUES (3)") }
        try database.execute("COMMIT")
        #expect(try database.query("SELECT a FROM t") { try $0.integer(0) } == [1, 3])
        try scratch.close(database)
    }

    private func insertAndStop(_ value: Int64, into database: Connection) throws {
        try database.execute("INSERT INTO t VALUES (?)", [.integer(value)])
        throw Stop()
    }

    @Test("A full disk leaves what was committed and no open transaction")
    func full() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let pages = try database.first("PRAGMA page_count") { try $0.integer(0) } ?? 0
        try database.run(script: "PRAGMA max_page_count = \(pages + 2)")
        do {
            try database.transaction {
                try database.execute("INSERT INTO t VALUES (zeroblob(1000000))")
            }
            Issue.record("the disk was not full")
        } catch let error as SQLiteError {
            #expect(error.isFull)
        }
        #expect(!database.isInTransaction)
        #expect(try database.query("SELECT a FROM t") { try $0.integer(0) } == [1])
        try scratch.close(database)
    }

    @Test("A second writer waits its timeout, then says busy")
    func busy() throws {
        let scratch = try Scratch()
        let writer = try scratch.open()
        try writer.execute("CREATE TABLE t (a)")
        let other = try Connection.open(scratch.path, mode: .readWrite, busyTimeout: 20)
        try writer.transaction {
            do {
                try other.transaction {}
                Issue.record("two writers at once")
            } catch let error as SQLiteError {
                #expect(error.isBusy)
            }
        }
        try other.close()
        try scratch.close(writer)
    }

    @Test("The durability of a commit is set between transactions and read back")
    func synchronous() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.setSynchronous(.normal)
        #expect(try database.pragma("synchronous") == 1)
        try database.setSynchronous(.full)
        #expect(try database.pragma("synchronous") == 2)
        #expect(throws: SQLiteError.self) {
            try database.transaction { try database.setSynchronous(.normal) }
        }
        #expect(try database.pragma("synchronous") == 2)
        try scratch.close(database)
    }

    @Test("A checkpoint empties the log when it is asked to, and only then")
    func checkpoint() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.execute("CREATE TABLE t (a)")
        try database.transaction {
            for _ in 0..<1500 { try database.execute("INSERT INTO t VALUES (zeroblob(4000))") }
        }
        let log = scratch.path + "-wal"
        let size = { try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0 }
        #expect(try size() > 1500 * 4096)
        try database.checkpoint(.truncate)
        #expect(try size() == 0)
        try scratch.close(database)
    }

    @Test("What an ended process left in the log is in the file once it is settled")
    func settledLog() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.execute("CREATE TABLE t (a)")
        try database.execute("INSERT INTO t VALUES (1)")
        // As the process leaves it that is killed here.
        let files = FileManager.default
        let (left, file) = (scratch.folder.path + "/left.db", scratch.folder.path + "/file.db")
        try files.copyItem(atPath: scratch.path, toPath: left)
        try files.copyItem(atPath: scratch.path + "-wal", toPath: left + "-wal")
        let next = try Connection.open(left, mode: .readWrite)
        try next.settleLog()
        try files.copyItem(atPath: left, toPath: file)
        let alone = try Connection.open(file, mode: .readWrite)
        #expect(try alone.query("SELECT a FROM t") { try $0.integer(0) } == [1])
        try scratch.close(alone)
        try scratch.close(next)
        try scratch.close(database)
    }

    @Test("Migrations run once, in order, and a failed one leaves nothing")
    func migrations() throws {
        let first = Migration("first") { try $0.execute("CREATE TABLE one (a)") }
        let second = Migration("second") { try $0.execute("CREATE TABLE two (a)") }
        let broken = Migration("broken") {
            try $0.execute("CREATE TABLE three (a)")
            throw Stop()
        }
        let scratch = try Scratch()
        let database = try scratch.open()
        try Migrations([first]).apply(to: database)
        try Migrations([first, second]).apply(to: database)
        try Migrations([first, second]).apply(to: database)
        #expect(throws: Stop.self) {
            try Migrations([first, second, broken]).apply(to: database)
        }
        let names = try database.query("SELECT name FROM schema_migration") { try $0.text(0) }
        #expect(names == ["first", "second"])
        #expect(
            try database.query("SELECT 1 FROM sqlite_master WHERE name='three'") { $0.count }
                .isEmpty)
        do {
            try Migrations([first]).apply(to: database)
            Issue.record("an unknown newer step was passed over")
        } catch let error as SQLiteError {
            #expect(error.reason == .newerSchema)
        }
        #expect(throws: SQLiteError.self) {
            try Migrations([first, second, broken]).requireUpToDate(database)
        }
        try scratch.close(database)
    }

    @Test("A migration that leaves a row without its parent is undone")
    func migrationForeignKeys() throws {
        let orphan = Migration("orphan") {
            try $0.run(
                script: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
                    INSERT INTO child VALUES (1)
                    """)
        }
        let scratch = try Scratch()
        let database = try scratch.open()
        #expect(throws: SQLiteError.self) { try Migrations([orphan]).apply(to: database) }
        #expect(try database.query("SELECT 1 FROM schema_migration") { $0.count }.isEmpty)
        try scratch.close(database)
    }

    @Test("V04 the integrity check reads all rows, not the first alone")
    func integrity() throws {
        let scratch = try Scratch()
        do {
            let database = try scratch.open()
            try database.run(
                script: """
                    CREATE TABLE t (a);
                    CREATE INDEX t_a ON t (a);
                    INSERT INTO t VALUES (NULL), (NULL), (NULL), (NULL), (NULL);
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = 'CREATE TABLE t (a NOT NULL)' WHERE name = 't';
                    PRAGMA writable_schema = OFF
                    """)
            try scratch.close(database)
        }
        let database = try scratch.open(.readWrite)
        #expect(try database.integrityProblems().count == 5)
        try database.execute("UPDATE t SET a = 1")
        #expect(try database.integrityProblems().isEmpty)
        try scratch.close(database)
    }

    @Test("A serial database gives each caller its turn")
    func serial() throws {
        let scratch = try Scratch()
        let database = SerialDatabase(
            try Connection.open(scratch.path, mode: .create), label: "test.serial")
        try database.write { try $0.execute("CREATE TABLE counter (n INTEGER)") }
        try database.write { try $0.execute("INSERT INTO counter VALUES (0)") }
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            #expect(throws: Never.self) {
                try database.write { connection in
                    let value = try connection.first("SELECT n FROM counter") { try $0.integer(0) }
                    try connection.execute(
                        "UPDATE counter SET n = ?", [.integer((value ?? 0) + 1)])
                }
            }
        }
        let total = try database.read { connection in
            try connection.first("SELECT n FROM counter") { try $0.integer(0) }
        }
        #expect(total == 200)
        #expect(try database.perform { $0.busyStatements }.isEmpty)
        try database.close()
    }
}
