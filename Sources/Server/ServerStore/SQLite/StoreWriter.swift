internal import SQLite

/// The one writing connection, and what each of its transactions needs.
struct StoreWriter: Sendable {
    let database: SerialDatabase
    let forms: FormShelf
    let environment: SQLiteStore.Environment
    let health: WriterHealth

    func transaction<Result>(_ body: (WriteSession) throws -> Result) throws -> Result {
        try health.watching { try write(body) }
    }

    private func write<Result>(_ body: (WriteSession) throws -> Result) throws -> Result {
        try database.write { connection in
            let session = try WriteSession(
                connection: connection, forms: forms, model: environment.model,
                now: environment.now(), random: environment.random)
            let result = try body(session)
            try session.finish()
            return result
        }
    }

    /// Moves the log into the file as far as readers allow: nobody else does it.
    func checkpoint() throws {
        _ = try health.watching { try database.perform { try $0.checkpoint(.passive) } }
    }
}
