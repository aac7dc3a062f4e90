import Phrases

/// What a key can do. One word for the table, the palette and the tests.
package enum Command: String, Hashable, Sendable, CaseIterable {
    // Everywhere.
    case help, palette, quit, back, redraw, suspend, undo, lock, mouse, settings, about

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
    case resolution, settings, keys, about, help, palette, confirm

    /// Whether printable keys are text here, so that none of them can be a command.
    package var takesText: Bool {
        switch self {
        case .unlock, .filter, .editor, .resolution, .findingText, .picker, .markFilter, .help,
            .palette, .confirm, .begin:
            true
        case .worklist, .inspection, .range, .rows, .sections, .marking, .ranking, .finding,
            .findings, .why, .history, .move, .status, .review, .settings, .keys, .about:
            false
        }
    }

    package var title: String {
        switch self {
        case .unlock: say("Unlock")
        case .worklist: say("Worklist")
        case .begin: say("New inspection")
        case .filter: say("Filter")
        case .inspection: say("Inspection")
        case .editor: say("Answer")
        case .range: say("Range")
        case .rows: say("Rows")
        case .sections: say("Sections")
        case .picker: say("Choices")
        case .marking: say("Several choices")
        case .markFilter: say("Filter of several choices")
        case .ranking: say("Order")
        case .finding: say("Finding")
        case .findingText: say("Text of a finding")
        case .findings: say("Findings")
        case .why: say("Why")
        case .history: say("History")
        case .move: say("Move to another version")
        case .status: say("Status")
        case .review: say("Conflict")
        case .resolution: say("Third value")
        case .help: say("Help")
        case .palette: say("Commands")
        case .settings: say("Settings")
        case .keys: say("Own keys")
        case .about: say("This device")
        case .confirm: say("Confirm")
        }
    }
}
