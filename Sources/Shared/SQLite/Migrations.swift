/// One step of a schema, known by its name for ever.
package struct Migration: Sendable {
    package let name: String
    package let apply: @Sendable (Connection) throws -> Void

    package init(_ name: String, _ apply: @escaping @Sendable (Connection) throws -> Void) {
        self.name = name
        self.apply = apply
    }
}

/// The steps of a schema in order. Forward only; each in a transaction of its own, recorded in
/// `schema_migration` by the same transaction.
package struct Migrations: Sendable {
    private let steps: [Migration]

    package init(_ steps: [Migration]) {
        precondition(Set(steps.map(\.name)).count == steps.count, "two migrations share a name")
        self.steps = steps
    }

    /// Brings the database up to date.
    /// - Throws: `newerSchema` where the file carries a step that is not in this list (it was
    ///   written by a newer program), before anything is changed.
    package func apply(to connection: Connection) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migration (
                position INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE
            )
            """)
        let applied = try requireKnown(in: connection)
        for (position, step) in steps.enumerated().dropFirst(applied) {
            try connection.transaction {
                try step.apply(connection)
                try requireForeignKeys(in: connection, after: step)
                try connection.execute(
                    "INSERT INTO schema_migration (position, name) VALUES (?, ?)",
                    [.integer(Int64(position)), .text(step.name)])
            }
        }
    }

    /// Checks without writing, for a connection that only reads.
    package func requireUpToDate(_ connection: Connection) throws {
        guard try requireKnown(in: connection) == steps.count else {
            throw SQLiteError(.missing, "the database waits for a migration")
        }
    }

    /// How many steps the file carries; they must be the first ones of the list.
    private func requireKnown(in connection: Connection) throws -> Int {
        let applied = try connection.query(
            "SELECT name FROM schema_migration ORDER BY position"
        ) { try $0.text(0) }
        let known = steps.map(\.name)
        for (position, name) in applied.enumerated() {
            guard position < known.count, known[position] == name else {
                throw SQLiteError(
                    .newerSchema, "the database carries the migration \(name), unknown here")
            }
        }
        return applied.count
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
