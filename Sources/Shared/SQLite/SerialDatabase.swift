package import Dispatch

/// A connection on its own serial queue. Calls block the caller until their turn is over; a call
/// from inside another one traps instead of dead-locking.
///
/// Sendable because the connection is touched on `queue` only, which it checks at each call.
package final class SerialDatabase: @unchecked Sendable {
    package let queue: DispatchQueue
    private let connection: Connection
    private var isClosed = false

    package init(_ connection: sending Connection, label: String) {
        self.queue = DispatchQueue(label: label)
        self.connection = connection
        connection.bind(to: queue)
    }

    /// Runs the closure in an IMMEDIATE transaction.
    package func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try perform { connection in
            try connection.transaction(.immediate) { try body(connection) }
        }
    }

    /// Runs the closure on one snapshot: what it reads belongs together.
    package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try perform { connection in
            try connection.transaction(.deferred) { try body(connection) }
        }
    }

    /// Runs the closure on the queue without a transaction (pragmas, checkpoints, migrations).
    package func perform<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        dispatchPrecondition(condition: .notOnQueue(queue))
        return try queue.sync {
            if isClosed { throw SQLiteError(.closed, "the database is closed") }
            return try body(connection)
        }
    }

    /// Closes the connection after the calls that wait for their turn. Later ones throw `closed`:
    /// a store is locked while workers still run.
    package func close() throws {
        try perform { connection in
            try connection.close()
            isClosed = true
        }
    }
}
