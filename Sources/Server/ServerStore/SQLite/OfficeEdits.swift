internal import Coding
internal import Replication
internal import SQLite

extension WriteSession {
    enum PutOutcome {
        case created, updated, unchanged
    }

    /// The node of imports.
    static let importer = NodeID("portal:import")

    /// Gives a record these values, made where there is none: a mutation like a device's, based on
    /// what stands now, so that history, feed and merge treat it the same.
    ///
    /// - Parameter site: where a new record without a parent belongs.
    /// - Throws: where the values do not stand afterwards.
    @discardableResult
    func put(
        _ id: RecordID, table: String, parent: RecordID?, _ values: [FieldName: FieldValue],
        by node: NodeID = importer, in site: Site? = nil
    ) throws -> PutOutcome {
        let existing = try connection.record(id)
        var changes = values.filter { $1 != existing?.value($0) ?? .null }
        // What the office lists exists, also where a device had deleted it.
        if existing?.isDeleted == true { changes[Mutation.deletedField] = .integer(0) }
        guard existing == nil || !changes.isEmpty else { return .unchanged }
        let count = tick()
        let isDeletion = changes[Mutation.deletedField] == .integer(1)
        let mutation = Mutation(
            id: MutationID(newID()), sequence: 0, table: table, record: id, parent: parent,
            operation: existing == nil ? .insert : isDeletion ? .delete : .update, lamport: count,
            changes: changes.mapValues { value in
                FieldChange(value: value, baseVersion: existing?.version ?? 0, lamport: count)
            }, createdAtUtc: SyncTimestamp.text(now))
        do {
            let verdict = try merge(mutation, by: .office(node), in: site)
            guard [.applied, .merged].contains(verdict.status) else {
                throw ServerStoreError(
                    .stateRefused,
                    "record \(id) did not take the change (\(verdict.status.rawValue))")
            }
        } catch Admission.Refusal.rejected(let error) {
            throw ServerStoreError(
                .valueRefused, (error.column.map { $0 + ": " } ?? "") + error.message)
        } catch Admission.Refusal.waiting {
            throw ServerStoreError(
                .stateRefused, "the record that \(id) belongs to is not here")
        }
        return existing == nil ? .created : .updated
    }
}
