internal import CSQLite

extension Connection {
    package enum TransactionKind: String, Sendable {
        /// Takes its snapshot with the first read. For reading.
        case deferred = "BEGIN DEFERRED"
        /// Takes the write lock at once: a deferred one that wants to write after somebody else
        /// wrote gets SQLITE_BUSY_SNAPSHOT, against which no busy timeout helps.
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Runs the closure in a transaction: commits, or rolls back and throws what the closure threw.
    package func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> Result
    ) throws -> Result {
        try endFailedTransaction()
        precondition(!isInTransaction, "transactions do not nest; use a savepoint")
        try execute(kind.rawValue)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            hasFailedTransaction = true
            // Where even this fails, for want of memory say, the first error is the one to tell; what
            // comes next on this connection begins with it.
            try? endFailedTransaction()
            throw error
        }
    }

    /// Undoes what a transaction has left that failed and could not be rolled back.
    package func endFailedTransaction() throws(SQLiteError) {
        guard hasFailedTransaction else { return }
        // SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM may have ended the transaction already
        // (sqlite.org/lang_transaction.html): a second ROLLBACK would hide the first error.
        if isInTransaction { try execute("ROLLBACK") }
        hasFailedTransaction = false
    }

    /// Runs the closure in a savepoint of the open transaction: all of it or nothing of it.
    package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("SAVEPOINT step")
        do {
            let result = try body()
            try execute("RELEASE step")
            return result
        } catch {
            // Some errors (SQLITE_FULL, SQLITE_IOERR) have rolled back everything already.
            if isInTransaction {
                try execute("ROLLBACK TO step")
                try execute("RELEASE step")
            }
            throw error
        }
    }

    package enum Synchronous: Int64, Sendable {
        case normal = 1
        case full = 2
    }

    /// Sets how a commit reaches the disk, and reads it back. Acts when a statement is *prepared*
    /// and is refused inside a transaction, therefore executed at once and between transactions.
    package func setSynchronous(_ level: Synchronous) throws {
        try setPragma("synchronous", to: "\(level.rawValue)", reads: .integer(level.rawValue))
        synchronous = level
    }

    package enum CheckpointMode: Sendable {
        /// As much as readers allow, waits for nobody.
        case passive
        /// Everything; the log is cut to length 0.
        case truncate
    }

    /// Moves the write-ahead log into the file. Only the one writing connection may call it.
    /// - Returns: pages in the log, and how many of them are in the file now.
    @discardableResult
    package func checkpoint(
        _ mode: CheckpointMode
    ) throws(SQLiteError) -> (logged: Int, moved: Int) {
        precondition(!isReadOnly, "readers never checkpoint")
        var logged: Int32 = 0
        var moved: Int32 = 0
        let flag = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        let code = sqlite3_wal_checkpoint_v2(handle, nil, flag, &logged, &moved)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle) }
        return (Int(logged), Int(moved))
    }

    /// Brings what an ended process left in the log to the disk. A commit that it wrote and had not
    /// synchronised shows to every reader, and would go with the power. Where there is no room in
    /// the database the log keeps all, synchronised.
    package func settleLog() throws(SQLiteError) {
        do throws(SQLiteError) {
            try checkpoint(.passive)
        } catch {
            guard error.isFull else { throw error }
        }
    }
}
