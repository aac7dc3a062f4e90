internal import Coding

/// Merges a whole mutation into the record that it names (walkdown-sync(7)). Pure: the store gives
/// what it has and keeps what comes out.
///
/// - Parameters:
///   - current: the record, or nil where the store has none of this id.
///   - parentIsKnown: whether the mutation's parent exists; true where it has none.
///   - isPruned: whether a record of this id was deleted so long ago that its tombstone is gone.
///   - policy: the form's policy for a field.
package func mergeRecord(
    current: RecordState?, mutation: Mutation, node: NodeID, parentIsKnown: Bool,
    isPruned: Bool = false, policy: (FieldName) -> MergePolicy
) -> RecordOutcome {
    let meeting = RecordMeeting(mutation: mutation, node: node)
    guard let current else {
        guard mutation.operation == .insert, !isPruned else {
            return meeting.meetsNothing(isPruned: isPruned)
        }
        guard parentIsKnown else { return RecordOutcome(status: .held, record: nil) }
        let empty = RecordState(
            table: mutation.table, id: mutation.record, parent: mutation.parent)
        return meeting.merge(into: empty, policy: policy)
    }
    if let refusal = meeting.refusal(by: current) {
        return RecordOutcome(status: .rejected, record: current, error: refusal)
    }
    if current.isDeleted, !meeting.isRevival(of: current) {
        return meeting.meetsTombstone(current)
    }
    return meeting.merge(into: current, policy: policy)
}

private struct RecordMeeting {
    let mutation: Mutation
    let node: NodeID

    /// The deletion as a change; one without a base of its own is taken to have seen everything.
    private var deletion: FieldChange? {
        if let change = mutation.changes[Mutation.deletedField] {
            return change.value.isNull || change.value == .integer(0) ? nil : change
        }
        guard mutation.operation == .delete else { return nil }
        return FieldChange(value: .integer(1), baseVersion: .max, lamport: mutation.lamport)
    }

    private var answers: [(name: FieldName, change: FieldChange)] {
        mutation.columns.filter { $0 != Mutation.deletedField }.compactMap { name in
            mutation.changes[name].map { (name, $0) }
        }
    }

    /// A record never changes its table or its parent.
    func refusal(by current: RecordState) -> WireError? {
        if current.table != mutation.table { return .tableChanged }
        if mutation.operation == .insert, current.parent != mutation.parent {
            return .parentChanged
        }
        return nil
    }

    // MARK: The record is there

    func merge(into current: RecordState, policy: (FieldName) -> MergePolicy) -> RecordOutcome {
        var outcome = RecordOutcome(status: .applied, record: current)
        var record = current
        let newVersion = current.version + 1
        var isChanged = current.version == 0
        for (name, change) in fieldsToMerge(over: current) {
            let result = Replication.merge(
                field: name, current: current.fields[name], incoming: change, node: node,
                policy: name == Mutation.deletedField ? .lww : policy(name),
                newVersion: newVersion)
            if case .applied(let register, _, _) = result {
                record.fields[name] = register
                isChanged = true
            }
            outcome.note(result)
        }
        if let deletion { isChanged = delete(&record, deletion, &outcome) || isChanged }
        record.version = isChanged ? newVersion : current.version
        outcome.record = record
        outcome.isChanged = isChanged
        outcome.settleStatus()
        return outcome
    }

    private func fieldsToMerge(over current: RecordState) -> [(FieldName, FieldChange)] {
        var fields: [(FieldName, FieldChange)] = answers.map { ($0.name, $0.change) }
        if current.isDeleted, let revival = mutation.changes[Mutation.deletedField] {
            fields.append((Mutation.deletedField, revival))
        }
        return fields
    }

    /// A delete wins over edits; one whose device had not seen another's change is looked at by a
    /// person.
    private func delete(
        _ record: inout RecordState, _ deletion: FieldChange, _ outcome: inout RecordOutcome
    ) -> Bool {
        guard !record.isDeleted else { return false }
        let field = Mutation.deletedField
        let unseen = record.fields.filter { name, register in
            name != field && register.newestChange(notBy: node) > deletion.baseVersion
        }
        if let newest = unseen.max(by: { $0.value.stamp < $1.value.stamp }) {
            let conflict = FieldConflict(
                column: newest.key, base: .null, mine: .null, theirs: newest.value.value,
                theirsNode: newest.value.stamp.node, rule: MergeRule.delete.rawValue)
            outcome.reviews.append(RecordOutcome.Review(kind: .deletion, conflict: conflict))
            outcome.wasSettledByRule = true
        }
        let earlier = record.fields[field]
        record.fields[field] = FieldRegister(
            value: .integer(1), stamp: Stamp(lamport: deletion.lamport, node: node),
            version: record.version + 1, foreignVersion: earlier?.newestChange(notBy: node) ?? 0)
        return true
    }

