internal import Coding
internal import Replication
internal import SQLite

/// What a restored server is told of the past of a change: with the versions of one epoch it knows
/// which of two changes had taken the other's place, in whatever order they come back to it.
extension Connection {
    /// Keeps which version each of these had, for those that were what the server had confirmed.
    func noteFormer(
        _ entries: [AcknowledgedRow.Entry], of id: RecordID,
        _ confirmed: [FieldName: WireRecord.Field]
    ) throws {
        let isOfOneEpoch = try knowsOneEpoch()
        for entry in entries {
            let version = try formerVersion(of: entry, on: id, confirmed[entry.name])
            try execute(
                """
                INSERT OR REPLACE INTO __sync_former (record_id, name, lamport, version)
                VALUES (?, ?, ?, ?)
                """,
                [
                    .text(id.rawValue), .text(entry.name), .integer(entry.lamport),
                    .integer(isOfOneEpoch ? version : 0),
                ])
        }
    }

    /// Whether everything of before is of one epoch, so that its versions tell an order.
    func knowsOneEpoch() throws -> Bool { try metadataInteger("old_epochs") == 1 }

    private func formerVersion(
        of entry: AcknowledgedRow.Entry, on id: RecordID, _ confirmed: WireRecord.Field?
    ) throws -> Int64 {
        if entry.name == Mutation.deletedField {
            return try first(
                "SELECT version FROM record WHERE id = ? AND is_deleted IS ?",
                [.text(id.rawValue), DatabaseValue(entry.value)]
            ) { try $0.integer(0) } ?? 0
        }
        guard let confirmed, entry.isSame(as: confirmed) else { return 0 }
        return confirmed.version
    }

    /// Adds to changes that go under the old cursor what is certain of it: the version that each had, or
    /// that its base is of the old epoch. Of what the server has shown since, a base may be newer, and
    /// one that was taken over from a former node always may.
    func tellPast(
        of changes: inout [(FieldName, FieldChange)], on id: RecordID
    ) throws {
        guard try knowsOneEpoch() else { return }
        var former: [FieldName: [Int64: Int64]] = [:]
        try each(
            "SELECT name, lamport, version FROM __sync_former WHERE record_id = ?",
            [.text(id.rawValue)]
        ) { former[try $0.text(0), default: [:]][try $0.integer(1)] = try $0.integer(2) }
        let isUnseen =
            try first(
                "SELECT 1 FROM __sync_unseen WHERE record_id = ? AND is_old = 1",
                [.text(id.rawValue)]
            ) { _ in true } ?? false
        let isExact = try isUnseen && partedAt() == 0
        for index in changes.indices {
            let (name, change) = changes[index]
            let version = former[name]?[change.lamport]
            changes[index].1.formerVersion = version ?? 0
            changes[index].1.hasExactBase = isExact && version == nil
        }
    }
}
