package import Inspections
package import Replication

/// A finding, as it is listed and exported.
package struct FindingRow: Sendable, Equatable {
    package let id: RecordID
    package let finding: Finding
    /// Where it stands, as people write it: `pump[2]/seal`.
    package let address: String
    package let version: Int64

    /// Whether it should be mended by now and is not.
    /// - Parameter today: YYYY-MM-DD.
    package func isOverdue(on today: String) -> Bool {
        guard finding.status == .pending, let due = finding.due else { return false }
        return due < today
    }
}
