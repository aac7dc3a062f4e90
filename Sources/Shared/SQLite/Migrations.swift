/// One step of a schema, known by its name for ever.
package struct Migration: Sendable {
    package enum Kind: Sendable, Equatable {
        /// Adds tables, columns, indices, triggers; what waits to be sent does not notice.
        case additive
        /// Takes away, or gives another meaning to, what waiting work may rest on.
        case destructive
    }

    package let name: String
    package let kind: Kind
    package let apply: @Sendable (Connection) throws -> Void

    package init(
        _ name: String, _ kind: Kind = .additive,
        _ apply: @escaping @Sendable (Connection) throws -> Void
    ) {
        self.name = name
        self.kind = kind
        self.apply = apply
    }
}

/// The steps of a schema in order. Forward only; each in a transaction of its own, recorded in
/// `schema_migration` by the same transaction.
///
/// A destructive step waits as long as work does (the barrier); the additive ones behind it do not
/// wait. So a step may rest on additive steps before it, never on a destructive one, and the
/// program works on both shapes.
package struct Migrations: Sendable {
    private let steps: [Migration]

    package init(_ steps: [Migration]) {
        precondition(Set(steps.map(\.name)).count == steps.count, "two migrations share a name")
        self.steps = steps
    }

    /// These steps, and more behind them.
    package func followed(by more: [Migration]) -> Migrations { Migrations(steps + more) }

    /// Brings the database up to date, but for destructive steps that have to wait.
    ///
    /// - Parameter mayDestroy: whether nothing waits that a destructive step could harm. Asked
    ///   before each of them, inside its transaction.
    /// - Throws: `newerSchema` where the file carries a step that is not in this list (it was
    ///   written by a newer program), before anything is changed.
    package func apply(
        to connection: Connection, mayDestroy: (Connection) throws -> Bool = { _ in true }
    ) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migration (
                position INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE
            )
            """)
        let applied = try appliedPositions(in: connection)
        for (position, step) in steps.enumerated() where !applied.contains(position) {
            try connection.transaction {
                if step.kind == .destructive, try !mayDestroy(connection) { return }
                try run(step, on: connection)
                try connection.execute(
                    "INSERT INTO schema_migration (position, name) VALUES (?, ?)",
                    [.integer(Int64(position)), .text(step.name)])
            }
        }
    }

    /// Checks without writing, for a connection that only reads.
    package func requireUpToDate(_ connection: Connection) throws {
        let applied = try appliedPositions(in: connection)
        let isReady = steps.indices.allSatisfy {
            applied.contains($0) || steps[$0].kind == .destructive
        }
        guard isReady else { throw SQLiteError(.missing, "the database waits for a migration") }
    }

    /// The destructive steps that wait, by name.
    package func deferred(in connection: Connection) throws -> [String] {
        let applied = try appliedPositions(in: connection)
        return steps.indices.filter { !applied.contains($0) }.map { steps[$0].name }
    }

    /// The places in the list of the steps that the file carries.
    private func appliedPositions(in connection: Connection) throws -> Set<Int> {
        let applied = try connection.query(
            "SELECT position, name FROM schema_migration ORDER BY position"
        ) { (Int(try $0.integer(0)), try $0.text(1)) }
        for (position, name) in applied {
            guard steps.indices.contains(position), steps[position].name == name else {
                throw SQLiteError(
                    .newerSchema, "the database carries the migration \(name), unknown here")
            }
        }
        return Set(applied.map(\.0))
    }

    private func run(_ step: Migration, on connection: Connection) throws {
        let before = try step.kind == .additive ? connection.storedColumns() : []
        try step.apply(connection)
        try requireForeignKeys(in: connection, after: step)
        guard step.kind == .additive else { return }
        let lost = try before.subtracting(connection.storedColumns())
        guard lost.isEmpty else {
            throw SQLiteError(
                .pragma,
                "the migration \(step.name) is called additive and removes "
                    + lost.sorted().joined(separator: ", "))
        }
    }

    private func requireForeignKeys(in connection: Connection, after step: Migration) throws {
        let violations = try connection.query("PRAGMA foreign_key_check") { $0.value(0) }
        guard violations.isEmpty else {
            throw SQLiteError(
                .pragma, "the migration \(step.name) leaves \(violations.count) rows without parent"
            )
        }
    }
}

extension Connection {
    /// Every column of every table, as `table.column`.
    fileprivate func storedColumns() throws -> Set<String> {
        let tables = try query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ) { try $0.text(0) }
        var columns: Set<String> = []
        for table in tables {
            let quoted = SQLText.quoted(table)
            try each("PRAGMA table_info(\(quoted))") {
                columns.insert("\(table).\(try $0.text(1))")
            }
        }
        return columns
    }
}
