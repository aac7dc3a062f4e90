package import TerminalKit

/// The one table of keys: footer, help, palette, man page and tests read it, and nothing else
/// decides what a key does.
///
/// In each place the bindings stand by importance, which is the order of the footer; one without a
/// label is not shown there. A function key has a printable twin wherever printable keys are not
/// text.
package enum BindingTable {
    package static func keymap(
        for place: Place, demo: Bool = false, own keys: OwnKeys = OwnKeys()
    ) -> Keymap<Command> {
        let own = bindings(of: place)
        let taken = Set(own.flatMap(\.keys))
        // A place that binds a common key itself shows it where it wants it.
        let common = (place.takesText ? commonInText : commonInLists)
            .filter { taken.isDisjoint(with: $0.keys) }
        let bindings = (own + common).filter { demo || $0.command != .networkSwitch }
        return Keymap(keys.added(to: bindings, in: place))
    }

    private static func bindings(of place: Place) -> [Binding<Command>] {
        switch place {
        case .unlock: unlock
        case .worklist: worklist + moving + network
        case .filter: filter
        case .inspection: inspection + moving + network
        case .editor: editor
        case .range: range
        case .rows: rows + moving
        case .resolution: resolution
        case .sections: [openSection] + moving
        case .picker, .palette: choosing + movingByArrows
        case .marking: marking + moving
        case .markFilter: filter
        case .ranking: ranking + moving
        case .finding: finding + moving
        case .findingText: findingText
        case .findings: findings + moving
        case .why: moving
        case .history: history + moving
        case .move: [moveNow, stay] + moving
        case .begin: beginning + movingByArrows
        case .help: movingByArrows + [leave]
        case .status: status + moving + network
        case .review: review + moving
        case .settings: settings + moving
        case .keys: keys + moving
        case .about: moving
        case .confirm: [keep]
        }
    }
}

extension BindingTable {
    fileprivate typealias Row = Binding<Command>

    fileprivate static func function(_ number: Int) -> KeyEvent { KeyEvent(.function(number)) }

    // MARK: Everywhere

    fileprivate static let commonInLists: [Row] = [
        Row(
            [function(1), .character("?")], .help, label: "Help",
            help: "Show the keys that work here"),
        Row(
            [function(9), .character(":")], .palette, label: "Commands",
            help: "Choose a command by its name"),
        leave,
        Row([function(10)], .quit, label: "", help: "Leave Walkdown; everything typed is kept"),
        openSettings, openAbout, redraw, mouse, suspend,
    ]

    fileprivate static let commonInText: [Row] = [
        Row([function(1)], .help, label: "Help", help: "Show the keys that work here"),
        Row([function(10)], .quit, label: "", help: "Leave Walkdown; everything typed is kept"),
        redraw, mouse, suspend,
    ]

    fileprivate static let leave = Row(
        [.escape], .back, label: "Back", help: "Go back one step; nothing is lost")

    fileprivate static let redraw = Row(
        [.control("l")], .redraw, label: "", help: "Draw the screen anew")

    fileprivate static let mouse = Row(
        [.control("t")], .mouse, label: "",
        help: "Turn the mouse off or on; while it is on, Shift+drag selects text")

    fileprivate static let suspend = Row(
        [.control("z")], .suspend, label: "",
        help: "Stop and return to the shell; fg comes back to the same place")

    fileprivate static let undo = Row(
        [.control("_")], .undo, label: "", help: "Undo: take the last change of an answer back")

    fileprivate static let network: [Row] = [
        Row(
            [.character("n")], .networkSwitch, label: "Network",
            help: "Switch the demo's network off or on")
    ]

    fileprivate static let synchronisation: [Row] = [
        Row(
            [.character("s")], .syncNow, label: "Sync",
            help: "Synchronise now: send, then fetch")
    ]

    fileprivate static let statusPane = Row(
        [.character("t")], .statusPane, label: "Status",
        help: "Show what has still to go, and why")

    fileprivate static let lock = Row(
        [.control("x")], .lock, label: "", help: "Lock the device now")

    // MARK: Moving

    fileprivate static let movingByArrows: [Row] = [
        Row([KeyEvent(.up)], .up, label: "", help: "Move up"),
        Row([KeyEvent(.down)], .down, label: "", help: "Move down"),
        Row([KeyEvent(.pageUp)], .pageUp, label: "", help: "Move up by a page"),
        Row([KeyEvent(.pageDown)], .pageDown, label: "", help: "Move down by a page"),
    ]

    fileprivate static let moving: [Row] =
        movingByArrows + [
            Row([KeyEvent(.home)], .first, label: "", help: "Move to the first"),
            Row([KeyEvent(.end)], .last, label: "", help: "Move to the last"),
            Row([.tab], .next, label: "", help: "Move to the next"),
            Row([.backTab], .previous, label: "", help: "Move to the one before"),
        ]

