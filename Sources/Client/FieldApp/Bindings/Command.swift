/// What a key can do. One word for the table, the palette and the tests.
package enum Command: String, Hashable, Sendable, CaseIterable {
    // Everywhere.
    case help, palette, quit, back, redraw, suspend, undo, lock, mouse

    // Moving.
    case up, down, pageUp, pageDown, first, last, next, previous

    // Lists.
    case open, filter, begin, sort

    // Synchronisation.
    case syncNow, statusPane, networkSwitch

    // An inspection.
    case sections, nextUnanswered, nextProblem, complete, reopen, clear, discardDraft, review
    case pass, fail, notApplicable, notObserved
    case lower, raise, why, language, takePrevious, history, move

    // Findings.
    case finding, findings, removeFinding, comments

    // Rows of a repeat.
    case addRow, deleteRow

    // Several choices, and choices in an order.
    case toggle, earlier, later

    // An editor.
    case accept, newLine

    // The queue.
    case retry, discard, copy

    // A conflict.
    case mine, theirs, edit
}

/// Where keys go: the top layer, and in it perhaps an editor.
package enum Place: String, Hashable, Sendable, CaseIterable {
    case unlock, worklist, begin, filter, inspection, editor, range, rows, sections, picker, marking
    case markFilter, ranking, finding, findingText, findings, why, history, move, status, review
    case resolution, help, palette, confirm

    /// Whether printable keys are text here, so that none of them can be a command.
    package var takesText: Bool {
        switch self {
        case .unlock, .filter, .editor, .resolution, .findingText, .picker, .markFilter, .help,
            .palette, .confirm, .begin:
            true
        case .worklist, .inspection, .range, .rows, .sections, .marking, .ranking, .finding,
            .findings, .why, .history, .move, .status, .review:
            false
        }
    }

    package var title: String {
        switch self {
        case .unlock: "Unlock"
        case .worklist: "Worklist"
        case .begin: "New inspection"
        case .filter: "Filter"
        case .inspection: "Inspection"
        case .editor: "Answer"
        case .range: "Range"
        case .rows: "Rows"
        case .sections: "Sections"
        case .picker: "Choices"
        case .marking: "Several choices"
        case .markFilter: "Filter of several choices"
        case .ranking: "Order"
        case .finding: "Finding"
        case .findingText: "Text of a finding"
        case .findings: "Findings"
        case .why: "Why"
        case .history: "History"
        case .move: "Move to another version"
        case .status: "Status"
        case .review: "Conflict"
        case .resolution: "Third value"
        case .help: "Help"
        case .palette: "Commands"
        case .confirm: "Confirm"
        }
    }
}
