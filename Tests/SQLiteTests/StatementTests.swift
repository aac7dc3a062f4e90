import SQLite
import TestSupport
import Testing

@Suite("Statements and rows")
struct StatementTests {
    @Test("Every kind of value comes back as it was bound")
    func roundTrip() throws {
        let values: [DatabaseValue] = [
            .null, .integer(.min), .integer(.max), .real(160.5), .real(-0.0), .text(""),
            .text("a\0b"), .text("Ångström 🧊\u{301}"), .blob([]), .blob([0, 255, 1]),
        ]
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        for (id, value) in values.enumerated() {
            try database.execute("INSERT INTO t VALUES (?, ?)", [.init(id), value])
        }
        #expect(try database.query("SELECT v FROM t ORDER BY id") { $0.value(0) } == values)
        try scratch.close(database)
    }

    @Test("A nested use of the same text gets a statement of its own")
    func nested() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
        var pairs = 0
        try database.each("SELECT a FROM t") { _ in
            try database.each("SELECT a FROM t") { _ in pairs += 1 }
        }
        #expect(pairs == 9)
        try scratch.close(database)
    }

    @Test("A closure that throws leaves no statement busy")
    func throwing() throws {
        struct Stop: Error {}
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        #expect(throws: Stop.self) {
            try database.each("SELECT a FROM t") { _ in throw Stop() }
        }
        #expect(database.busyStatements.isEmpty)
        try scratch.close(database)
    }

    @Test("The cache survives more texts than it holds and a change of the schema")
    func cache() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.execute("CREATE TABLE t (a)")
        try database.execute("INSERT INTO t VALUES (1)")
        for number in 0..<500 {
            let found = try database.first("SELECT a + \(number) FROM t") { try $0.integer(0) }
            #expect(found == Int64(number + 1))
        }
        #expect(try database.first("SELECT * FROM t") { $0.count } == 1)
        try database.execute("ALTER TABLE t ADD COLUMN b")
        #expect(try database.first("SELECT * FROM t") { $0.count } == 2)
        try scratch.close(database)
    }

    @Test("One call runs one statement", arguments: ["SELECT 1; SELECT 2", "", "  ;  "])
    func oneStatement(sql: String) throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        #expect(throws: SQLiteError.self) { try database.execute(sql) }
        try scratch.close(database)
    }

    @Test("A column of another type is an error, not a wrong number")
    func columnType() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        #expect(throws: SQLiteError.self) {
            try database.first("SELECT 'twelve'") { try $0.integer(0) }
        }
        #expect(try database.first("SELECT 2") { try $0.real(0) } == 2)
        try scratch.close(database)
    }

    @Test(
        "An error tells the statement without its literals and never a bound value",
        arguments: [
            "INSERT INTO t VALUES ('SECRET-READING')", "SELECT 160777 FROM nowhere",
            "INSERT INTO t VALUES (?1 'SECRET-READING",
            "SELECT x'160777' + 'SECRET-READING' 160777",
            "UPDATE t SET a = ?1",
        ])
    func errorsHoldNoValues(sql: String) throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.run(
            script: """
                CREATE TABLE t (a UNIQUE NOT NULL CHECK (a <> 'SECRET-BOUND'));
                INSERT INTO t VALUES ('SECRET-READING')
                """)
        do {
            try database.execute(sql, sql.hasSuffix("?1") ? ["SECRET-BOUND"] : [])
            Issue.record("the statement passed")
        } catch {
            #expect(!error.description.contains("SECRET"), "\(error)")
            #expect(!error.description.contains("160777"), "\(error)")
        }
        try scratch.close(database)
    }

    @Test("A trigger's refusal can be read as the code that it raised")
    func raise() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.run(
            script: """
                CREATE TABLE t (a);
                CREATE TRIGGER locked BEFORE INSERT ON t BEGIN
                    SELECT raise(ABORT, 'walkdown:locked');
                END
                """)
        do {
            try database.execute("INSERT INTO t VALUES (1)")
            Issue.record("the trigger did not fire")
        } catch {
            #expect(error.isConstraint)
            #expect(error.constraintMessage == "walkdown:locked")
        }
        try scratch.close(database)
    }

    @Test("A function of ours works in a trigger, and its error names no argument")
    func function() throws {
        struct Refused: Error {}
        let scratch = try Scratch()
        let database = try scratch.open()
        try database.registerFunction("twice", arguments: 1, deterministic: true) {
            guard case .integer(let value) = $0[0] else { throw Refused() }
            return .integer(value * 2)
        }
        #expect(try database.first("SELECT twice(21)") { try $0.integer(0) } == 42)
        do {
            try database.execute("SELECT twice(?)", ["SECRET"])
            Issue.record("the function's error was lost")
        } catch {
            #expect(!error.description.contains("SECRET"))
        }
        try scratch.close(database)
    }
}
