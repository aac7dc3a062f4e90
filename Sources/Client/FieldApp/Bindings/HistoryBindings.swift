import TerminalKit

/// The keys of an asset's history.
extension BindingTable {
    static let openHistory = Binding<Command>(
        [.character("h")], .history, label: "History",
        help: "Show what earlier visits found at this question, with a chart of a reading")

    static let history: [Binding<Command>] = [
        Binding([.escape], .back, label: "Back", help: "Go back to the inspection"),
        Binding(
            [KeyEvent(.right), .character(">")], .raise, label: "Next",
            help: "Show the next question that earlier visits answered"),
        Binding(
            [KeyEvent(.left), .character("<")], .lower, label: "Before",
            help: "Show the question before"),
        Binding([.control("x")], .lock, label: "", help: "Lock the device now"),
    ]
}
