/// What a person did at the terminal.
package enum InputEvent: Hashable, Sendable {
    case key(KeyEvent)
    /// Text pasted as one piece (bracketed paste), its control characters removed but for `\n` and
    /// `\t`. Never a command.
    case paste(String)
    /// A line that a barcode scanner typed, without its Enter or Tab. Never a command.
    case scan(String)
    case mouse(MouseEvent)
}

package struct MouseEvent: Hashable, Sendable {
    package enum Action: Hashable, Sendable { case press, drag, release, scrollUp, scrollDown }
    package var action: Action
    package var position: Position

    package init(_ action: Action, at position: Position) {
        self.action = action
        self.position = position
    }
}

package enum Key: Hashable, Sendable {
    /// What was typed, one scalar at a time: a combining mark is an event of its own.
    case character(Unicode.Scalar)
    case enter, tab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    case function(Int)
}

package struct Modifiers: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let shift = Modifiers(rawValue: 1)
    package static let alt = Modifiers(rawValue: 2)
    package static let control = Modifiers(rawValue: 4)
}

package struct KeyEvent: Hashable, Sendable {
    package var key: Key
    package var modifiers: Modifiers

    package init(_ key: Key, _ modifiers: Modifiers = []) {
        self.key = key
        self.modifiers = modifiers
    }

    package static func character(_ scalar: Unicode.Scalar) -> KeyEvent {
        KeyEvent(.character(scalar))
    }

    package static func control(_ scalar: Unicode.Scalar) -> KeyEvent {
        KeyEvent(.character(scalar), .control)
    }

    package static let enter = KeyEvent(.enter)
    package static let tab = KeyEvent(.tab)
    package static let backTab = KeyEvent(.tab, .shift)
    package static let escape = KeyEvent(.escape)

    /// The text that the key types, nil for a key that types none.
    package var typed: Unicode.Scalar? {
        guard case .character(let scalar) = key,
            modifiers.isDisjoint(with: [.control, .alt])
        else { return nil }
        return scalar
    }

    /// The key's name for footers and help: `Ctrl-L`, `F9`, `Shift-Tab`, `q`.
    package var name: String {
        var prefix = ""
        if modifiers.contains(.control) { prefix += "Ctrl-" }
        if modifiers.contains(.alt) { prefix += "Alt-" }
        if modifiers.contains(.shift) { prefix += "Shift-" }
        return prefix + keyName
    }

    private var keyName: String {
        switch key {
        case .character(" "): "Space"
        case .character(let scalar):
            modifiers.contains(.control) ? String(scalar).uppercased() : String(scalar)
        case .enter: "Enter"
        case .tab: "Tab"
        case .escape: "Esc"
        case .backspace: "Backspace"
        case .delete: "Delete"
        case .insert: "Insert"
        case .up: "Up"
        case .down: "Down"
        case .left: "Left"
        case .right: "Right"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .function(let number): "F\(number)"
        }
    }
}
