internal import CSQLite
internal import Dispatch

/// One open database. Not for use from two threads: `SerialDatabase` binds it to a queue and every
/// call checks that it runs there.
package final class Connection {
    package enum Mode: Sendable {
        /// A new database; refused where one stands.
        case create
        /// An existing database, read and written.
        case readWrite
        /// An existing database; every write is refused.
        case readOnly
    }

    package let path: String
    package let isReadOnly: Bool
    private var pointer: OpaquePointer?
    private var cache: [String: Statement] = [:]
    /// Texts of the cache, the least recently prepared first.
    private var cacheOrder: [String] = []
    private var queue: DispatchQueue?
    /// Judges the statements of strangers; nil until the first one. SQLite points at it.
    var authorizer: Authorizer?
    /// A transaction failed, and rolling it back did as well.
    var hasFailedTransaction = false
    /// Pages in the write-ahead log as of this connection's last commit, and of them those that it has
    /// waited for the disk with.
    package private(set) var loggedPages = 0
    private var synchronizedPages = 0
    var synchronous = Synchronous.full

    /// Pages of the log that the next commit with `synchronous = FULL` waits for.
    package var unsynchronizedPages: Int { max(0, loggedPages - synchronizedPages) }

    private static let cacheLimit = 200

    init(handle: OpaquePointer, path: String, isReadOnly: Bool) {
        self.pointer = handle
        self.path = path
        self.isReadOnly = isReadOnly
    }

    deinit {
        // A connection that was not closed is still released; there is nobody left to tell.
        cache.removeAll()
        if let pointer { sqlite3_close(pointer) }
    }

    var handle: OpaquePointer {
        guard let pointer else { preconditionFailure("the connection to \(path) is closed") }
        if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
        return pointer
    }

    /// From now on every call must come from this queue.
    func bind(to queue: DispatchQueue) { self.queue = queue }

    /// Finalizes what is cached and closes. `sqlite3_close`, not `sqlite3_close_v2`: that one would
    /// hide a leaked statement and keep the key in memory.
    package func close() throws(SQLiteError) {
        let closing = handle
        cache.removeAll()
        cacheOrder.removeAll()
        let code = sqlite3_close(closing)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: closing) }
        pointer = nil
    }

    /// Keeps the numbers of pages (sqlite3_wal_hook). It takes the place of an automatic checkpoint.
    func watchLog() {
        // Called inside this connection's own commits, so it outlives each call.
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = sqlite3_wal_hook(handle, noteLoggedPages, context)
    }

    fileprivate func note(loggedPages count: Int32) {
        // Less than before: all of it was moved into the file, and it begins anew.
        if count < loggedPages { synchronizedPages = 0 }
        loggedPages = Int(count)
        if synchronous == .full { synchronizedPages = loggedPages }
    }

    // MARK: Statements

    /// Runs one statement; rows that it returns are ignored.
    package func execute(_ sql: String, _ values: [DatabaseValue] = []) throws(SQLiteError) {
        let statement = try checkOut(sql)
        defer { checkIn(statement) }
        try statement.bind(values)
        while try statement.step() {}
    }

    /// Runs a script of several statements without values, such as a migration.
    package func run(script: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, context: script) }
    }

    /// Runs one statement and maps each row.
    package func query<Element>(
        _ sql: String, _ values: [DatabaseValue] = [], _ transform: (Row) throws -> Element
    ) throws -> [Element] {
        var result: [Element] = []
        try each(sql, values) { result.append(try transform($0)) }
        return result
    }

    /// Runs one statement and maps its first row; nil where there is none.
    package func first<Element>(
        _ sql: String, _ values: [DatabaseValue] = [], _ transform: (Row) throws -> Element
    ) throws -> Element? {
        let statement = try checkOut(sql)
        defer { checkIn(statement) }
        try statement.bind(values)
        return try statement.step() ? try transform(Row(statement.handle)) : nil
    }

    /// Runs one statement and hands each row to the closure.
    package func each(
        _ sql: String, _ values: [DatabaseValue] = [], _ body: (Row) throws -> Void
    ) throws {
        let statement = try checkOut(sql)
        defer { checkIn(statement) }
        try statement.bind(values)
        let row = Row(statement.handle)
        while try statement.step() { try body(row) }
    }

    /// Rows that the last INSERT, UPDATE or DELETE changed, without those that triggers changed.
    package var changes: Int { Int(sqlite3_changes(handle)) }

    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Statements that stand on a row; empty whenever no call is running.
    package var busyStatements: [String] {
        var busy: [String] = []
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0, let sql = sqlite3_sql(current) {
                busy.append(StatementText.withoutLiterals(String(cString: sql)))
            }
            statement = sqlite3_next_stmt(handle, current)
        }
        return busy
    }

    /// The statements that were run lately, so that a test can look at their plans.
    package var preparedStatements: [String] { cacheOrder }

    // MARK: Cache

    private func checkOut(_ sql: String) throws(SQLiteError) -> Statement {
        let handle = handle
        if let cached = cache[sql], !cached.isInUse {
            cached.isInUse = true
            return cached
        }
        let statement = try Statement(sql, on: handle)
        statement.isInUse = true
        if cache[sql] == nil { remember(statement) }
        return statement
    }

    private func checkIn(_ statement: Statement) {
        statement.reset()
        statement.isInUse = false
    }

    private func remember(_ statement: Statement) {
        if cacheOrder.count >= Self.cacheLimit { cache[cacheOrder.removeFirst()] = nil }
        cache[statement.sql] = statement
        cacheOrder.append(statement.sql)
    }
}

/// A plain C function pointer: nothing is captured but the connection that travels as its context.
private func noteLoggedPages(
    _ context: UnsafeMutableRawPointer?, _: OpaquePointer?, _: UnsafePointer<CChar>?, _ count: Int32
) -> Int32 {
    guard let context else { return SQLITE_OK }
    Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().note(loggedPages: count)
    return SQLITE_OK
}
