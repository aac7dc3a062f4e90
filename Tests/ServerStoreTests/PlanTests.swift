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
        try expectSearches(statements, in: store, but: Self.small)
    }

    @Test("taking copies, and looking at a record's history, reads no whole table")
    func copies() throws {
        let yard = try Yard(.sqlite)
        let id = try yard.assign()
        let (author, witness) = (try yard.enrol("a"), try yard.enrol("b"))
        try author.pull()
        let backup = try yard.backUp()
        try author.push(
            author.change(id, ["notes": .string("x")]),
            author.begin("new", asset: ImportedID.asset("A1"), ["pressure": .integer(1)]))
        try witness.pull()
        let records = try [id, "new"].map { try #require(witness.confirmed[$0]) }
        try yard.restore(backup)
        try witness.offer(records, to: yard)
        let since = witness.change(id, ["notes": .string("y")])
        try witness.push(since)
        try witness.offer(records, to: yard)
        _ = try yard.store.history(of: id)
        let store = try #require(yard.store as? SQLiteStore)
        var statements = try Self.statements(of: store)
        statements.formUnion(try store.readForOffice { $0.preparedStatements }.filter(Self.isOurs))
        #expect(statements.filter { $0.contains("FROM copied") }.count > 2)
        try expectSearches(
            statements, in: store, but: Self.small.union(["device", "device_node"]))
    }

    @Test("pruning reads no whole table but those that have a row for a device, or an epoch")
    func pruning() throws {
        let yard = try Yard(.sqlite)
        let ids = try (10...14).map { try yard.assign(due: "2026-03-\($0)") }
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        for device in [first, second] { try device.pull() }
        try first.push(
            first.mutation(
                "f1", table: RecordTable.finding, parent: ids[0], .insert, ["text": .string("y")]),
            first.change(ids[0], ["notes": .string("x")]), first.delete(ids[0]))
        let backup = try yard.backUp()
        for _ in 0..<2 { try yard.restore(backup) }
        for device in [first, second] { device.cursor = nil }
        try yard.restart()
        for months in [2, 1, 12, 2] {
            yard.clock.advance(seconds: Int64(months) * 31 * 86_400)
            for device in [first, second] {
                for _ in 0..<2 { try device.pull() }
                try device.push([])
            }
            _ = try yard.prune()
        }
        #expect(try yard.everything()["f1"] == nil)
        let store = try #require(yard.store as? SQLiteStore)
        var statements = try Self.statements(of: store)
        statements.formUnion(try store.readForOffice { $0.preparedStatements }.filter(Self.isOurs))
        #expect(statements.contains { $0.contains("record_epoch") && $0.contains("DISTINCT") })
        try expectSearches(
            statements.filter { !$0.contains("FROM team") }, in: store,
            but: Self.small.union(["device", "device_node", "offered_again"]))
    }

    private func expectSearches(
        _ statements: Set<String>, in store: SQLiteStore, but small: Set<Substring>
    ) throws {
        for sql in statements.sorted() {
            let steps = try store.read { connection in
                try connection.query("EXPLAIN QUERY PLAN " + sql, Self.nulls(for: sql)) {
                    try $0.text(3)
                }
            }
            #expect(steps.filter { Self.readsAll($0, but: small) } == [], "\(sql)")
            #expect(
                !steps.contains { $0.contains("record") && $0.contains("(position>?)") },
                "reads what others have, to the end of the feed: \(sql)")
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
        return statements.filter(isOurs)
    }

    private static func isOurs(_ sql: String) -> Bool {
        ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
            && !sql.contains("sqlite_master")
    }

    private static func nulls(for sql: String) -> [DatabaseValue] {
        let numbers = sql.matches(of: #/\?(\d*)/#).map { Int($0.1) }
        let count = numbers.compactMap(\.self).max() ?? numbers.count
        return [DatabaseValue](repeating: .null, count: count)
    }

    /// `SCAN record` of a new SQLite, `SCAN TABLE record` of an old one; through an index too.
    private static func readsAll(_ step: String, but small: Set<Substring>) -> Bool {
        let words = step.split(separator: " ").filter { $0 != "TABLE" }
        guard words.first == "SCAN", words.count > 1, !words[1].hasPrefix("("),
            !["CONSTANT", "SUBQUERY"].contains(words[1])
        else { return false }
        return !small.contains(words[1])
    }
}
