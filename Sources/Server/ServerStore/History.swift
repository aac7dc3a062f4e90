package import Coding
package import Replication

/// What once stood in a record, or never came to: each value that lost or was replaced, and those of
/// a record that is gone.
package struct RecordHistory: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package let column: String
        package let value: FieldValue
        /// Who entered it.
        package let node: NodeID
        /// The device that the node belongs to; nil for the office, and where nobody knows.
        package let device: String?
        package let lamport: Int64
        /// The record's version that it made; 0 for a value that never stood in the record.
        package let version: Int64
        /// The rule that decided.
        package let rule: String
        /// The mutation whose arrival moved it into history.
        package let mutation: MutationID
        /// When that was, in milliseconds since 1970, UTC.
        package let movedAt: Int64
    }

    /// A change that a restore had lost and that a device's copy brought back, whether it stands, went
    /// into history or waits for a decision.
    package struct Copy: Sendable, Equatable {
        package let column: String
        /// Who entered it, as the device says that offered it.
        package let node: NodeID
        /// The device that the node belongs to; nil for the office, and where nobody knows.
        package let device: String?
        package let lamport: Int64
        /// The name of the device that offered it first.
        package let offeredBy: String
        /// In milliseconds since 1970, UTC.
        package let offeredAt: Int64
    }

    /// Whether the record is here, as a tombstone at least.
    package let isHere: Bool
    /// The record that a supervisor has made in the place of one that is gone.
    package let replacedBy: RecordID?
    /// In the order in which they were moved here.
    package let entries: [Entry]
    /// In the order in which they came.
    package let copies: [Copy]
}
