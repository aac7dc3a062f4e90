package import Crypto
internal import Glibc
internal import SQLite
package import Vault

/// Whether a database can still be used. Whoever hears that it cannot sets it aside, so an error counts
/// as damage only where nothing else explains it.
extension DeviceStore {
    /// Why the database cannot be used any more; nil where its pages are whole. Another error, such as a
    /// lock, a failing disk or a library that does not understand our statements, is thrown and says
    /// nothing about the file.
    package static func damage(home: Home, key: SecretBytes) throws -> String? {
        try StoreError.translating { try damage(home: home, protection: .key(key)) }
    }

    /// - Parameter isLibrarySound: whether a new database answers the same questions; a test says no.
    static func damage(
        home: Home, protection: Protection, isLibrarySound: (() throws -> Bool)? = nil
    ) throws -> String? {
        do {
            return try problems(of: home.database, protection)
        } catch let error as SQLiteError {
            switch error.blame {
            case .file: return error.description
            case .fileOrLibrary:
                let isSound = try isLibrarySound?() ?? answersInNewDatabase(home, protection)
                guard isSound else { throw error }
                return error.description
            case .elsewhere: throw error
            }
        }
    }

    private static func problems(of path: String, _ protection: Protection) throws -> String? {
        let connection = try protection.open(path, .readOnly)
        do {
            let problems = try connection.integrityProblems(limit: 100)
            try connection.close()
            return problems.isEmpty ? nil : problems.joined(separator: "\n")
        } catch {
            try connection.close()
            throw error
        }
    }

    /// Makes a database beside the home's, asks it, and removes it.
    private static func answersInNewDatabase(
        _ home: Home, _ protection: Protection
    ) throws -> Bool {
        let path = home.database + ".control"
        let names = ["", "-wal", "-shm", "-journal"].map { path + $0 }
        for name in names { unlink(name) }
        // What stays is removed by the next one, and holds nothing.
        defer { for name in names { unlink(name) } }
        do {
            let connection = try protection.open(path, .create) {
                try Schema.migrations.apply(to: $0)
            }
            try connection.close()
            return try problems(of: path, protection) == nil
        } catch let error as SQLiteError where error.blame == .fileOrLibrary {
            return false
        }
    }
}

/// What an error of a database can be due to.
private enum Blame {
    /// The file, or that there is none.
    case file
    /// Only what we always say was said: the file is not what was written (SQLCipher 3 reports a page
    /// that fails its check as code 1), or the library does not understand us.
    case fileOrLibrary
    /// A lock, a failing disk, a person.
    case elsewhere
}

extension SQLiteError {
    fileprivate var blame: Blame {
        switch reason {
        case .engine where isNotADatabase || isCorrupt: .file
        case .engine where isLanguage: .fileOrLibrary
        case .missing, .truncated: .file
        case .pragma, .columnType: .fileOrLibrary
        default: .elsewhere
        }
    }
}
