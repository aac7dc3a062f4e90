package import Forms

/// What is wrong at the equipment, raised from a failed answer: a record of its own below the
/// inspection, because somebody has to mend it and others have to see when.
package struct Finding: Equatable, Sendable {
    /// From the least to the gravest.
    package enum Severity: String, Sendable, CaseIterable {
        case minor, major, critical
    }

    /// From the beginning to the end.
    package enum Status: String, Sendable, CaseIterable {
        case pending
        /// Mended before the inspector left.
        case corrected
        case closed

        package var label: String {
            switch self {
            case .pending: "to be mended"
            case .corrected: "corrected on site"
            case .closed: "closed"
            }
        }
    }

    package var question: String
    package var row: String?
    package var severity: Severity
    package var status: Status
    package var owner: String?
    /// YYYY-MM-DD.
    package var due: String?
    package var note: String?
    /// Whether the last visit had found the same.
    package var isRepeated: Bool

    package init(
        question: String, row: String? = nil, severity: Severity, status: Status = .pending,
        owner: String? = nil, due: String? = nil, note: String? = nil, isRepeated: Bool = false
    ) {
        self.question = question
        self.row = row
        self.severity = severity
        self.status = status
        self.owner = owner
        self.due = due
        self.note = note
        self.isRepeated = isRepeated
    }

    /// What a failed answer raises, where its question asks for it; nil where it does not.
    /// - Parameter isRepeated: whether the last visit had found the same.
    package static func raised(
        by question: Question, row: String?, isRepeated: Bool
    ) -> Finding? {
        guard question.findingOnFail else { return nil }
        return Finding(
            question: question.path, row: row, severity: question.critical ? .critical : .major,
            isRepeated: isRepeated)
    }
}