    // MARK: Places

    fileprivate static let unlock: [Row] = [
        Row([.enter], .accept, label: "Unlock", help: "Unlock with the PIN that was typed"),
        Row([.escape], .clear, label: "Clear", help: "Clear what was typed"),
    ]

    fileprivate static let worklist: [Row] =
        [
            Row([.enter], .open, label: "Open", help: "Open the inspection"),
            statusPane,
            Row(
                [.character("q")], .quit, label: "Quit",
                help: "Leave Walkdown; everything typed is kept"),
            Row([.character("/")], .filter, label: "Filter", help: "Show only what fits a text"),
        ] + synchronisation + [begin, sortWorklist, openSettingsFirst, lock]

    fileprivate static let filter: [Row] =
        [
            Row([.enter], .accept, label: "Keep", help: "Keep the filter and return to the list"),
            Row([.escape], .back, label: "Clear", help: "Show the whole list again"),
        ] + movingByArrows

    fileprivate static let inspection: [Row] =
        [
            Row(
                [.enter], .open, label: "Answer",
                help: "Answer the question, or open the rows of a repeat"),
            leave,
            addRow,
            Row(
                [.character("v")], .review, label: "Conflict",
                help: "Settle what somebody else changed too"),
            Row(
                [function(7), .character("u")], .nextUnanswered, label: "Next",
                help: "Go to the next unanswered question"),
            Row(
                [function(8), .character("!")], .nextProblem, label: "Problem",
                help: "Go to the next problem; with none left after Complete, complete"),
            Row(
                [function(6), .character("g")], .sections, label: "Sections",
                help: "Go to a section"),
            Row(
                [function(5), .character("c")], .complete, label: "Complete",
                help: "Finish the inspection; says what is missing"),
            Row(
                [.character("r")], .reopen, label: "Reopen",
                help: "Take a complete inspection back to work"),
            why, language, takePrevious, openHistory, openFinding, listFindings, comments, move,
        ] + verdicts + steps + synchronisation + [
            statusPane,
            Row(
                [KeyEvent(.delete)], .clear, label: "", help: "Clear the answer (it can be undone)"),
            Row(
                [function(3)], .discardDraft, label: "",
                help: "Throw away what was typed and not accepted; asks first"),
            undo, lock,
        ]

    fileprivate static let verdicts: [Row] = [
        Row([.character("p")], .pass, label: "", help: "Verdict: pass"),
        Row([.character("f")], .fail, label: "", help: "Verdict: fail"),
        Row([.character("x")], .notApplicable, label: "", help: "Verdict: not applicable"),
        Row([.character("o")], .notObserved, label: "", help: "Verdict: not observed"),
    ]

    fileprivate static let steps: [Row] = [
        Row(
            [KeyEvent(.left), .character("<")], .lower, label: "",
            help: "Lower the answer of a range by a step"),
        Row(
            [KeyEvent(.right), .character(">")], .raise, label: "",
            help: "Raise the answer of a range by a step"),
    ]

    fileprivate static let why = Row(
        [function(2), .character("w")], .why, label: "Why",
        help: "Show the rules behind the question, and what is hidden beside it")

    fileprivate static let language = Row(
        [function(4), .character("l")], .language, label: "Language",
        help: "Show the form in its next language")

    fileprivate static let takePrevious = Row(
        [.character("y")], .takePrevious, label: "",
        help: "Take the last visit's answer over as the answer to this question")

    fileprivate static let move = Row(
        [.character("V")], .move, label: "",
        help: "Show what moving to the newest version of the form would do, and ask")

    fileprivate static let moveNow = Row(
        [.character("y")], .accept, label: "Move",
        help: "Move the inspection to the new version; no answer is lost")

    fileprivate static let stay = Row(
        [.escape], .back, label: "Stay", help: "Leave the inspection in its version")

    fileprivate static let accept = Row(
        [.enter], .accept, label: "Accept", help: "Store the answer and go on")

    fileprivate static let leaveField = Row(
        [.escape], .back, label: "Leave",
        help: "Leave the field; what cannot be stored stays as a draft")

    fileprivate static let editor: [Row] =
        [
            accept, leaveField, newLine,
            Row([function(9)], .palette, label: "", help: "Choose a command by its name"),
            lineUp, lineDown,
        ] + fromField

    fileprivate static let range: [Row] =
        [
            accept, leaveField,
            Row(
                [KeyEvent(.left), .character("-"), .character("<")], .lower, label: "Less",
                help: "Lower the answer by a step"),
            Row(
                [KeyEvent(.right), .character("+"), .character(">")], .raise, label: "More",
                help: "Raise the answer by a step"),
            Row([KeyEvent(.up)], .up, label: "", help: "Leave the field for the one above"),
            Row([KeyEvent(.down)], .down, label: "", help: "Leave the field for the one below"),
        ] + fromField

