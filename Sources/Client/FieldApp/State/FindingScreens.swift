package import Forms
package import Inspections
import Phrases
package import Replication
package import TerminalKit

/// What was found wrong at one question, as it is stored on this device.
package struct FindingPicture: Equatable, Sendable, Identifiable {
    package var id: RecordID
    package var finding: Finding
    package var badge: Badge
    /// Whether the answer fails as things stand.
    package var fails: Bool

    package init(id: RecordID, finding: Finding, badge: Badge, fails: Bool = true) {
        self.id = id
        self.finding = finding
        self.badge = badge
        self.fails = fails
    }
}

/// What can be said of a finding, in the order in which it is asked.
package enum FindingField: String, Hashable, Sendable, CaseIterable {
    case severity, status, note, owner, due

    package var label: String {
        switch self {
        case .severity: say("Severity")
        case .status: say("Status")
        case .note: say("What is wrong")
        case .owner: say("Who mends it")
        case .due: say("Until when")
        }
    }

    /// Whether it is typed; the others are one of a few words.
    package var isText: Bool { self != .severity && self != .status }

    package var field: String {
        switch self {
        case .severity: BuiltInField.severity
        case .status: BuiltInField.status
        case .note: BuiltInField.note
        case .owner: BuiltInField.owner
        case .due: BuiltInField.due
        }
    }

    package init?(field: String) {
        guard let found = Self.allCases.first(where: { $0.field == field }) else { return nil }
        self = found
    }

    package func text(of finding: Finding) -> String {
        switch self {
        case .severity: finding.severity.label
        case .status: finding.status.label
        case .note: finding.note ?? ""
        case .owner: finding.owner ?? ""
        case .due: finding.due ?? ""
        }
    }
}

/// One finding, over its inspection.
package struct FindingScreen: Equatable, Sendable {
    package let inspection: RecordID
    package let id: RecordID
    /// What it is about, to name it by when it is gone; nil where that is not known.
    package var question: AnswerKey?
    package var focus: ListFocus<FindingField>
    package var editor: AnswerEditor?
    /// What was said and is on its way to the disk, over what is stored.
    package var overlay: Finding?
    package var writes = 0

    package init(inspection: RecordID, id: RecordID, focus field: FindingField = .note) {
        self.inspection = inspection
        self.id = id
        focus = ListFocus(field)
    }

    /// Where a text of it is typed: the row of the key is the finding's own record.
    package func key(of field: FindingField) -> AnswerKey {
        AnswerKey(row: id.rawValue, field.field)
    }

    package var field: FindingField { focus.focused ?? .note }
}

/// The findings of an inspection, or of one question of it.
package struct FindingsScreen: Equatable, Sendable {
    package let inspection: RecordID
    /// Nil for all.
    package let question: AnswerKey?
    package var focus: ListFocus<RecordID>

    package init(inspection: RecordID, question: AnswerKey? = nil) {
        self.inspection = inspection
        self.question = question
        focus = ListFocus()
    }
}

extension InspectionScreen {
    package func finding(_ id: RecordID) -> FindingPicture? {
        picture?.findings.first { $0.id == id }
    }

    package func findings(at key: AnswerKey) -> [FindingPicture] {
        picture?.findings.filter { $0.finding.key == key } ?? []
    }

    /// All of them, or those of one question.
    package func findings(in list: FindingsScreen) -> [FindingPicture] {
        list.question.map { findings(at: $0) } ?? picture?.findings ?? []
    }

    package var tally: FindingTally { FindingTally(picture?.findings.map(\.finding) ?? []) }
}

extension InspectionPicture {
    /// What of the findings stands in the way of *complete*.
    var findingTroubles: [AnswerKey: AnswerProblem] {
        var troubles: [AnswerKey: AnswerProblem] = [:]
        for each in findings {
            let isTyped = drafts.keys.contains { $0.row == each.id.rawValue }
            if isTyped {
                troubles[each.finding.key] = .unfinishedFinding
            } else if each.finding.isUnexplained {
                troubles[each.finding.key] = .unexplainedFinding
            }
        }
        return troubles
    }
}
