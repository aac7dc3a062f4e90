/// What earlier mutations of one batch hold back: after one that was not applied in full, later
/// ones by the same node that name the same fields are not judged, because they were made on top of
/// a value that is not in force.
package struct BatchHolds: Sendable {
    private struct Hold {
        var mutation: MutationID
        /// nil: every field of the record.
        var fields: Set<FieldName>?
    }

    private var holds: [RecordID: [Hold]] = [:]

    package init() {}

    /// Whose verdict has to come first, or nil where the mutation can be judged.
    package func holder(of mutation: Mutation) -> MutationID? {
        let own = holds[mutation.record]?.first { hold in
            guard let fields = hold.fields else { return true }
            return !fields.isDisjoint(with: mutation.changes.keys)
        }
        if let own { return own.mutation }
        // A child waits for a parent that this batch failed to make.
        guard let parent = mutation.parent else { return nil }
        return holds[parent]?.first { $0.fields == nil }?.mutation
    }

    /// Takes note of a verdict, in the order of the batch.
    package mutating func note(
        _ mutation: Mutation, _ verdict: Verdict.Status, conflicts: [FieldConflict]
    ) {
        switch verdict {
        case .applied, .merged, .duplicate: return
        case .conflict, .quarantined:
            add(mutation, fields: Set(conflicts.map(\.column)))
        case .rejected, .held:
            let isWhole = mutation.operation == .insert
            add(mutation, fields: isWhole ? nil : Set(mutation.changes.keys))
        }
    }

    private mutating func add(_ mutation: Mutation, fields: Set<FieldName>?) {
        holds[mutation.record, default: []].append(Hold(mutation: mutation.id, fields: fields))
    }
}

extension Verdict.Status {
    /// Whether the verdict is kept until the device reports it acknowledged. `held` and `rejected`
    /// are judged afresh when the mutation comes again.
    package var isStored: Bool {
        switch self {
        case .applied, .merged, .conflict, .quarantined: true
        case .duplicate, .rejected, .held: false
        }
    }

    /// Whether everything in the mutation is settled, so that it leaves the outbox.
    package var isAcknowledgement: Bool {
        switch self {
        case .applied, .merged, .duplicate: true
        case .conflict, .quarantined, .rejected, .held: false
        }
    }
}
