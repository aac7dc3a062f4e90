import TerminalKit

/// The keys of findings.
extension BindingTable {
    static let openFinding = Binding<Command>(
        [.character("m")], .finding, label: "Finding",
        help: "Say what is wrong here: open the finding on the question, or raise one")

    static let listFindings = Binding<Command>(
        [.character("M")], .findings, label: "Findings",
        help: "List what was found wrong in this inspection")

    static let comments = Binding<Command>(
        [.character("k")], .comments, label: "Comments",
        help: "Choose a text that the form has ready")

    static let finding: [Binding<Command>] = [
        Binding([.enter], .open, label: "Change", help: "Type it, or take the next word"),
        Binding([.escape], .back, label: "Back", help: "Go back; what was said is stored"),
        Binding(
            [KeyEvent(.left), .character("<")], .lower, label: "",
            help: "Take the word before, of severity and status"),
        Binding(
            [KeyEvent(.right), .character(">")], .raise, label: "",
            help: "Take the next word, of severity and status"),
        comments,
        Binding(
            [.character("d"), KeyEvent(.delete)], .removeFinding, label: "Remove",
            help: "Take the finding away, because it was a mistake; asks first"),
        Binding([.control("x")], .lock, label: "", help: "Lock the device now"),
    ]

    static let findings: [Binding<Command>] = [
        Binding([.enter], .open, label: "Open", help: "Open the finding"),
        Binding([.control("x")], .lock, label: "", help: "Lock the device now"),
    ]

    static let findingText: [Binding<Command>] = [
        Binding([.enter], .accept, label: "Store", help: "Store the text and go on"),
        Binding(
            [.escape], .back, label: "Leave",
            help: "Leave the field; what cannot be stored stays as a draft"),
        Binding(
            [KeyEvent(.enter, .alt)], .newLine, label: "New line",
            help: "Begin a new line in a long text"),
        Binding(
            [KeyEvent(.up)], .up, label: "",
            help: "Move up a line; from the first, leave the field"),
        Binding(
            [KeyEvent(.down)], .down, label: "",
            help: "Move down a line; from the last, leave the field"),
        Binding([.tab], .next, label: "", help: "Leave the field for the next"),
        Binding([.backTab], .previous, label: "", help: "Leave the field for the one before"),
        Binding(
            [.control("_")], .undo, label: "",
            help: "Undo: take the last change of the text back"),
        Binding([.control("x")], .lock, label: "", help: "Lock the device now"),
    ]
}
