internal import Coding

/// Merges a whole mutation into the record that it names (walkdown-sync(7)). Pure: the store gives
/// what it has and keeps what comes out.
///
/// - Parameters:
///   - current: the record, or nil where the store has none of this id.
///   - parentIsKnown: whether the mutation's parent exists; true where it has none.
///   - isPruned: whether a record of this id was deleted so long ago that its tombstone is gone.
///   - changedBelow: for a deletion, the living records below that changed after its device last
///     pulled, as they were before the device's own batch.
///   - past: what is known of it where it comes back from before a restore.
///   - policy: the form's policy for a field.
package func mergeRecord(
    current: RecordState?, mutation: Mutation, node: NodeID, parentIsKnown: Bool,
    isPruned: Bool = false, changedBelow: [RecordState] = [],
    past: ReturnedPast = ReturnedPast(), policy: (FieldName) -> MergePolicy
) -> RecordOutcome {
    let meeting = RecordMeeting(
        mutation: mutation, node: node, changedBelow: changedBelow, past: past)
    guard let current else {
        let makes = mutation.operation == .insert || past.wasInForce && mutation.deletion != nil
        guard makes, !isPruned else {
            return meeting.meetsNothing(isPruned: isPruned)
        }
        guard parentIsKnown else {
            return mutation.operation == .insert
                ? RecordOutcome(status: .held, record: nil) : meeting.meetsNothing(isPruned: false)
        }
        let empty = RecordState(
            table: mutation.table, id: mutation.record, parent: mutation.parent)
        return meeting.merge(into: empty, policy: policy)
    }
    if let refusal = meeting.refusal(by: current) {
        return RecordOutcome(status: .rejected, record: current, error: refusal)
    }
    if current.isDeleted, !meeting.isRevival(of: current) {
        return meeting.meetsTombstone(current, policy: policy)
    }
    return meeting.merge(into: current, policy: policy)
}

/// What a store that was restored knows of a mutation that comes back to it from before.
package struct ReturnedPast: Sendable {
    /// Fields of which a deletion had seen what stands, whatever their versions; of what comes below a
    /// tombstone, those that its deletion had seen.
    package var seen: Set<FieldName> = []
    /// Fields whose change stood when the deletion came that is in force here already: they come to
    /// stand below it again, as they did then, and nobody is asked.
    package var buried: Set<FieldName> = []
    /// Whether a deletion was in force before, so that it makes a record that is not here any more a
    /// tombstone: somebody who has not heard of it may bring the record back yet.
    package var wasInForce = false
    /// Whether the record was lost by a restore and nobody can bring it back any more: a person decides what
    /// becomes of the change, also where its base does not tell that there was a record.
    package var isOverdue = false

    package init() {}
}

extension Mutation {
    /// The deletion as a change, where this is one. Of one that brings no base of its own nobody
    /// knows what its device had seen: nothing, then.
    package var deletion: FieldChange? {
        if let change = changes[Self.deletedField] {
            return change.value.isNull || change.value == .integer(0) ? nil : change
        }
        guard operation == .delete else { return nil }
        return FieldChange(value: .integer(1), lamport: lamport)
    }

    /// The restoration as a change, where this is one.
    fileprivate var restoration: FieldChange? {
        deletion == nil ? changes[Self.deletedField] : nil
    }
}

private struct RecordMeeting {
    let mutation: Mutation
    let node: NodeID
    let changedBelow: [RecordState]
    let past: ReturnedPast

    private var deletion: FieldChange? { mutation.deletion }

    private var answers: [(name: FieldName, change: FieldChange)] {
        mutation.columns.filter { $0 != Mutation.deletedField }.compactMap { name in
            mutation.changes[name].map { (name, $0) }
        }
    }

    /// A record never changes its table or its parent.
    func refusal(by current: RecordState) -> WireError? {
        if current.table != mutation.table { return .tableChanged }
        // Only what makes a record has to say what it stands under.
        let saysParent = mutation.operation == .insert || mutation.parent != nil
        if saysParent, current.parent != mutation.parent { return .parentChanged }
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
            outcome.note(result, of: current.id)
        }
        if let deletion {
            isChanged = delete(&record, deletion, &outcome, policy: policy) || isChanged
        }
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

    /// A delete wins over edits; one whose device had not seen another's change, of the record or
    /// of what stands below it, is looked at by a person.
    private func delete(
        _ record: inout RecordState, _ deletion: FieldChange, _ outcome: inout RecordOutcome,
        policy: (FieldName) -> MergePolicy
    ) -> Bool {
        guard !record.isDeleted else { return false }
        let field = Mutation.deletedField
        if let review = unseenChange(of: record, by: deletion, policy) ?? unseenChangeBelow {
            outcome.reviews.append(review)
            outcome.wasSettledByRule = true
        }
        let earlier = record.fields[field]
        record.fields[field] = FieldRegister(
            value: .integer(1), stamp: Stamp(lamport: deletion.lamport, node: node),
            version: record.version + 1, foreignVersion: earlier?.newestChange(notBy: node) ?? 0)
        return true
    }

    /// What another node changed last and the device did not know. A value of its own that stands
    /// is none, whatever it took the place of: that was settled when it came. A union alone holds
    /// what others put in.
    private func unseenChange(
        of record: RecordState, by deletion: FieldChange, _ policy: (FieldName) -> MergePolicy
    ) -> RecordOutcome.Review? {
        let unseen = record.fields.filter { name, register in
            let isOwn = register.stamp.node == node && policy(name) != .union
            let base = max(deletion.baseVersion, mutation.changes[name]?.baseVersion ?? 0)
            return !isOwn && !past.seen.contains(name) && register.newestChange(notBy: node) > base
        }
        return Self.review(of: unseen, in: record.id)
    }

