internal import CSQLite
internal import Glibc

extension Connection {
    /// Opens a database by the one ritual that there is (README.md, "Opening").
    ///
    /// - Parameters:
    ///   - key: 32 raw bytes for SQLCipher; nil opens plainly (the server). Copied nowhere that is
    ///     not zeroed here.
    ///   - busyTimeout: how long a statement waits for another connection's lock, in milliseconds.
    ///   - prepare: fills a database that is made (migrations, first rows) before it gets its name.
    /// - Throws: `exists`, `missing`, `truncated`, `noCipher`, `unsoundEngine`, or the engine's
    ///   error. Code 26
    ///   (`isNotADatabase`) is never to be told as *wrong PIN*.
    package static func open(
        _ path: String, mode: Mode, key: UnsafeRawBufferPointer? = nil, busyTimeout: Int32 = 5000,
        prepare: (Connection) throws -> Void = { _ in }
    ) throws -> Connection {
        if mode == .create {
            try Creation(path: path, key: key, busyTimeout: busyTimeout).perform(prepare)
        } else {
            try requireDatabase(at: path)
        }
        let readOnly = mode == .readOnly
        let flags = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        return try retriedOnce {
            try attempt(path, flags: flags, key: key, busyTimeout: busyTimeout)
        }
    }

    /// The version of SQLCipher that this process is linked with; nil under plain SQLite.
    package static func cipherVersion() throws -> String? {
        let connection = try openHandle(":memory:", flags: SQLITE_OPEN_READWRITE)
        let version = try connection.pragma("cipher_version")
        try connection.close()
        guard case .text(let text) = version else { return nil }
        return text
    }

    /// A passing read error on the first page looks like code 26 (V08): once more, from the start,
    /// before anybody hears of it.
    static func retriedOnce(_ attempt: () throws -> Connection) throws -> Connection {
        do {
            return try attempt()
        } catch let error as SQLiteError where error.isNotADatabase || error.isIO {
            return try attempt()
        }
    }

    static func attempt(
        _ path: String, flags: Int32, key: UnsafeRawBufferPointer?, busyTimeout: Int32
    ) throws -> Connection {
        let connection = try openHandle(path, flags: flags)
        do {
            if let key { try connection.present(key) }
            // The first read proves the key: nothing before it has touched the file.
            try connection.setPragma(
                "busy_timeout", to: "\(busyTimeout)", reads: .integer(Int64(busyTimeout)))
            try connection.execute("SELECT count(*) FROM sqlite_master")
            try connection.configure(creating: flags & SQLITE_OPEN_CREATE != 0)
            return connection
        } catch {
            try connection.close()
            throw error
        }
    }

    /// SQLite 3.35.0 to 3.37.1 can damage a database where a savepoint is rolled back while temporary
    /// storage is in memory (sqlite.org/releaselog/3_37_2.html), as ours always is.
    static func isSound(engineVersion number: Int32) -> Bool {
        !(3_035_000...3_037_001).contains(number)
    }

    /// SQLite counts the memory that it has in use, for nobody here, and takes a lock of the whole
    /// process for each allocation to do so (sqlite.org/compile.html, SQLITE_DEFAULT_MEMSTATUS).
    private static let memoryIsNotCounted: Bool =
        // Refused where something else in the process has used SQLite before: then it counts.
        walkdown_sqlite_stop_counting_memory() == SQLITE_OK

