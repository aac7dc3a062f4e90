extension KeyEvent {
    /// The key that `name` calls so, whatever the case of its words.
    package init?(named text: String) {
        var rest = text[...]
        var modifiers: Modifiers = []
        while let (prefix, modifier) = Self.prefixes.first(where: {
            rest.count > $0.0.count && rest.lowercased().hasPrefix($0.0)
        }) {
            modifiers.insert(modifier)
            rest = rest.dropFirst(prefix.count)
        }
        let word = rest.lowercased()
        if rest.unicodeScalars.count == 1, let scalar = rest.unicodeScalars.first {
            let isLetter = modifiers.contains(.control)
            let lower = word.unicodeScalars.first ?? scalar
            self.init(.character(isLetter ? lower : scalar), modifiers)
        } else if let key = Self.named[word] {
            self.init(key, modifiers)
        } else if word.hasPrefix("f"), let number = Int(word.dropFirst()), (1...24).contains(number)
        {
            self.init(.function(number), modifiers)
        } else {
            return nil
        }
    }

    private static let prefixes: [(String, Modifiers)] = [
        ("ctrl-", .control), ("alt-", .alt), ("shift-", .shift),
    ]

    private static let named: [String: Key] = [
        "space": .character(" "), "enter": .enter, "tab": .tab, "esc": .escape,
        "backspace": .backspace, "delete": .delete, "insert": .insert, "up": .up, "down": .down,
        "left": .left, "right": .right, "home": .home, "end": .end, "pgup": .pageUp,
        "pgdn": .pageDown,
    ]
}
