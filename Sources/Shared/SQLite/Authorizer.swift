internal import CSQLite

/// One thing that a statement would do, as SQLite names it while it prepares the statement
/// (sqlite.org/c3ref/set_authorizer.html).
package struct StatementAction: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case select
        case recursion
        case read(table: String)
        case function(String)
        case insert(table: String)
        case update(table: String, column: String)
        case delete(table: String)
        /// The schema, the connection or the transaction; the word that SQL has for it.
        case other(String)
    }

    package var kind: Kind
    /// The trigger, view or subselect on whose behalf; nil for the statement itself, and for what a
    /// foreign key does to the rows that refer to a deleted one.
    package var inside: String?

    package init(_ kind: Kind, inside: String? = nil) {
        self.kind = kind
        self.inside = inside
    }
}

/// A statement would do what it must not; nothing of it was done.
package struct StatementDenied: Error, Equatable {
    package let action: StatementAction
}

extension Connection {
    /// Runs one statement of a stranger and returns its columns and rows. SQLite itself says what
    /// the statement would do, so that no comment, quote or alias hides anything.
    ///
    /// - Parameter allows: asked while the statement is prepared, once for each table, column and
    ///   function; also for those of the triggers that it would fire.
    /// - Throws: `StatementDenied`, or the engine's error.
    package func table(
        of sql: String, allowing allows: @escaping (StatementAction) -> Bool
    ) throws -> (columns: [String], rows: [[DatabaseValue]]) {
        let authorizer = try installedAuthorizer()
        // Until the last row: what runs SQL of its own while it steps (VACUUM, functions of the
        // cipher) is judged as well.
        authorizer.begin(allows)
        defer { authorizer.end() }
        do {
            return try uncachedTable(of: sql)
        } catch {
            if let denied = authorizer.denied { throw StatementDenied(action: denied) }
            throw error
        }
    }

    /// Stays with the connection and allows everything in between: setting or removing one makes
    /// SQLite prepare all cached statements anew.
    private func installedAuthorizer() throws(SQLiteError) -> Authorizer {
        if let authorizer { return authorizer }
        let made = Authorizer()
        let context = Unmanaged.passUnretained(made).toOpaque()
        let code = sqlite3_set_authorizer(handle, judge, context)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle) }
        authorizer = made
        return made
    }

    /// Not from the cache: a statement that was prepared for us was not judged.
    private func uncachedTable(
        of sql: String
    ) throws(SQLiteError) -> (columns: [String], rows: [[DatabaseValue]]) {
        let statement = try Statement(sql, on: handle)
        defer { statement.reset() }
        try statement.bind([])
        let row = Row(statement.handle)
        var rows: [[DatabaseValue]] = []
        while try statement.step() { rows.append(row.values) }
        return (row.columnNames, rows)
    }
}

final class Authorizer {
    /// nil while our own statements are prepared.
    private(set) var allows: ((StatementAction) -> Bool)?
    /// The first thing that was refused.
    var denied: StatementAction?

    func begin(_ allows: @escaping (StatementAction) -> Bool) {
        self.allows = allows
        denied = nil
    }

    func end() { allows = nil }
}

private func judge(
    _ context: UnsafeMutableRawPointer?, _ code: Int32, _ first: UnsafePointer<CChar>?,
    _ second: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?,
    _ inside: UnsafePointer<CChar>?
) -> Int32 {
    guard let context else { return SQLITE_DENY }
    let authorizer = Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
    guard let allows = authorizer.allows else { return SQLITE_OK }
    let text = { (pointer: UnsafePointer<CChar>?) in pointer.map { String(cString: $0) } }
    let action = StatementAction(
        StatementAction.Kind(code, text(first) ?? "", text(second) ?? ""), inside: text(inside))
    if allows(action) { return SQLITE_OK }
    authorizer.denied = authorizer.denied ?? action
    return SQLITE_DENY
}

extension StatementAction.Kind {
    fileprivate init(_ code: Int32, _ first: String, _ second: String) {
        switch code {
        case SQLITE_SELECT: self = .select
        case SQLITE_RECURSIVE: self = .recursion
        case SQLITE_READ: self = .read(table: first)
        case SQLITE_FUNCTION: self = .function(second)
        case SQLITE_INSERT: self = .insert(table: first)
        case SQLITE_UPDATE: self = .update(table: first, column: second)
        case SQLITE_DELETE: self = .delete(table: first)
        // BEGIN, COMMIT or ROLLBACK.
        case SQLITE_TRANSACTION: self = .other(first)
        default: self = .other(Self.word(of: code))
        }
    }

    private static func word(of code: Int32) -> String {
        switch code {
        case SQLITE_PRAGMA: "PRAGMA"
        case SQLITE_ATTACH: "ATTACH"
        case SQLITE_DETACH: "DETACH"
        case SQLITE_SAVEPOINT: "SAVEPOINT"
        case SQLITE_ALTER_TABLE: "ALTER"
        case SQLITE_REINDEX: "REINDEX"
        case SQLITE_ANALYZE: "ANALYZE"
        case SQLITE_CREATE_INDEX...SQLITE_CREATE_VIEW, SQLITE_CREATE_VTABLE: "CREATE"
        case SQLITE_DROP_INDEX...SQLITE_DROP_VIEW, SQLITE_DROP_VTABLE: "DROP"
        default: "this (action \(code))"
        }
    }
}
