import Coding
import Forms
import Inspections
import Phrases
import TerminalKit

/// Why a command cannot be used just now; nil where it can. Footer and help show it, and so does
/// the key itself: no key is simply dead.
extension AppState {
    package func whyDisabled(_ command: Command) -> String? {
        switch command {
        case .back: whyNotBack
        case .newLine:
            layers.top.editor?.isMultiline == true ? nil : say("this answer has one line")
        case .open: whyNotOpen
        case .retry: whyNotRetry
        case .discard: whyNotFailed
        case .copy: whyNotCopy
        case .mine, .theirs, .edit: whyNotDecide(command)
        case .deleteRow: whyNotDeleteRow
        case .addRow: whyNotAddRow
        case .toggle, .earlier, .later: whyNotMark
        case .language: whyNotLanguage
        case .removeFinding: openInspection?.whyNotChange
        case .comments: whyNoComments
        case .lower where isFinding, .raise where isFinding: openInspection?.whyNotChange
        case .lower where isHistory, .raise where isHistory: whyNotTurnHistory
        case .lock, .statusPane: isLocked ? say("the device is locked") : nil
        default:
            if case .rows = layers.top {
                openInspection?.whyDisabled(command)
            } else {
                inspectionScreen?.whyDisabled(command)
            }
        }
    }

    private var whyNotBack: String? {
        guard place == .worklist, worklist.filter.isEmpty else { return nil }
        return say("there is nothing to go back to; q leaves")
    }

    private var whyNotOpen: String? {
        switch layers.top {
        case .worklist: worklist.focused == nil ? say("the list is empty") : nil
        case .status(let screen):
            status.row(screen.focus.focused) == nil ? say("nothing waits") : nil
        case .inspection(let screen):
            screen.whyNotOpen
        case .rows(let screen):
            screen.focus.focused == nil ? say("there is no row yet") : nil
        case .finding: openInspection?.whyNotChange
        case .findings(let screen):
            screen.focus.focused == nil ? say("nothing was found wrong here") : nil
        default: nil
        }
    }

    private var isFinding: Bool {
        if case .finding = layers.top { true } else { false }
    }

    private var isHistory: Bool {
        if case .history = layers.top { true } else { false }
    }

    private var whyNoComments: String? {
        guard let screen = openInspection else { return say("no inspection is open") }
        let isText =
            screen.focused?.type == .text(multiline: true)
            || screen.focused?.type == .text(multiline: false)
        if !isFinding, !isText { return say("comments are for texts and findings") }
        let question = isFinding ? findingQuestion : screen.focused
        guard question?.comments.isEmpty == false else {
            return say("the form has no comments ready")
        }
        return isFinding ? screen.whyNotChange : screen.whyNotAnswer
    }

    private var whyNotMark: String? {
        guard case .picker(let picker) = layers.top, picker.focused != nil else {
            return say("nothing fits the filter")
        }
        return nil
    }

    private var whyNotLanguage: String? {
        guard let form = openInspection?.picture?.form else { return say("no form is open") }
        return form.parts.languages.count > 1 ? nil : say("this form has one language")
    }

    private var whyNotAddRow: String? {
        guard let screen = openInspection else { return say("no inspection is open") }
        let path: String?
        if case .rows(let rows) = layers.top {
            path = rows.path
        } else {
            path = screen.repetitionHere?.repetition.path
        }
        guard let path else { return say("nothing is repeated here") }
        return screen.whyNotChange ?? screen.whyFixed(path)
    }

    private var whyNotDeleteRow: String? {
        guard case .rows(let rows) = layers.top, rows.focus.focused != nil else {
            return say("there is no row here")
        }
        return openInspection.flatMap { $0.whyNotChange ?? $0.whyFixed(rows.path) }
    }

    /// The inspection that is open, also beneath what stands over it.
    package var openInspection: InspectionScreen? {
        for case .inspection(let screen) in layers.layers.reversed() { return screen }
        return nil
    }

    private var whyNotRetry: String? {
        guard case .status(let screen) = layers.top,
            status.row(screen.focus.focused)?.stranded == nil
        else { return say("this text was never sent: its question is gone") }
        return whyNotFailed
    }

    private var whyNotCopy: String? {
        guard case .status(let screen) = layers.top,
            let row = status.row(screen.focus.focused)
        else { return say("nothing waits") }
        return row.stranded == nil ? say("only a text without a place is copied") : nil
    }

    private var whyNotFailed: String? {
        guard case .status(let screen) = layers.top,
            let row = status.row(screen.focus.focused)
        else { return say("nothing waits") }
        return row.badge == .failed ? nil : say("only a failed row is retried or discarded")
    }

