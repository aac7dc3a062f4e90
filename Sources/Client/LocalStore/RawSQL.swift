package import SQLite

/// What a statement of `walkdown sql` brought.
package struct SQLResult: Sendable, Equatable {
    package var columns: [String]
    package var rows: [[DatabaseValue]]
    /// Changes of fields that were captured: what `changes()` counts leaves a view's triggers out.
    package var captured: Int64
}

extension DeviceStore {
    /// Runs one statement of a person on the unlocked store. A write goes through the triggers
    /// like any edit; reading happens on the connection that cannot write.
    /// - Throws: `statementNotAllowed` for what is neither a question nor an edit.
    package func sql(_ statement: String, write: Bool) throws -> SQLResult {
        let kind = StatementKind(statement)
        guard kind.isAllowed(writing: write) else {
            throw StoreError.statementNotAllowed(
                write
                    ? "only SELECT, INSERT, UPDATE and DELETE, and no table of the queue"
                    : "only SELECT; edits need --write")
        }
        return write
            ? try edit { try $0.capturing { try $0.table(statement) } }
            : try read { try $0.table(statement) }
    }
}

/// The first word of a statement, and whether it names a table of the queue.
struct StatementKind {
    private let keyword: String
    private let namesQueue: Bool

    init(_ statement: String) {
        keyword = statement.drop { !$0.isLetter }.prefix { $0.isLetter }.uppercased()
        // Also inside a literal or a comment, where it would be harmless: the queue is not worth
        // an SQL parser.
        namesQueue = statement.lowercased().contains("__sync_")
    }

    func isAllowed(writing: Bool) -> Bool {
        let questions = ["SELECT", "EXPLAIN", "VALUES"]
        if questions.contains(keyword) { return true }
        guard writing else { return keyword == "WITH" }
        return ["WITH", "INSERT", "UPDATE", "DELETE", "REPLACE"].contains(keyword) && !namesQueue
    }
}

extension Connection {
    fileprivate func table(_ statement: String) throws -> SQLResult {
        let columns = try columnNames(of: statement)
        let rows = try query(statement) { $0.values }
        return SQLResult(columns: columns, rows: rows, captured: 0)
    }

    /// The capture triggers raise the Lamport counter once for each field that changed.
    fileprivate func capturing(_ body: (Connection) throws -> SQLResult) throws -> SQLResult {
        let before = try metadataInteger("lamport") ?? 0
        var result = try body(self)
        result.captured = try (metadataInteger("lamport") ?? 0) - before
        return result
    }
}
