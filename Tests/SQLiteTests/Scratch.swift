import SQLite
import TestSupport
import Testing

/// A folder, a database in it, and the checks that every test ends with.
struct Scratch {
    let folder: TemporaryFolder
    var path: String { folder.path + "/walkdown.db" }

    init() throws { folder = try TemporaryFolder("sqlite") }

    func open(_ mode: Connection.Mode = .create) throws -> Connection {
        try Connection.open(path, mode: mode)
    }

    /// How every test ends: no statement is left busy, and closing succeeds, which it does only
    /// when every statement is finalized.
    func close(_ connection: Connection) throws {
        #expect(connection.busyStatements.isEmpty)
        #expect(!connection.isInTransaction)
        try connection.close()
    }

    static func withKey<Result>(
        _ byte: UInt8 = 7, count: Int = 32, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try [UInt8](repeating: byte, count: count).withUnsafeBytes { try body($0) }
    }
}

/// The library that this run is linked with, said once in the output: key tests expect SQLCipher to
/// encrypt and plain SQLite to refuse a key.
let cipher: String? = {
    do { return try Connection.cipherVersion() } catch { return nil }
}()
