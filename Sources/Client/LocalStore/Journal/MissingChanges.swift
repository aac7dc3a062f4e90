internal import SQLite

/// Changes of which only this is known: that they were called saved once, and that neither database nor
/// journal has them any more. Told until a person says that he knows it, because nothing else here would
/// say so, and the server has never heard of them.
extension DeviceStore {
    /// So many at least.
    package func missingChanges() throws -> Int { try read { try $0.missingChanges() } }

    /// A person has been told.
    package func acknowledgeMissing() throws {
        try edit { try $0.setMetadata(Connection.missingChangesKey, .integer(0)) }
    }
}

extension Connection {
    fileprivate static var missingChangesKey: String { "missing_changes" }

    func missingChanges() throws -> Int {
        Int(clamping: try metadataInteger(Self.missingChangesKey) ?? 0)
    }

    /// A crash may let the same be found twice, so that it is not added up.
    func noteMissing(_ count: Int) throws {
        guard try count > missingChanges() else { return }
        try setMetadata(Self.missingChangesKey, .integer(Int64(count)))
    }
}