    /// The device had seen what stood before a change of its own.
    private var unseenChangeBelow: RecordOutcome.Review? {
        for record in changedBelow {
            let own = record.fields.values.filter { $0.stamp.node == node }
            let seen = own.map(\.version).max() ?? 0
            let unseen = record.fields.filter { $0.value.newestChange(notBy: node) > seen }
            if let review = Self.review(of: unseen, in: record.id) { return review }
        }
        return nil
    }

    /// The newest of several changes that a deletion had not seen.
    private static func review(
        of unseen: [FieldName: FieldRegister], in record: RecordID
    ) -> RecordOutcome.Review? {
        let newest = unseen.filter { $0.key != Mutation.deletedField }
            .max { $0.value.stamp < $1.value.stamp }
        guard let newest else { return nil }
        let conflict = FieldConflict(
            column: newest.key, base: .null, mine: .null, theirs: newest.value.value,
            theirsNode: newest.value.stamp.node, rule: MergeRule.delete.rawValue)
        return RecordOutcome.Review(kind: .deletion, conflict: conflict, record: record)
    }

    // MARK: The record is not there any more

    /// A restoration brings the record back if its device knew of this deletion, or made it itself.
    func isRevival(of tombstone: RecordState) -> Bool {
        guard let restoration = mutation.restoration,
            let register = tombstone.fields[Mutation.deletedField]
        else { return false }
        return !isLate(restoration, after: register)
            && register.newestChange(notBy: node) <= restoration.baseVersion
    }

    private func isLate(_ change: FieldChange, after deletion: FieldRegister) -> Bool {
        deletion.stamp.node == node && deletion.stamp.lamport > change.lamport
    }

    /// Edits that meet a tombstone are kept in history and offered as *restore or let go*; what the
    /// deleting device itself had sent late is history only. So is a restoration of an older
    /// deletion, which has no values that could be offered. What stood when the record was deleted
    /// stands below the tombstone again.
    func meetsTombstone(
        _ tombstone: RecordState, policy: (FieldName) -> MergePolicy
    ) -> RecordOutcome {
        var outcome = RecordOutcome(status: .applied, record: tombstone)
        bury(in: tombstone, &outcome, policy: policy)
        for (name, change) in answers
        where !past.buried.contains(name) && tombstone.fields[name]?.value != change.value {
            meet(tombstone, name, change, &outcome)
        }
        if outcome.conflicts.isEmpty, let restoration = mutation.restoration {
            meet(tombstone, Mutation.deletedField, restoration, &outcome)
        }
        outcome.settleStatus()
        return outcome
    }

    private func bury(
        in tombstone: RecordState, _ outcome: inout RecordOutcome,
        policy: (FieldName) -> MergePolicy
    ) {
        var record = tombstone
        record.version += 1
        var unseen: [FieldName: FieldRegister] = [:]
        for (name, change) in answers where past.buried.contains(name) {
            let result = Replication.merge(
                field: name, current: tombstone.fields[name], incoming: change, node: node,
                policy: policy(name), newVersion: record.version)
            if case .applied(let register, _, _) = result {
                record.fields[name] = register
                outcome.isChanged = true
                if !past.seen.contains(name) { unseen[name] = register }
            }
            outcome.note(result, of: record.id)
        }
        if outcome.isChanged { outcome.record = record }
        if let review = Self.review(of: unseen, in: record.id) { outcome.reviews.append(review) }
    }

    private func meet(
        _ tombstone: RecordState, _ name: FieldName, _ change: FieldChange,
        _ outcome: inout RecordOutcome
    ) {
        let register = tombstone.fields[Mutation.deletedField]
        let isPassed = register.map { isLate(change, after: $0) } ?? false
        let rule = isPassed ? MergeRule.late : .tombstone
        outcome.history.append(entry(name, change, rule: rule))
        guard !isPassed else { return outcome.wasSettledByRule = true }
        var conflict = conflict(name, change, theirsNode: register?.stamp.node, rule: rule)
        if name == Mutation.deletedField { conflict.theirs = register?.value ?? .null }
        outcome.conflicts.append(conflict)
    }

    /// The id is unknown: never accepted, or pruned long ago. With a base the device has once had
    /// it from a server; without one its own INSERT is still to come. What was pruned never comes
    /// back by itself, and is deleted already.
    func meetsNothing(isPruned: Bool) -> RecordOutcome {
        if answers.isEmpty, deletion != nil, isPruned || past.wasInForce {
            return RecordOutcome(status: .applied, record: nil)
        }
        let hasBase = mutation.changes.values.contains { $0.baseVersion > 0 }
        guard isPruned || hasBase || past.isOverdue && !mutation.columns.isEmpty else {
            let isHeld = mutation.operation != .delete
            return RecordOutcome(status: isHeld ? .held : .applied, record: nil)
        }
        var outcome = RecordOutcome(status: .quarantined, record: nil)
        for name in mutation.columns {
            guard let change = mutation.changes[name] else { continue }
            let conflict = conflict(name, change, theirsNode: nil, rule: .unknownRecord)
            outcome.history.append(entry(name, change, rule: .unknownRecord))
            outcome.conflicts.append(conflict)
            outcome.reviews.append(
                RecordOutcome.Review(
                    kind: .unknownRecord, conflict: conflict, record: mutation.record))
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
    fileprivate mutating func note(_ outcome: FieldOutcome, of record: RecordID) {
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
                reviews.append(Review(kind: .field, conflict: conflict, record: record))
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
