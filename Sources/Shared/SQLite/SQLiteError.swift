internal import CSQLite

/// What SQLite or the opening ritual refused. Holds no bound value, no literal of the statement and
/// no key: `context` is the statement with its literals blotted out.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: Sendable, Equatable {
        /// The library's own primary result code (sqlite.org/rescode.html).
        case engine(Int32)
        /// A database stands here already and a new one was asked for.
        case exists
        /// A database was expected here.
        case missing
        /// The file is shorter than any database that was ever finished.
        case truncated
        /// A key was given and the linked library is not SQLCipher.
        case noCipher
        /// The linked library is one that is known to damage databases such as ours.
        case unsoundEngine
        /// The key is not 32 bytes long.
        case malformedKey
        /// A pragma reads back another value than the one that was set.
        case pragma
        /// The file carries a migration that this program does not know.
        case newerSchema
        /// A column holds another type than the one that was asked for.
        case columnType
        /// The serial database was closed before the call's turn came.
        case closed
        /// A call of the operating system failed; the code is its errno.
        case system(Int32)
    }

    package var reason: Reason
    /// The extended result code; 0 where the reason is not the engine's.
    package var extendedCode: Int32
    package var message: String
    package var context: String

    package init(_ reason: Reason, extendedCode: Int32 = 0, _ message: String, context: String = "")
    {
        self.reason = reason
        self.extendedCode = extendedCode
        self.message = message
        self.context = context
    }

    /// The primary result code, or SQLITE_ERROR where the reason is not the engine's.
    package var code: Int32 {
        if case .engine(let code) = reason { return code }
        return SQLITE_ERROR
    }

    package var isBusy: Bool { has(SQLITE_BUSY) || has(SQLITE_LOCKED) }
    /// Also where the index of the log finds no room: that is an input/output error to SQLite, and
    /// the first thing to fail when a database is opened on a full disk.
    package var isFull: Bool { has(SQLITE_FULL) || extendedCode == noRoomForIndex }
    package var isConstraint: Bool { has(SQLITE_CONSTRAINT) }
    package var isIO: Bool { has(SQLITE_IOERR) }
    /// Code 26: another key, another page size, damage or a passing read error. Never *wrong PIN*.
    package var isNotADatabase: Bool { has(SQLITE_NOTADB) }
    /// Code 11: pages that contradict each other, or that fail the cipher's own check.
    package var isCorrupt: Bool { has(SQLITE_CORRUPT) }
    /// Code 1: the statement, or the schema that it meets, is not understood.
    package var isLanguage: Bool { has(SQLITE_ERROR) }
    /// The disk did not say that it has what was written. Nobody knows what it has, and asking once more
    /// can bring a yes that is none.
    package var isUnsynchronised: Bool {
        [failedSynchronising, failedSynchronisingFolder].contains(extendedCode)
    }
    /// A file beside the database may be what cannot be opened.
    package var cannotOpen: Bool { has(SQLITE_CANTOPEN) }
    package var isReadOnly: Bool { has(SQLITE_READONLY) }

    /// The text that a trigger gave to RAISE, if a trigger refused the statement.
    package var constraintMessage: String? {
        extendedCode == constraintTrigger ? message : nil
    }

    package var description: String {
        context.isEmpty ? "\(message) (\(codeText))" : "\(message) (\(codeText)) in: \(context)"
    }

    private var codeText: String {
        if extendedCode != 0 { return "SQLite \(extendedCode)" }
        if case .engine(let code) = reason { return "SQLite \(code)" }
        return "\(reason)"
    }

    private func has(_ code: Int32) -> Bool { reason == .engine(code) }
}

/// SQLITE_CONSTRAINT_TRIGGER, a macro of shifts that Swift does not import.
private let constraintTrigger: Int32 = SQLITE_CONSTRAINT | (7 << 8)

/// SQLITE_IOERR_SHMSIZE, another macro of shifts.
private let noRoomForIndex: Int32 = SQLITE_IOERR | (19 << 8)

/// SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC.
private let failedSynchronising: Int32 = SQLITE_IOERR | (4 << 8)
private let failedSynchronisingFolder: Int32 = SQLITE_IOERR | (5 << 8)

extension SQLiteError {
    /// Reads the error that the last call on this handle left behind.
    init(_ code: Int32, on handle: OpaquePointer?, context: String = "") {
        // "sqlite3_errmsg … the error string might be overwritten by subsequent calls": copied here.
        let text = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "out of memory"
        self.init(
            .engine(code & 0xff), extendedCode: code, StatementText.withoutLiterals(text),
            context: StatementText.withoutLiterals(context))
    }
}

/// SQL as it may stand in an error or a log.
enum StatementText {
    /// The statement with each string, blob and number literal as `?`, runs of blanks as one.
    static func withoutLiterals(_ sql: String) -> String {
        var output: [UInt8] = []
        var bytes = sql.utf8.makeIterator()
        var next = bytes.next()
        while let byte = next {
            next = bytes.next()
            switch byte {
            case UInt8(ascii: "'"):
                while let inside = next, inside != UInt8(ascii: "'") { next = bytes.next() }
                next = bytes.next()
                output.append(UInt8(ascii: "?"))
            case _ where isDigit(byte) && !continuesWord(output.last):
                while let inside = next, isWord(inside) || inside == UInt8(ascii: ".") {
                    next = bytes.next()
                }
                output.append(UInt8(ascii: "?"))
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"):
                if output.last != UInt8(ascii: " ") { output.append(UInt8(ascii: " ")) }
            default:
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func continuesWord(_ byte: UInt8?) -> Bool {
        byte.map { isWord($0) || $0 == UInt8(ascii: "?") } ?? false
    }
}
