/// A key, what it does and how it is said: bindings are data that the footer, the help, the palette
/// and the tests read.
package struct Binding<Command: Hashable & Sendable>: Sendable {
    /// The key, and its printable twin for terminals that lack it, in the order they are shown.
    package var keys: [KeyEvent]
    package var command: Command
    /// One or two words for the footer.
    package var label: String
    /// A sentence for the help.
    package var help: String

    package init(_ keys: [KeyEvent], _ command: Command, label: String, help: String) {
        precondition(!keys.isEmpty, "a binding without a key cannot be used")
        self.keys = keys
        self.command = command
        self.label = label
        self.help = help
    }

    /// The names of the keys as shown: `F9 or :`.
    package var keyNames: String { keys.map(\.name).joined(separator: " or ") }
}

/// The bindings of one place (a screen, an editor), first match first.
package struct Keymap<Command: Hashable & Sendable>: Sendable {
    package var bindings: [Binding<Command>]

    package init(_ bindings: [Binding<Command>]) { self.bindings = bindings }

    package func command(for event: KeyEvent) -> Command? {
        bindings.first { $0.keys.contains(event) }?.command
    }

    /// Keys that stand in more than one binding: always a mistake, asserted in tests.
    package var collisions: [KeyEvent] {
        var seen: Set<KeyEvent> = []
        return bindings.flatMap(\.keys).filter { !seen.insert($0).inserted }
    }
}
