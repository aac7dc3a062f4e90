import TerminalKit

/// The keys of the settings, and the ways there.
extension BindingTable {
    static let openSettings = settingsKey(label: "")

    /// Where a shift begins the footer shows it.
    static let openSettingsFirst = settingsKey(label: "Settings")

    private static func settingsKey(label: String) -> Binding<Command> {
        Binding(
            [.character("S")], .settings, label: label,
            help: "Set language, colours, mouse, keys and what goes by itself")
    }

    static let openAbout = Binding<Command>(
        [.character("I")], .about, label: "",
        help: "Look at this device: what it is, and whether anything is wrong")

    static let settings: [Binding<Command>] = [
        Binding([.enter], .open, label: "Change", help: "Take the next value, or open the keys"),
        Binding([.escape], .back, label: "Back", help: "Go back; what was set is kept"),
        Binding(
            [KeyEvent(.right), .character(">")], .raise, label: "", help: "Take the next value"),
        Binding(
            [KeyEvent(.left), .character("<")], .lower, label: "", help: "Take the value before"),
        Binding([.control("x")], .lock, label: "", help: "Lock the device now"),
    ]

    static let keys: [Binding<Command>] = [
        Binding([.enter], .open, label: "Bind", help: "Press one more key for this"),
        Binding([.escape], .back, label: "Back", help: "Go back; what was bound is kept"),
        Binding(
            [KeyEvent(.delete), .character("d")], .clear, label: "Unbind",
            help: "Take the keys away that were bound to this here"),
        Binding([.control("x")], .lock, label: "", help: "Lock the device now"),
    ]
}
