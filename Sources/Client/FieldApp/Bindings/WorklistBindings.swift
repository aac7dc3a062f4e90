import TerminalKit

/// Keys of the worklist, and of beginning an inspection.
extension BindingTable {
    static let begin = Binding<Command>(
        [.character("a")], .begin, label: "New",
        help: "Begin an inspection: the same form again, or another one")

    static let sortWorklist = Binding<Command>(
        [.character("o")], .sort, label: "Order",
        help: "Order the list by site, due day, form or state")

    static let beginning: [Binding<Command>] = [
        Binding([.enter], .accept, label: "Choose", help: "Take the marked one; type to narrow"),
        Binding([.escape], .back, label: "Back", help: "Go back one step; nothing is begun"),
    ]
}