    private static func openHandle(_ path: String, flags: Int32) throws(SQLiteError) -> Connection {
        _ = memoryIsNotCounted
        guard isSound(engineVersion: sqlite3_libversion_number()) else {
            throw SQLiteError(
                .unsoundEngine,
                "SQLite \(String(cString: sqlite3_libversion())) can damage this"
                    + " database; install 3.37.2 or later")
        }
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code, on: handle)
            // "Whether or not an error occurs, the handle should be passed to sqlite3_close()".
            sqlite3_close(handle)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        let readOnly = flags & SQLITE_OPEN_READONLY != 0
        return Connection(handle: handle, path: path, isReadOnly: readOnly)
    }

    private static func requireDatabase(at path: String) throws(SQLiteError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { throw SQLiteError(.missing, "there is no database at \(path)") }
            throw SQLiteError(.system(errno), "cannot look at \(path)")
        }
        // SQLite takes an empty file for a new database and would fill it: the answers of a file
        // that a failing disk cut to nothing would be gone without a word.
        guard status.st_size >= 512 else {
            throw SQLiteError(
                .truncated, "the database at \(path) is cut to \(status.st_size) bytes")
        }
    }

    // MARK: The key

    private func present(_ key: UnsafeRawBufferPointer) throws {
        guard key.count == 32 else {
            throw SQLiteError(.malformedKey, "a database key has 32 bytes, not \(key.count)")
        }
        try KeyPragma.withText(of: key) { text throws(SQLiteError) in
            // No context: the statement is the key. On failure the engine's text does not quote it.
            let code = sqlite3_exec(handle, text, nil, nil, nil)
            guard code == SQLITE_OK else { throw SQLiteError(code, on: handle) }
        }
        // Ignored by 3.4.1, needed by 4.x, and it resets the page size: therefore before that.
        try run(script: "PRAGMA cipher_compatibility = 3")
        try run(script: "PRAGMA cipher_page_size = 4096")
        // SQLCipher 4.6 writes its own lines on standard error, into whatever screen stands there; what
        // fails is thrown and told in words.
        try run(script: "PRAGMA cipher_log_level = NONE")
        // Plain SQLite ignores `PRAGMA key` without a word and would write the answers in clear.
        guard case .text(let version) = try pragma("cipher_version"), !version.isEmpty else {
            throw SQLiteError(.noCipher, "this program is not linked with SQLCipher")
        }
    }

    // MARK: Pragmas

    private func configure(creating: Bool) throws {
        if creating {
            try setPragma("auto_vacuum", to: "INCREMENTAL", reads: .integer(2))
            try setPragma("journal_mode", to: "WAL", reads: .text("wal"))
        } else if try pragma("journal_mode") != .text("wal") {
            throw SQLiteError(.pragma, "the database is not in WAL mode")
        }
        try setPragma("foreign_keys", to: "ON", reads: .integer(1))
        try setPragma("temp_store", to: "MEMORY", reads: .integer(2))
        try setPragma("secure_delete", to: "ON", reads: .integer(1))
        try setPragma("cache_size", to: "-65536", reads: .integer(-65536))
        try setPragma("recursive_triggers", to: "ON", reads: .integer(1))
        // Nobody checkpoints but who says so: a second one at the same time can corrupt the file
        // (sqlite.org/wal.html#walresetbug, fixed in 3.51.3).
        try setPragma("wal_autocheckpoint", to: "0", reads: .integer(0))
        if !isReadOnly { watchLog() }
        try setSynchronous(.full)
        if isReadOnly { try setPragma("query_only", to: "ON", reads: .integer(1)) }
    }

    /// The first column of a pragma's first row; nil where it answers with none, as unknown ones do.
    package func pragma(_ name: String) throws -> DatabaseValue? {
        try first("PRAGMA \(name)") { $0.value(0) }
    }

    /// Sets a pragma and reads it back, because SQLite ignores unknown and late ones in silence.
    func setPragma(_ name: String, to value: String, reads expected: DatabaseValue) throws {
        try run(script: "PRAGMA \(name) = \(value)")
        let found = try pragma(name)
        guard found == expected else {
            throw SQLiteError(.pragma, "PRAGMA \(name) reads back another value than was set")
        }
    }
}

/// `PRAGMA key = "x'…64 hex digits…'"` in memory that is zeroed afterwards. With one digit less or
/// without the x, SQLCipher would take it for a passphrase.
private enum KeyPragma {
    static func withText(
        of key: UnsafeRawBufferPointer, _ body: (UnsafePointer<CChar>) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let head = Array("PRAGMA key = \"x'".utf8)
        let tail = Array("'\"".utf8)
        let length = head.count + 2 * key.count + tail.count + 1
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: length)
        defer {
            if let start = text.baseAddress { explicit_bzero(start, length) }
            text.deallocate()
        }
        var position = 0
        func append(_ byte: UInt8) {
            text[position] = byte
            position += 1
        }
        head.forEach(append)
        for byte in key {
            append(hexDigit(byte >> 4))
            append(hexDigit(byte & 15))
        }
        tail.forEach(append)
        append(0)
        guard let start = text.baseAddress else { return }
        try start.withMemoryRebound(to: CChar.self, capacity: length) {
            start throws(SQLiteError) in try body(start)
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
