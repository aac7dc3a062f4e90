internal import Crypto
internal import SQLite
package import Vault

extension KeyWitness {
    /// The database and the journal of this home. Neither is changed, and what cannot be read says nothing
    /// about a key.
    package init(of home: Home) {
        self.init(
            fit: { key in Self.fit(of: key, home) }, deviceId: { key in Self.device(key, home) })
    }

    /// The journal first: to look at it leaves the database and its log alone.
    private static func fit(of key: SecretBytes, _ home: Home) -> KeyFit {
        let journal = journalFit(of: key, home)
        guard journal != .opens else { return .opens }
        do {
            try key.withBytes { bytes in
                try Connection.open(home.database, mode: .readOnly, key: bytes).close()
            }
            return .opens
        } catch let error as SQLiteError {
            // A first page that is damaged looks as with another key; together with a journal it does not.
            let isTold =
                error.isNotADatabase || error.reason == .missing || error.reason == .truncated
            return isTold ? journal : .unknown
        } catch {
            return .unknown
        }
    }

    private static func journalFit(of key: SecretBytes, _ home: Home) -> KeyFit {
        do {
            let parts = try JournalParts(of: home, key: key)
            defer { parts.cipher.erase() }
            return try parts.fit()
        } catch {
            return .unknown
        }
    }

    private static func device(_ key: SecretBytes, _ home: Home) -> String? {
        do {
            let parts = try JournalParts(of: home, key: key)
            defer { parts.cipher.erase() }
            if case .text(let id)? = try parts.read().replay.origin?.metadata["device_id"] {
                return id
            }
            return try key.withBytes { bytes in
                let database = try Connection.open(home.database, mode: .readOnly, key: bytes)
                let id = try database.metadataText("device_id")
                try database.close()
                return id
            }
        } catch {
            return nil
        }
    }
}

extension JournalParts {
    /// Whether the key opens an entry; the newest segment first, in which one is found at once.
    fileprivate func fit() throws -> KeyFit {
        var hasEntries = false
        let names = try folder.names().filter { JournalSegment.number(ofName: $0) != nil }
        for name in names.reversed() {
            let bytes = try folder.contents(of: name)
            let first = JournalFrame(in: bytes, at: 0)
            if let first, holdsEntry(first.bytes) { return .opens }
            if holdsEntry(bytes) { return .opens }
            hasEntries = hasEntries || first != nil
        }
        return hasEntries ? .opensNeither : .unknown
    }

    private func holdsEntry(_ bytes: [UInt8]) -> Bool {
        !JournalSegmentReading(bytes, by: cipher).entries.isEmpty
    }
}
