import SQLite
import Testing

@Suite("Migrations that take something away")
struct BarrierTests {
    private static let first = Migration("first") { try $0.execute("CREATE TABLE one (a)") }
    private static let drop = Migration("drop one", .destructive) {
        try $0.execute("DROP TABLE one")
    }
    private static let third = Migration("third") { try $0.execute("CREATE TABLE three (a)") }
    private static let all = Migrations([first, drop, third])

    private func tables(_ database: Connection) throws -> [String] {
        try database.query(
            "SELECT name FROM sqlite_master WHERE name IN ('one', 'three') ORDER BY name"
        ) { try $0.text(0) }
    }

    @Test("a destructive step waits as long as it must; what adds something does not wait for it")
    func deferral() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try Migrations([Self.first]).apply(to: database)
        try Self.all.apply(to: database) { _ in false }
        #expect(try tables(database) == ["one", "three"])
        #expect(try Self.all.deferred(in: database) == ["drop one"])
        try Self.all.requireUpToDate(database)
        try Self.all.apply(to: database) { _ in true }
        #expect(try tables(database) == ["three"])
        #expect(try Self.all.deferred(in: database) == [])
        try scratch.close(database)
    }

    @Test("a file in which a step waits is still a newer one to the program before it")
    func olderProgram() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try Self.all.apply(to: database) { _ in false }
        do {
            try Migrations([Self.first]).apply(to: database)
            Issue.record("an unknown newer step was passed over")
        } catch let error as SQLiteError {
            #expect(error.reason == .newerSchema)
        }
        try scratch.close(database)
    }

    @Test(
        "T79 a step that is called additive and takes a table or a column away is undone",
        arguments: ["DROP TABLE one", "DROP TABLE one; CREATE TABLE one (b)"])
    func falselyAdditive(script: String) throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        let steps = Migrations([Self.first]).followed(by: [
            Migration("harmless") { try $0.run(script: script) }
        ])
        #expect(throws: SQLiteError.self) { try steps.apply(to: database) }
        #expect(try tables(database) == ["one"])
        #expect(try database.query("PRAGMA table_info(one)") { try $0.text(1) } == ["a"])
        try scratch.close(database)
    }

    @Test("where nothing waits, and in a new database, all steps run in their order")
    func newDatabase() throws {
        let scratch = try Scratch()
        let database = try scratch.open()
        try Self.all.apply(to: database)
        #expect(try tables(database) == ["three"])
        try scratch.close(database)
    }
}
