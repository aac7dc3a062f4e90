extension LineEditor {
    /// What a key does to a text, as data: help and man page read the same table.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        case backspace, delete
        case left, right, wordLeft, wordRight, toStart, toEnd
        case cutToStart, cutToEnd, cutWordBefore, cutWordAfter, yank
    }

    package static let keymap = Keymap<Action>([
        row([KeyEvent(.left), .control("b")], .left, "Move the caret back"),
        row([KeyEvent(.right), .control("f")], .right, "Move the caret on"),
        row(
            [KeyEvent(.left, .control), alt("b"), KeyEvent(.left, .alt)], .wordLeft,
            "Move the caret back by a word"),
        row(
            [KeyEvent(.right, .control), alt("f"), KeyEvent(.right, .alt)], .wordRight,
            "Move the caret on by a word"),
        row([KeyEvent(.home), .control("a")], .toStart, "Move the caret to the start"),
        row([KeyEvent(.end), .control("e")], .toEnd, "Move the caret to the end"),
        row([KeyEvent(.backspace)], .backspace, "Delete what is before the caret"),
        row([KeyEvent(.delete), .control("d")], .delete, "Delete what is after the caret"),
        row(
            [.control("w"), KeyEvent(.backspace, .alt)], .cutWordBefore,
            "Cut the word before the caret"),
        row([alt("d")], .cutWordAfter, "Cut the word after the caret"),
        row([.control("u")], .cutToStart, "Cut everything before the caret"),
        row([.control("k")], .cutToEnd, "Cut everything after the caret"),
        row([.control("y")], .yank, "Put in what was cut last"),
    ])

    private static func row(_ keys: [KeyEvent], _ action: Action, _ help: String)
        -> Binding<Action>
    {
        Binding(keys, action, label: "", help: help)
    }

    private static func alt(_ scalar: Unicode.Scalar) -> KeyEvent {
        KeyEvent(.character(scalar), .alt)
    }

    /// Lets the editor take a key. False when the key is none of its own: the layer may use it.
    @discardableResult
    package mutating func handle(_ event: KeyEvent) -> Bool {
        if let scalar = event.typed {
            insert(scalar)
            return true
        }
        guard let action = Self.keymap.command(for: event) else { return false }
        perform(action)
        return true
    }

    private mutating func perform(_ action: Action) {
        switch action {
        case .backspace: backspace()
        case .delete: delete()
        case .left: left()
        case .right: right()
        case .wordLeft: wordLeft()
        case .wordRight: wordRight()
        case .toStart: toStart()
        case .toEnd: toEnd()
        case .cutToStart: cutToStart()
        case .cutToEnd: cutToEnd()
        case .cutWordBefore: cutWordBefore()
        case .cutWordAfter: cutWordAfter()
        case .yank: insert(cut)
        }
    }

    /// Inserts pasted text; in a single line, line breaks and tabs become spaces.
    @discardableResult
    package mutating func paste(_ text: String, multiline: Bool = false) -> Bool {
        guard !multiline else { return insert(text) }
        return insert(String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }))
    }
}
