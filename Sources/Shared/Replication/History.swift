package import Coding

/// Which rule settled a field. The names stand in history, on the wire and on the screen.
package enum MergeRule: String, Sendable, CaseIterable {
    /// The value was there already.
    case equal
    /// The same device had already sent a later change.
    case late
    /// Nobody else had changed the field since.
    case seen
    case ask, quarantine, rank, lww, max, min, union
    /// The record was deleted.
    case delete
    /// The edit met a record that was deleted before.
    case tombstone
    /// The server does not know the record any more.
    case unknownRecord
    /// The record had left the device's scope.
    case scope
    /// On the device that entered it: given up, settled otherwise in a conflict, deleted with its
    /// record before anybody else had it.
    case discarded, resolved, deleted
}

/// A value that is not the current one any more, or never became it (PRODUCT M26): who wrote it,
/// when, and the rule that decided.
package struct HistoryEntry: Hashable, Sendable {
    package var field: FieldName
    package var value: FieldValue
    package var stamp: Stamp
    package var rule: MergeRule

    package init(field: FieldName, value: FieldValue, stamp: Stamp, rule: MergeRule) {
        self.field = field
        self.value = value
        self.stamp = stamp
        self.rule = rule
    }
}

/// One field on which two nodes disagree, with all that a person needs to decide.
package struct FieldConflict: Hashable, Sendable {
    package var column: FieldName
    package var base: FieldValue
    package var mine: FieldValue
    package var theirs: FieldValue
    package var theirsNode: NodeID?
    /// `ask`, `quarantine`, `tombstone`, `unknownRecord`, `scope` or a newer server's rule.
    package var rule: String

    package init(
        column: FieldName, base: FieldValue, mine: FieldValue, theirs: FieldValue,
        theirsNode: NodeID?, rule: String
    ) {
        self.column = column
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.theirsNode = theirsNode
        self.rule = rule
    }
}
