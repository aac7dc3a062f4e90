internal import Inspections
package import Replication

/// What one version of the program knows of records: which tables there are, where their records
/// stand, which fields they have of themselves. Questions are a form's, not a version's.
package struct RecordModel: Sendable {
    /// Compared with that of a device; see `RecordTable.schemaVersion`.
    package var version: Int64
    /// For each table those whose records may stand above; nil stands for none.
    package var parents: [String: [String?]]
    package var builtInFields: Set<FieldName>

    package init(
        version: Int64, parents: [String: [String?]], builtInFields: Set<FieldName>
    ) {
        self.version = version
        self.parents = parents
        self.builtInFields = builtInFields
    }

    package static let current = RecordModel(
        version: RecordTable.schemaVersion,
        parents: [
            RecordTable.site: [nil],
            RecordTable.asset: [RecordTable.site],
            RecordTable.assignment: [RecordTable.asset],
            RecordTable.inspection: [RecordTable.asset, nil],
            RecordTable.finding: [RecordTable.inspection],
            RecordTable.attachment: [RecordTable.inspection],
            RecordTable.repetition: [RecordTable.inspection, RecordTable.repetition],
        ],
        builtInFields: BuiltInField.all.union([Mutation.deletedField]))

    func knows(table: String) -> Bool { parents[table] != nil }

    /// The newest version that is still taken: a device may be upgraded before its server.
    var newestTaken: Int64 { version + 1 }

    /// - Throws: `peerTooNew` where a device's program is more than one version ahead.
    func refuseTooNew(_ version: Int64) throws {
        guard version > newestTaken else { return }
        throw ServerStoreError(
            .peerTooNew,
            "the device's program has schema version \(version), this server takes versions up "
                + "to \(newestTaken); upgrade the server, the device keeps everything")
    }
}
