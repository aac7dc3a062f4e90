import Coding
import Inspections
import Replication
import SQLite
import TestSupport
import Testing

@testable import ServerStore

/// What is asked for a device costs what the device gets, not what the server holds: the plan of
/// each statement that its requests run, as SQLite makes it.
@Suite("SQLite: plans of the hot queries")
struct PlanTests {
    /// Tables of a few rows, however large the server grows.
    private static let small: Set<Substring> = [
        "counter", "identity", "server_epoch", "schema_migration",
    ]

    @Test("no request of a device reads a whole table, or a whole index")
    func plans() throws {
        let yard = try Yard(.sqlite)
        let ids = try (10...14).map { try yard.assign(due: "2026-03-\($0)") }
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        // Only what the devices ask for is among the statements of the connections now.
        try yard.restart()
        try day(of: first, and: second, with: ids, in: yard)
        let store = try #require(yard.store as? SQLiteStore)
        let statements = try Self.statements(of: store)
        #expect(statements.count > 30, "the day is of some variety")
        for sql in statements.sorted() {
            let steps = try store.read { connection in
                try connection.query("EXPLAIN QUERY PLAN " + sql, Self.nulls(for: sql)) {
                    try $0.text(3)
                }
            }
            #expect(steps.filter(Self.readsAll) == [], "\(sql)")
        }
    }

    /// What devices do with their server, but for enrolling.
    private func day(
        of first: Handheld, and second: Handheld, with ids: [RecordID], in yard: Yard
    ) throws {
        for device in [first, second] { try device.pull(limit: 2) }
        let copy = first.copy()
        let quarantined = second.change(ids[0], ["pressure": .integer(2)])
        try first.push(first.change(ids[0], ["pressure": .integer(1), "notes": .string("x")]))
        try second.push(
            quarantined, second.begin("new", asset: nil), second.delete(ids[1]),
            second.change("nothing", ["notes": .string("x")]),
            second.mutation(
                "f1", table: RecordTable.finding, parent: "new", .insert, ["text": .string("y")]))
        try second.push(quarantined)
        #expect(refusal { try copy.push(copy.change(ids[2], ["high": .integer(1)])) } == .forked)
        copy.takeNewNode("node-copy")
        try copy.push(copy.change(ids[2], ["high": .integer(1)], id: "of the copy"))
        let epoch = try #require(first.cursor)
        let old = "1" + epoch
        first.cursor = old
        try first.push(first.change(ids[3], ["high": .integer(2)]))
        #expect(refusal { try first.pullPage() } == .cursorExpired)
        first.cursor = epoch
        for device in [first, second, copy] { try device.pull(limit: 1) }
        _ = try yard.store.device(tokenHash: [1], node: first.node)
        _ = try yard.store.form(id: "cold", version: "1")
    }

    private static func statements(of store: SQLiteStore) throws -> Set<String> {
        var statements = Set(
            try store.queue.writer.database.perform { $0.preparedStatements })
        // The readers take turns.
        for _ in 0..<2 { statements.formUnion(try store.read { $0.preparedStatements }) }
        statements.formUnion(try store.lookUp { $0.preparedStatements })
        let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE"]
        return statements.filter { sql in
            verbs.contains { sql.hasPrefix($0) } && !sql.contains("sqlite_master")
        }
    }

    private static func nulls(for sql: String) -> [DatabaseValue] {
        let numbers = sql.matches(of: #/\?(\d*)/#).map { Int($0.1) }
        let count = numbers.compactMap(\.self).max() ?? numbers.count
        return [DatabaseValue](repeating: .null, count: count)
    }

    /// `SCAN record` of a new SQLite, `SCAN TABLE record` of an old one; through an index too.
    private static func readsAll(_ step: String) -> Bool {
        let words = step.split(separator: " ").filter { $0 != "TABLE" }
        guard words.first == "SCAN", words.count > 1, !words[1].hasPrefix("("),
            !["CONSTANT", "SUBQUERY"].contains(words[1])
        else { return false }
        return !small.contains(words[1])
    }
}
