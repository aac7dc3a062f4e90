internal import Coding
internal import Replication

/// What one mutation makes of one record. Pure: nothing is written here.
struct RecordMerge {
    private(set) var record: StoredRecord
    /// Fields whose register is new.
    private(set) var changed: [FieldName] = []
    private(set) var history: [HistoryEntry] = []
    /// What the device or a supervisor has to decide.
    private(set) var conflicts: [FieldConflict] = []
    /// What goes to the review queue.
    private(set) var reviews: [FieldConflict] = []
    private var wasSettled = false

    init(
        _ record: StoredRecord, _ mutation: Mutation, node: NodeID, policies: FieldPolicies
    ) throws {
        self.record = record
        let isUndone = mutation.changes[Mutation.deletedField].map { $0.value != .integer(1) }
        if record.isDeleted, isUndone != true {
            meetTombstone(mutation, node: node)
            return
        }
        let newVersion = record.version + 1
        for column in mutation.columns {
            guard let change = mutation.changes[column] else { continue }
            let policy = try policies.policy(of: column)
            let outcome = Replication.merge(
                field: column, current: record.fields[column], incoming: change, node: node,
                policy: policy, newVersion: newVersion)
            take(outcome, column: column)
        }
        if mutation.operation == .delete { delete(mutation, node: node, newVersion) }
        if !changed.isEmpty || record.version == 0 { self.record.version = newVersion }
    }

    private mutating func take(_ outcome: FieldOutcome, column: FieldName) {
        switch outcome {
        case .unchanged: return
        case .applied(let register, let rule, let overwritten):
            record.fields[column] = register
            changed.append(column)
            if let overwritten { history.append(overwritten) }
            if rule != .seen { wasSettled = true }
        case .lost(let entry):
            history.append(entry)
            wasSettled = true
        case .undecided(let conflict):
            conflicts.append(conflict)
            if conflict.rule == MergeRule.quarantine.rawValue { reviews.append(conflict) }
        }
    }

    /// A delete wins over edits. One that did not know of another node's change is in force too,
    /// and a person looks at what it took away.
    private mutating func delete(_ mutation: Mutation, node: NodeID, _ newVersion: Int64) {
        let name = Mutation.deletedField
        let change = mutation.changes[name]
        record.isDeleted = true
        guard let base = change?.baseVersion else { return }
        for (column, register) in record.fields.sorted(by: { $0.key < $1.key })
        where column != name && register.newestChange(notBy: node) > base {
            reviews.append(
                FieldConflict(
                    column: column, base: .null, mine: .null, theirs: register.value,
                    theirsNode: register.stamp.node, rule: MergeRule.delete.rawValue))
        }
    }

    /// Edits of a deleted record are kept and offered back: restore, or let go.
    private mutating func meetTombstone(_ mutation: Mutation, node: NodeID) {
        for column in mutation.columns where column != Mutation.deletedField {
            guard let change = mutation.changes[column] else { continue }
            history.append(
                HistoryEntry(
                    field: column, value: change.value,
                    stamp: Stamp(lamport: change.lamport, node: node), rule: .tombstone))
            conflicts.append(
                FieldConflict(
                    column: column, base: change.baseValue, mine: change.value,
                    theirs: record.fields[column]?.value ?? .null,
                    theirsNode: record.fields[Mutation.deletedField]?.stamp.node,
                    rule: MergeRule.tombstone.rawValue))
        }
    }

    /// An inspector's own decision comes before a supervisor's.
    var status: Verdict.Status {
        if conflicts.contains(where: { $0.rule != MergeRule.quarantine.rawValue }) {
            return .conflict
        }
        if !conflicts.isEmpty { return .quarantined }
        return wasSettled ? .merged : .applied
    }
}