    private func whyNotDecide(_ command: Command) -> String? {
        guard case .review(let screen) = layers.top, let field = screen.focused else {
            return say("nothing is in conflict")
        }
        if screen.isSettling { return say("the decision is being stored") }
        return command == .edit && field.question == nil ? say("this can only be chosen") : nil
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
            return command.needsInspection ? say("the inspection is being opened") : nil
        }
        switch command {
        case .complete: return whyNotComplete(picture)
        case .reopen where picture.whyReadOnly != nil: return picture.whyReadOnly
        case .reopen:
            return picture.state.mayBecome(.inProgress, by: .inspector)
                && picture.state == .complete ? nil : say("only a complete inspection is reopened")
        case .review: return picture.conflicts.isEmpty ? say("nothing is in conflict here") : nil
        case .nextProblem:
            guard form.problems.isEmpty else { return nil }
            return isCompleting ? whyNotComplete(picture) : say("there is no problem")
        case .nextUnanswered:
            return form.answered == form.total ? say("everything is answered") : nil
        case .undo:
            return undo.isEmpty && editor == nil ? say("nothing to take back") : nil
        case .clear: return whyNotClear
        case .discardDraft:
            return focus.focused.flatMap { draft(of: $0) } == nil
                ? say("there is no draft here") : nil
        case .lower, .raise:
            return focused?.limits.step == nil ? say("this answer has no steps") : whyNotAnswer
        case .move:
            return picture.newerVersion == nil
                ? say("no newer version of this form is here") : whyNotChange
        case .takePrevious: return whyNotTakePrevious
        case .history: return picture.visit == nil ? say("no earlier visit is here") : nil
        case .finding: return whyNotFinding
        case .findings: return picture.findings.isEmpty ? say("nothing was found wrong here") : nil
        case .why: return focused == nil ? say("there is no question here") : nil
        case .pass, .fail, .notApplicable, .notObserved:
            return focused?.type == .verdict ? whyNotAnswer : say("this question takes no verdict")
        default: return nil
        }
    }

    /// What is found can be looked at whatever the inspection's state; raised only while it is open.
    private var whyNotFinding: String? {
        guard let focused, let key = focus.focused else { return say("there is no question here") }
        guard focused.type.takesAnswer else { return say("a note has no findings") }
        return findings(at: key).isEmpty ? whyNotChange : nil
    }

    /// Why Enter does nothing here.
    fileprivate var whyNotOpen: String? {
        switch focusedItem?.kind {
        case .repetition: nil
        case .completion: picture.flatMap(whyNotComplete)
        default: whyNotAnswer
        }
    }

    private func whyNotComplete(_ picture: InspectionPicture) -> String? {
        if let reason = picture.whyReadOnly { return reason }
        let state = picture.state
        if state == .assigned || state.mayBecome(.complete, by: .inspector) { return nil }
        return say("the inspection is \(state.label)")
    }

    private var whyNotClear: String? {
        guard let key = focus.focused, focused != nil else {
            return say("there is no question here")
        }
        return value(of: key).isNull ? say("there is no answer here") : whyNotAnswer
    }

    /// Why the focused question cannot be answered now.
    package var whyNotAnswer: String? {
        guard let focused, let key = focus.focused else { return say("there is no question here") }
        guard focused.type.takesAnswer else { return say("a note takes no answer") }
        if let reason = whyNotChange { return reason }
        switch filling?.obstacle(at: key) {
        case .calculated: return say("the form fills this in by itself; w says how")
        case .readonly: return say("the form lets this be read only; w says why")
        default: return nil
        }
    }

    /// Why the last visit's answer cannot be taken over.
    var whyNotTakePrevious: String? {
        guard let question = focused, let key = focus.focused else {
            return say("there is no question here")
        }
        guard question.mayShowPrevious, let found = previous(at: key) else {
            return say("the last visit has no answer to this")
        }
        if let reason = whyNotAnswer { return reason }
        if found.value == value(of: key), draft(of: key) == nil {
            return say("that is the answer already")
        }
        return question.problem(with: found.value).map {
            say("what the last visit found \($0.message(unit: question.unit))")
        }
    }

    /// Why the form says how many rows there are; nil where people add and delete.
    func whyFixed(_ path: String) -> String? {
        guard let filling, !filling.takesRows(path) else { return nil }
        let counted = filling.form.repetitions.first { $0.path == path }?.count != nil
        return counted
            ? say("an answer says how many rows there are")
            : say("the form says which rows there are")
    }

    /// Why nothing of it can be changed now.
    package var whyNotChange: String? {
        guard let picture else { return say("the inspection is being opened") }
        if let reason = picture.whyReadOnly { return reason }
        switch picture.state {
        case .complete: return say("the inspection is complete; reopen it with r")
        case .approved: return say("the inspection is approved and locked")
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
            .discardDraft, .review, .lower, .raise, .why, .takePrevious, .history, .move, .pass,
            .fail,
            .notApplicable, .notObserved, .undo, .accept, .finding, .findings, .newLine:
            true
        default: false
        }
    }
}

extension StatusPicture {
    package func row(_ id: QueueRow.ID?) -> QueueRow? { rows.first { $0.id == id } }
}