    /// Ways out of a field that is being edited.
    fileprivate static let fromField: [Row] = [
        Row([function(6)], .sections, label: "Sections", help: "Go to a section"),
        Row(
            [function(5)], .complete, label: "",
            help: "Finish the inspection; says what is missing"),
        Row(
            [function(7)], .nextUnanswered, label: "",
            help: "Go to the next question without an answer"),
        Row(
            [function(8)], .nextProblem, label: "",
            help: "Go to the next problem; with none left after Complete, complete"),
        Row([.tab], .next, label: "", help: "Leave the field for the next"),
        Row([.backTab], .previous, label: "", help: "Leave the field for the one before"),
        undoTyping, lock,
    ]

    fileprivate static let undoTyping = Row(
        [.control("_")], .undo, label: "", help: "Undo: take the last change of the text back")

    fileprivate static let newLine = Row(
        [KeyEvent(.enter, .alt)], .newLine, label: "New line",
        help: "Begin a new line in a long text")

    fileprivate static let lineUp = Row(
        [KeyEvent(.up)], .up, label: "", help: "Move up a line; from the first, leave the field")

    fileprivate static let lineDown = Row(
        [KeyEvent(.down)], .down, label: "",
        help: "Move down a line; from the last, leave the field")

    fileprivate static let resolution: [Row] = [
        Row([.enter], .accept, label: "Settle", help: "Settle the conflict with this value"),
        Row(
            [.escape], .back, label: "Leave", help: "Leave the field; what was typed is kept"),
        newLine, lineUp, lineDown,
        undoTyping, lock,
    ]

    fileprivate static let openSection = Row(
        [.enter], .open, label: "Go", help: "Go to the section")

    fileprivate static let choosing: [Row] = [
        Row([.enter], .accept, label: "Choose", help: "Take the marked one; type to narrow"),
        leave,
    ]

    fileprivate static let marking: [Row] = [
        Row([.enter], .accept, label: "Take", help: "Store all that is marked and go on"),
        Row([.character(" ")], .toggle, label: "Mark", help: "Mark the choice, or unmark it"),
        Row([.character("/")], .filter, label: "Filter", help: "Show only what fits a text"),
        leaveMarks,
    ]

    fileprivate static let ranking: [Row] = [
        Row([.enter], .accept, label: "Take", help: "Store the order and go on"),
        Row(
            [KeyEvent(.left), .character("-")], .earlier, label: "Up",
            help: "Move the choice up by a place; a digit moves it to that place"),
        Row(
            [KeyEvent(.right), .character("+")], .later, label: "Down",
            help: "Move the choice down by a place"),
        leaveMarks,
    ]

    fileprivate static let leaveMarks = Row(
        [.escape], .back, label: "Leave", help: "Leave the list; what was changed is stored")

    fileprivate static let addRow = Row(
        [.character("a")], .addRow, label: "Add",
        help: "Add a row to a repeat, and open it")

    fileprivate static let rows: [Row] =
        [
            Row([.enter], .open, label: "Open", help: "Open the row"),
            leave, addRow,
            Row(
                [.character("d"), KeyEvent(.delete)], .deleteRow, label: "Delete",
                help: "Delete the row with its answers; asks first"),
            Row(
                [function(7), .character("u")], .nextUnanswered, label: "Next",
                help: "Go to the next unanswered question"),
            Row(
                [function(8), .character("!")], .nextProblem, label: "Problem",
                help: "Go to the next problem; with none left after Complete, complete"),
            language,
        ] + synchronisation + [statusPane, lock]

    fileprivate static let status: [Row] =
        [
            Row([.enter], .open, label: "Open", help: "Open the record, or its conflict"),
            leave,
            Row(
                [.character("c")], .copy, label: "Copy",
                help: "Take a text along that has no place any more; Ctrl-Y puts it in elsewhere"),
            Row([.character("r")], .retry, label: "Retry", help: "Send a failed row again"),
            Row(
                [.character("d")], .discard, label: "Discard",
                help: "Put the confirmed values back instead of a failed row; asks first"),
        ] + synchronisation + [lock]

    fileprivate static let review: [Row] =
        [
            Row([.character("m")], .mine, label: "Mine", help: "Keep my value"),
            Row([.character("t")], .theirs, label: "Theirs", help: "Take the other value"),
            Row(
                [.character("e")], .edit, label: "Edit", help: "Settle it with a third value"),
            leave,
        ] + synchronisation

    fileprivate static let keep = Row([.escape], .back, label: "Keep", help: "Destroy nothing")
}
