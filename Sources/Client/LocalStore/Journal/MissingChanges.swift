internal import SQLite

/// Changes of which only this is known: that they were called saved once, and that neither database nor
/// journal has them any more. Told until a person says that he knows it, because nothing else here would
/// say so, and the server has never heard of them. So it is with a journal that is gone: whether the
/// database lacks what stood there nobody knows.
extension DeviceStore {
    /// So many at least.
    package func missingChanges() throws -> Int { try read { try $0.missingChanges() } }

    /// Whether there was a journal, and nothing of it was left when it was made anew.
    package func wasJournalGone() throws -> Bool { try read { try $0.wasJournalGone() } }

    /// A person has been told.
    package func acknowledgeMissing() throws {
        try edit { database in
            for key in [Connection.missingChangesKey, Connection.journalGoneKey] {
                guard try database.metadataInteger(key) ?? 0 > 0 else { continue }
                try database.setMetadata(key, .integer(0))
            }
        }
    }
}

extension Connection {
    fileprivate static var missingChangesKey: String { "missing_changes" }

    fileprivate static var journalGoneKey: String { "journal_gone" }

    func wasJournalGone() throws -> Bool { try metadataInteger(Self.journalGoneKey) == 1 }

    func noteJournalGone() throws { try setMetadata(Self.journalGoneKey, .integer(1)) }

    func missingChanges() throws -> Int {
        Int(clamping: try metadataInteger(Self.missingChangesKey) ?? 0)
    }

    /// A crash may let the same be found twice, so that it is not added up.
    func noteMissing(_ count: Int) throws {
        guard try count > missingChanges() else { return }
        try setMetadata(Self.missingChangesKey, .integer(Int64(count)))
    }
}
