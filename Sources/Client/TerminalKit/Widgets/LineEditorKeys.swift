extension LineEditor {
    /// Lets the editor take a key. False when the key is none of its own: the layer may use it.
    @discardableResult
    package mutating func handle(_ event: KeyEvent) -> Bool {
        if let scalar = event.typed {
            insert(scalar)
            return true
        }
        switch (event.key, event.modifiers) {
        case (.backspace, []): backspace()
        case (.delete, []), (.character("d"), .control): delete()
        case (.left, []), (.character("b"), .control): left()
        case (.right, []), (.character("f"), .control): right()
        case (.home, []), (.character("a"), .control): toStart()
        case (.end, []), (.character("e"), .control): toEnd()
        case (.character("u"), .control): deleteToStart()
        case (.character("k"), .control): deleteToEnd()
        case (.character("w"), .control): deleteWord()
        default: return false
        }
        return true
    }

    /// Inserts pasted text; in a single line, line breaks and tabs become spaces.
    @discardableResult
    package mutating func paste(_ text: String, multiline: Bool = false) -> Bool {
        guard !multiline else { return insert(text) }
        return insert(String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }))
    }
}
