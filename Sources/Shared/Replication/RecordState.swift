internal import Coding

/// A record as the server keeps it: every field with its register, the deletion among them.
package struct RecordState: Hashable, Sendable {
    package var table: String
    package var id: RecordID
    package var parent: RecordID?
    /// Rises by one with each mutation that changes something; 0 before the first.
    package var version: Int64
    package var fields: [FieldName: FieldRegister]

    package init(
        table: String, id: RecordID, parent: RecordID?, version: Int64 = 0,
        fields: [FieldName: FieldRegister] = [:]
    ) {
        self.table = table
        self.id = id
        self.parent = parent
        self.version = version
        self.fields = fields
    }

    package var isDeleted: Bool {
        guard let value = fields[Mutation.deletedField]?.value else { return false }
        return !value.isNull && value != .integer(0)
    }

    /// As it travels: the deletion as a flag. A field that was cleared travels too, because its
    /// version is the base of the next edit.
    package func wire(updatedAtUtc: String) -> WireRecord {
        let living = fields.filter { $0.key != Mutation.deletedField }
        return WireRecord(
            table: table, id: id, parent: parent, version: version, isDeleted: isDeleted,
            fields: living.mapValues {
                WireRecord.Field(value: $0.value, stamp: $0.stamp, version: $0.version)
            },
            updatedAtUtc: updatedAtUtc)
    }

    package var digest: RecordDigest {
        var values = fields.mapValues(\.value)
        values[Mutation.deletedField] = nil
        return RecordDigest(id: id, version: version, fields: values)
    }
}

/// What became of a mutation: the verdict's status, the record after it, and everything that has to
/// be stored together with it.
package struct RecordOutcome: Hashable, Sendable {
    package var status: Verdict.Status
    /// The record afterwards; nil where the server has none.
    package var record: RecordState?
    /// Whether `record` has a new version.
    package var isChanged: Bool
    /// Fields that wait for a person, in the order of their names.
    package var conflicts: [FieldConflict]
    /// What a supervisor has to look at; a conflict that the inspector settles is not among them.
    package var reviews: [Review]
    package var history: [HistoryEntry]
    package var error: WireError?

    package struct Review: Hashable, Sendable {
        package enum Kind: String, Sendable {
            /// Two readings of a field that the form sends to review.
            case field
            /// A record was deleted by a device that had not seen another's change of it, or of one
            /// below it.
            case deletion
            /// An edit of a record that the server has pruned or never had.
            case unknownRecord
            /// An edit that was made before the record left the device's scope.
            case scope
        }

        package var kind: Kind
        package var conflict: FieldConflict
        /// Whose field it is: the mutation's own record, or one below a record that was deleted.
        package var record: RecordID

        package init(kind: Kind, conflict: FieldConflict, record: RecordID) {
            self.kind = kind
            self.conflict = conflict
            self.record = record
        }
    }

    init(
        status: Verdict.Status, record: RecordState?, isChanged: Bool = false,
        conflicts: [FieldConflict] = [], reviews: [Review] = [], history: [HistoryEntry] = [],
        error: WireError? = nil
    ) {
        self.status = status
        self.record = record
        self.isChanged = isChanged
        self.conflicts = conflicts
        self.reviews = reviews
        self.history = history
        self.error = error
    }

    /// The verdict, with the record as it is now.
    package func verdict(
        for mutation: MutationID, heldBy: MutationID? = nil, updatedAtUtc: String
    ) -> Verdict {
        Verdict(
            mutationId: mutation, status: status, heldBy: heldBy, version: record?.version,
            record: record?.wire(updatedAtUtc: updatedAtUtc), conflicts: conflicts, error: error)
    }
}