    // MARK: The record is not there any more

    func isRevival(of tombstone: RecordState) -> Bool {
        guard let revival = mutation.changes[Mutation.deletedField], deletion == nil,
            let register = tombstone.fields[Mutation.deletedField]
        else { return false }
        return revival.baseVersion >= register.version
    }

    /// Edits that meet a tombstone are kept in history and offered as *restore or let go*; what the
    /// deleting device itself had sent late is history only.
    func meetsTombstone(_ tombstone: RecordState) -> RecordOutcome {
        let register = tombstone.fields[Mutation.deletedField]
        var outcome = RecordOutcome(status: .applied, record: tombstone)
        for (name, change) in answers where tombstone.fields[name]?.value != change.value {
            let isLate =
                register.map { $0.stamp.node == node && $0.stamp.lamport > change.lamport } ?? false
            let rule = isLate ? MergeRule.late : .tombstone
            outcome.history.append(entry(name, change, rule: rule))
            if isLate {
                outcome.wasSettledByRule = true
            } else {
                outcome.conflicts.append(
                    conflict(name, change, theirsNode: register?.stamp.node, rule: rule))
            }
        }
        outcome.settleStatus()
        return outcome
    }

    /// The id is unknown: never accepted, or pruned long ago. With a base the device has once had
    /// it from a server; without one its own INSERT is still to come. What was pruned never comes
    /// back by itself, and is deleted already.
    func meetsNothing(isPruned: Bool) -> RecordOutcome {
        if isPruned, answers.isEmpty, deletion != nil {
            return RecordOutcome(status: .applied, record: nil)
        }
        let hasBase = mutation.changes.values.contains { $0.baseVersion > 0 }
        guard isPruned || hasBase else {
            let isHeld = mutation.operation != .delete
            return RecordOutcome(status: isHeld ? .held : .applied, record: nil)
        }
        var outcome = RecordOutcome(status: .quarantined, record: nil)
        for name in mutation.columns {
            guard let change = mutation.changes[name] else { continue }
            let conflict = conflict(name, change, theirsNode: nil, rule: .unknownRecord)
            outcome.history.append(entry(name, change, rule: .unknownRecord))
            outcome.conflicts.append(conflict)
            outcome.reviews.append(RecordOutcome.Review(kind: .unknownRecord, conflict: conflict))
        }
        return outcome
    }

    private func entry(_ name: FieldName, _ change: FieldChange, rule: MergeRule) -> HistoryEntry {
        HistoryEntry(
            field: name, value: change.value, stamp: Stamp(lamport: change.lamport, node: node),
            rule: rule)
    }

    private func conflict(
        _ name: FieldName, _ change: FieldChange, theirsNode: NodeID?, rule: MergeRule
    ) -> FieldConflict {
        FieldConflict(
            column: name, base: change.baseValue, mine: change.value, theirs: .null,
            theirsNode: theirsNode, rule: rule.rawValue)
    }
}

extension RecordOutcome {
    fileprivate mutating func note(_ outcome: FieldOutcome) {
        switch outcome {
        case .unchanged: break
        case .applied(_, let rule, let overwritten):
            if rule != .seen { wasSettledByRule = true }
            if let overwritten { history.append(overwritten) }
        case .lost(let entry):
            wasSettledByRule = true
            history.append(entry)
        case .undecided(let conflict):
            conflicts.append(conflict)
            if conflict.rule == MergeRule.quarantine.rawValue {
                reviews.append(Review(kind: .field, conflict: conflict))
            }
        }
    }

    /// Kept in `status` until the conflicts are known.
    fileprivate var wasSettledByRule: Bool {
        get { status == .merged }
        set { status = newValue ? .merged : .applied }
    }

    fileprivate mutating func settleStatus() {
        guard !conflicts.isEmpty else { return }
        let supervised = conflicts.allSatisfy { $0.rule == MergeRule.quarantine.rawValue }
        status = supervised ? .quarantined : .conflict
    }
}

extension WireError {
    /// The id was used before, for other contents.
    package static let contentMismatch = WireError(
        code: "content_mismatch", message: "This mutation was sent before with other contents.")
    package static let lamportJump = WireError(
        code: "lamport_jump", message: "The device's logical clock jumps too far ahead.")
    package static let tableChanged = WireError(
        code: "table_changed", message: "The record belongs to another table.")
    package static let parentChanged = WireError(
        code: "parent_changed", message: "The record has another parent.")
}
