package import Coding

/// A field as the server keeps it: its last change, and how far back others have touched it.
package struct FieldRegister: Hashable, Sendable {
    package var value: FieldValue
    package var stamp: Stamp
    /// The record's version that this change made.
    package var version: Int64
    /// The newest version at which a node other than `stamp.node` changed the field; 0 for never.
    package var foreignVersion: Int64

    package init(value: FieldValue, stamp: Stamp, version: Int64, foreignVersion: Int64 = 0) {
        self.value = value
        self.stamp = stamp
        self.version = version
        self.foreignVersion = foreignVersion
    }

    /// The newest version at which a node other than `node` changed the field.
    package func newestChange(notBy node: NodeID) -> Int64 {
        stamp.node == node ? foreignVersion : version
    }
}

/// One field of a mutation: the new value, and what it was when the device last heard of it.
package struct FieldChange: Hashable, Sendable {
    package var value: FieldValue
    package var baseValue: FieldValue
    package var baseVersion: Int64
    /// The field's own counter, which may be higher than that of the mutation it began with.
    package var lamport: Int64
    /// Of a change that the server had confirmed before it was restored, the version that the change
    /// had, in the epoch of the batch's cursor; 0 where it never had one or its device does not know.
    package var formerVersion: Int64
    /// Whether the base is for certain of the epoch of the batch's cursor, where not all of the batch
    /// are (`PushRequest.hasExactBases`).
    package var hasExactBase: Bool

    package init(
        value: FieldValue, baseValue: FieldValue = .null, baseVersion: Int64 = 0, lamport: Int64,
        formerVersion: Int64 = 0, hasExactBase: Bool = false
    ) {
        self.value = value
        self.baseValue = baseValue
        self.baseVersion = baseVersion
        self.lamport = lamport
        self.formerVersion = formerVersion
        self.hasExactBase = hasExactBase
    }
}

/// What became of one field of a mutation.
package enum FieldOutcome: Hashable, Sendable {
    /// The value stood there already; no new version.
    case unchanged
    /// The new register; `overwritten` is the value before it, unless there was none.
    case applied(FieldRegister, rule: MergeRule, overwritten: HistoryEntry?)
    /// The current value stays, the incoming one goes to history.
    case lost(HistoryEntry)
    /// Nothing chosen: the first value stands until a person decides.
    case undecided(FieldConflict)
}

/// Merges one change into one register, in this order: equal, late, seen, policy.
///
/// - Parameter newVersion: the record's version if anything of this mutation is applied.
package func merge(
    field: FieldName, current: FieldRegister?, incoming: FieldChange, node: NodeID,
    policy: MergePolicy, newVersion: Int64
) -> FieldOutcome {
    let meeting = FieldMeeting(
        field: field, current: current, incoming: incoming, node: node, newVersion: newVersion)
    if meeting.currentValue == incoming.value { return .unchanged }
    guard let current else { return meeting.apply(incoming.value, rule: .seen) }
    if current.stamp.node == node, current.stamp.lamport > incoming.lamport {
        return meeting.lose(rule: .late)
    }
    if current.newestChange(notBy: node) <= incoming.baseVersion {
        return meeting.apply(incoming.value, rule: .seen)
    }
    return meeting.decide(by: policy, over: current)
}

private struct FieldMeeting {
    let field: FieldName
    let current: FieldRegister?
    let incoming: FieldChange
    let node: NodeID
    let newVersion: Int64

    var currentValue: FieldValue { current?.value ?? .null }
    var stamp: Stamp { Stamp(lamport: incoming.lamport, node: node) }

    func decide(by policy: MergePolicy, over current: FieldRegister) -> FieldOutcome {
        if policy == .union {
            // Only a union that grew past the longest text cannot be formed; then a person decides.
            guard
                let united = try? MergePolicy.union(
                    current: current.value, mine: incoming.value, base: incoming.baseValue)
            else { return undecided(rule: .union) }
            return united == current.value ? .unchanged : apply(united, rule: .union)
        }
        let mine = Contender(value: incoming.value, stamp: stamp)
        let theirs = Contender(value: current.value, stamp: current.stamp)
        switch policy.winner(theirs, mine) {
        case nil: return undecided(rule: policy.rule)
        case mine: return apply(incoming.value, rule: policy.rule)
        default: return lose(rule: policy.rule)
        }
    }

    func apply(_ value: FieldValue, rule: MergeRule) -> FieldOutcome {
        let register = FieldRegister(
            value: value, stamp: stamp, version: newVersion,
            foreignVersion: current?.newestChange(notBy: node) ?? 0)
        return .applied(register, rule: rule, overwritten: overwritten(rule: rule))
    }

    private func overwritten(rule: MergeRule) -> HistoryEntry? {
        guard let current, !current.value.isNull else { return nil }
        return HistoryEntry(field: field, value: current.value, stamp: current.stamp, rule: rule)
    }

    func lose(rule: MergeRule) -> FieldOutcome {
        .lost(HistoryEntry(field: field, value: incoming.value, stamp: stamp, rule: rule))
    }

    func undecided(rule: MergeRule) -> FieldOutcome {
        .undecided(
            FieldConflict(
                column: field, base: incoming.baseValue, mine: incoming.value,
                theirs: currentValue, theirsNode: current?.stamp.node, rule: rule.rawValue))
    }
}
