import Coding
import Forms
import Inspections
import TerminalKit

/// Why a command cannot be used just now; nil where it can. Footer and help show it, and so does
/// the key itself: no key is simply dead.
extension AppState {
    package func whyDisabled(_ command: Command) -> String? {
        switch command {
        case .back: whyNotBack
        case .newLine: layers.top.editor?.isMultiline == true ? nil : "this answer has one line"
        case .open: whyNotOpen
        case .retry, .discard: whyNotFailed
        case .mine, .theirs, .edit: whyNotDecide(command)
        case .lock, .statusPane: isLocked ? "the device is locked" : nil
        default: inspectionScreen.flatMap { $0.whyDisabled(command) }
        }
    }

    private var whyNotBack: String? {
        guard place == .worklist, worklist.filter.isEmpty else { return nil }
        return "there is nothing to go back to; q leaves"
    }

    private var whyNotOpen: String? {
        switch layers.top {
        case .worklist: worklist.focused == nil ? "the list is empty" : nil
        case .status(let screen):
            status.row(screen.focus.focused) == nil ? "nothing waits" : nil
        case .inspection(let screen): screen.whyNotAnswer
        default: nil
        }
    }

    private var whyNotFailed: String? {
        guard case .status(let screen) = layers.top,
            let row = status.row(screen.focus.focused)
        else { return "nothing waits" }
        return row.badge == .failed ? nil : "only a failed row is retried or discarded"
    }

    private func whyNotDecide(_ command: Command) -> String? {
        guard case .review(let screen) = layers.top, let field = screen.focused else {
            return "nothing is in conflict"
        }
        if screen.isSettling { return "the decision is being stored" }
        return command == .edit && field.question == nil ? "this can only be chosen" : nil
    }

    /// The inspection that commands of the top layer are about.
    package var inspectionScreen: InspectionScreen? {
        guard case .inspection(let screen) = layers.top else { return nil }
        return screen
    }
}

extension InspectionScreen {
    func whyDisabled(_ command: Command) -> String? {
        guard let picture, let form else {
            return command.needsInspection ? "the inspection is being opened" : nil
        }
        switch command {
        case .complete: return whyNotComplete(picture)
        case .reopen where picture.whyReadOnly != nil: return picture.whyReadOnly
        case .reopen:
            return picture.state.mayBecome(.inProgress, by: .inspector)
                && picture.state == .complete ? nil : "only a complete inspection is reopened"
        case .review: return picture.hasConflict ? nil : "nothing is in conflict here"
        case .nextProblem: return form.problems.isEmpty ? "there is no problem" : nil
        case .nextUnanswered:
            return form.answered == form.total ? "everything is answered" : nil
        case .undo:
            return undo.isEmpty && editor == nil ? "nothing to take back" : nil
        case .clear: return whyNotClear
        case .discardDraft:
            return focus.focused.flatMap { draft(of: $0) } == nil ? "there is no draft here" : nil
        case .pass, .fail, .notApplicable, .notObserved:
            return focused?.type == .verdict ? whyNotAnswer : "this question takes no verdict"
        default: return nil
        }
    }

    private func whyNotComplete(_ picture: InspectionPicture) -> String? {
        if let reason = picture.whyReadOnly { return reason }
        let state = picture.state
        if state == .assigned || state.mayBecome(.complete, by: .inspector) { return nil }
        return "the inspection is \(state.label)"
    }

    private var whyNotClear: String? {
        guard let path = focus.focused else { return "there is no question here" }
        return value(of: path).isNull ? "there is no answer here" : whyNotAnswer
    }

    /// Why the focused question cannot be answered now.
    package var whyNotAnswer: String? {
        guard let picture, let focused else { return "there is no question here" }
        if let reason = picture.whyReadOnly { return reason }
        guard focused.type.takesAnswer else { return "a note takes no answer" }
        switch picture.state {
        case .complete: return "the inspection is complete; reopen it with r"
        case .approved: return "the inspection is approved and locked"
        case .assigned, .inProgress, .returned: return nil
        }
    }
}

extension Command {
    /// Whether it acts on the answers; the others work while the inspection is still being opened,
    /// or cannot be opened.
    fileprivate var needsInspection: Bool {
        switch self {
        case .open, .sections, .nextUnanswered, .nextProblem, .complete, .reopen, .clear,
            .discardDraft, .review, .pass, .fail, .notApplicable, .notObserved, .undo, .accept,
            .newLine:
            true
        default: false
        }
    }
}

extension StatusPicture {
    package func row(_ id: QueueRow.ID?) -> QueueRow? { rows.first { $0.id == id } }
}
