package import TerminalKit

/// Keys that a person has bound to commands, beside those of the table.
package struct OwnKeys: Equatable, Sendable {
    private var keys: [Command: [KeyEvent]] = [:]

    package init() {}

    /// Why a key is not bound.
    package enum Trouble: Error, Equatable, Sendable {
        /// It comes as another key or not at all, so that what is shown would not work.
        case notSent(KeyEvent)
        /// It leaves, accepts, moves or types, everywhere.
        case reserved(KeyEvent)
        case taken(KeyEvent, by: Command, in: Place)
        /// Where the command is, the key is text.
        case isText(KeyEvent)
    }

    /// Binds a key wherever the table has the command and the key is no text.
    package mutating func bind(_ command: Command, to key: KeyEvent) throws(Trouble) {
        guard key.sending == .asItself else { throw .notSent(key) }
        guard !Self.isReserved(key) else { throw .reserved(key) }
        var isUsed = false
        for place in Place.allCases {
            let bindings = BindingTable.keymap(for: place, demo: true, own: self).bindings
            guard bindings.contains(where: { $0.command == command }), Self.mayStand(key, in: place)
            else { continue }
            let other = bindings.first { $0.keys.contains(key) }?.command
            guard other == nil || other == command else {
                throw .taken(key, by: other ?? command, in: place)
            }
            isUsed = true
        }
        guard isUsed else { throw .isText(key) }
        if keys[command]?.contains(key) != true { keys[command, default: []].append(key) }
    }

    /// Those that are bound to a command, in their order.
    package func keys(of command: Command) -> [KeyEvent] { keys[command] ?? [] }

    /// Takes all of them away; those of the table stay.
    package mutating func unbind(_ command: Command) { keys[command] = nil }

    /// Shown first, and working, where the command is.
    func added(to bindings: [Binding<Command>], in place: Place) -> [Binding<Command>] {
        guard !keys.isEmpty else { return bindings }
        let taken = Set(bindings.flatMap(\.keys))
        // A command may stand twice; the one that the footer shows comes first.
        var left = keys
        return bindings.map { binding in
            var binding = binding
            let own = (left.removeValue(forKey: binding.command) ?? []).filter { key in
                Self.mayStand(key, in: place) && !taken.contains(key)
            }
            binding.keys.insert(contentsOf: own, at: 0)
            return binding
        }
    }

    /// What is typed is text where text is taken, and so are the keys that edit it.
    private static func mayStand(_ key: KeyEvent, in place: Place) -> Bool {
        guard place.takesText else { return true }
        return key.typed == nil && !LineEditor.keymap.bindings.contains { $0.keys.contains(key) }
    }

    package static func isReserved(_ key: KeyEvent) -> Bool {
        let plain: [KeyEvent] = [
            .enter, .escape, .tab, .backTab, .control("c"), .control("z"), .character(" "),
            KeyEvent(.backspace), KeyEvent(.up), KeyEvent(.down), KeyEvent(.left),
            KeyEvent(.right), KeyEvent(.home), KeyEvent(.end), KeyEvent(.pageUp),
            KeyEvent(.pageDown),
        ]
        if plain.contains(key) { return true }
        // They begin an answer.
        return key.typed.map { "0123456789+-.,".unicodeScalars.contains($0) } ?? false
    }
}
