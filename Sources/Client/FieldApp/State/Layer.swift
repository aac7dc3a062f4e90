package import Forms
package import Replication
import TerminalKit

/// A screen, or something that stands before one. The top layer gets each key first.
package enum Layer: Equatable, Sendable {
    case unlock(UnlockScreen)
    case worklist
    case begin(BeginScreen)
    case inspection(InspectionScreen)
    case sections(SectionsScreen)
    case picker(PickerScreen)
    case rows(RowsScreen)
    case finding(FindingScreen)
    case findings(FindingsScreen)
    case why(WhyScreen)
    case history(HistoryScreen)
    case move(MoveScreen)
    case status(StatusScreen)
    case review(ReviewScreen)
    case settings(SettingsScreen)
    case keys(KeysScreen)
    case about(AboutScreen)
    case help(HelpScreen)
    case palette(PaletteScreen)
    case confirm(Confirmation)

    /// The answer that is being typed in it. A layer without one takes none.
    package var editor: AnswerEditor? {
        get {
            switch self {
            case .inspection(let screen): screen.editor
            case .review(let screen): screen.editor
            case .finding(let screen): screen.editor
            default: nil
            }
        }
        set {
            switch self {
            case .inspection(var screen):
                screen.editor = newValue
                self = .inspection(screen)
            case .review(var screen):
                screen.editor = newValue
                self = .review(screen)
            case .finding(var screen):
                screen.editor = newValue
                self = .finding(screen)
            default: break
            }
        }
    }

    /// What was typed or marked in it, where that is not on the disk yet, and by when it has to be.
    package var unkept: (key: AnswerKey, text: String, due: Int64)? {
        if let editor, let due = editor.draftDue { return (editor.key, editor.line.text, due) }
        if case .picker(let picker) = self, let due = picker.draftDue {
            return (picker.key, picker.text, due)
        }
        return nil
    }

    /// Whether an answer is being typed or marked in it just now.
    package func isEditing(_ key: AnswerKey) -> Bool {
        if case .picker(let picker) = self { return picker.key == key && picker.takesMarks }
        return editor?.key == key
    }

    package mutating func setDraftDue(_ due: Int64?) {
        if case .picker(var picker) = self {
            picker.draftDue = due
            self = .picker(picker)
        } else {
            editor?.draftDue = due
        }
    }

    /// The record that it is about: an inspection, or in a review a row too.
    package var record: RecordID? {
        switch self {
        case .inspection(let screen): screen.id
        case .review(let screen): screen.id
        case .finding(let screen): screen.inspection
        case .picker(let picker): picker.record
        default: nil
        }
    }
}
