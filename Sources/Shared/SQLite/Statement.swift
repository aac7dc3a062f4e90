internal import CSQLite

/// A prepared statement of one connection. Belongs to the connection's cache; callers see its rows only.
final class Statement {
    let handle: OpaquePointer
    let sql: String
    /// True while somebody steps it: a nested use of the same text gets a statement of its own.
    var isInUse = false

    /// Prepares one statement.
    /// - Throws: the engine's error, or one that says that a second statement follows the first.
    init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
        var text = sql
        var prepared: OpaquePointer?
        var code = SQLITE_OK
        var rest = 0
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                var tail: UnsafePointer<CChar>?
                code = sqlite3_prepare_v2(
                    connection, characters.baseAddress, Int32(characters.count), &prepared, &tail)
                guard let start = characters.baseAddress, let tail else { return }
                rest = characters[(tail - start)...].filter { !Statement.isBlank($0) }.count
            }
        }
        guard code == SQLITE_OK else {
            throw SQLiteError(code, on: connection, context: sql)
        }
        guard let prepared else {
            throw SQLiteError(.engine(SQLITE_MISUSE), "the statement is empty")
        }
        self.handle = prepared
        self.sql = sql
        if rest > 0 {
            throw SQLiteError(
                .engine(SQLITE_MISUSE), "more than one statement",
                context: StatementText.withoutLiterals(sql))
        }
    }

    deinit {
        // Its return value repeats the error of the last step, which was thrown there.
        sqlite3_finalize(handle)
    }

    func bind(_ values: [DatabaseValue]) throws(SQLiteError) {
        let expected = sqlite3_bind_parameter_count(handle)
        guard values.count == Int(expected) else {
            throw SQLiteError(
                .engine(SQLITE_MISUSE), "\(values.count) values for \(expected) placeholders",
                context: StatementText.withoutLiterals(sql))
        }
        for (offset, value) in values.enumerated() {
            let code = bind(value, at: Int32(offset + 1))
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    /// True when a row stands ready, false when the statement is done.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Ends the run and forgets the bound values.
    func reset() {
        // "If the most recent call to sqlite3_step failed, sqlite3_reset returns that error":
        // it was thrown by `step` already.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func bind(_ value: DatabaseValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let integer): return sqlite3_bind_int64(handle, index, integer)
        case .real(let real): return sqlite3_bind_double(handle, index, real)
        // A nil pointer would bind NULL; the empty text and the empty blob are not NULL.
        case .text(let text) where text.isEmpty:
            return walkdown_sqlite_bind_text(handle, index, "", 0)
        case .text(var text):
            return text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    walkdown_sqlite_bind_text(handle, index, $0.baseAddress, Int32($0.count))
                }
            }
        case .blob(let blob) where blob.isEmpty: return sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let blob):
            return blob.withUnsafeBytes {
                walkdown_sqlite_bind_blob(handle, index, $0.baseAddress, Int32($0.count))
            }
        }
    }

    private func failure(_ code: Int32) -> SQLiteError {
        SQLiteError(code, on: sqlite3_db_handle(handle), context: sql)
    }

    private static func isBlank(_ character: CChar) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D, 0x3B].contains(character)
    }
}
