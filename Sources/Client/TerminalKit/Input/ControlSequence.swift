/// A CSI sequence while its bytes come in (ECMA-48, 5.4): parameters, intermediates, a final byte.
struct ControlSequence: Equatable, Sendable {
    enum Step: Equatable {
        case more, console, oldMouse, pasteBegins, broken
        /// nil when the sequence is none that a person can make: it is swallowed.
        case ended(InputEvent?)
    }

    /// The sequence came after its ESC had been delivered as the Esc key: it is swallowed.
    var isLate = false
    private var body: [UInt8] = []
    /// Bytes beyond this are dropped; the sequence is then unknown and goes on to its final byte.
    private static let limit = 64

    init(isLate: Bool = false) { self.isLate = isLate }

    /// What came of it, from its ESC to before its final byte.
    var bytes: [UInt8] { [0x1B, UInt8(ascii: "[")] + body }

    /// Only `[` came, long after an Esc: it was typed.
    var isLateBracket: Bool { isLate && body.isEmpty }

    mutating func take(_ byte: UInt8) -> Step {
        switch byte {
        case 0x20...0x3F:
            if body.count < ControlSequence.limit { body.append(byte) }
            return .more
        case UInt8(ascii: "[") where body.isEmpty: return .console
        case UInt8(ascii: "M") where body.isEmpty: return .oldMouse
        case 0x40...0x7E:
            return isLate ? .ended(nil) : end(byte)
        default: return .broken
        }
    }

    private func end(_ final: UInt8) -> Step {
        if final == UInt8(ascii: "~"), parameters == [200] { return .pasteBegins }
        if body.first == UInt8(ascii: "<") { return .ended(mouse(final).map { .mouse($0) }) }
        return .ended(key(final).map { .key($0) })
    }

    /// The parameters as numbers; nil where a byte is neither digit, `;` nor a first `<`.
    private var parameters: [Int]? {
        var numbers = [0]
        for (index, byte) in body.enumerated() {
            switch byte {
            case 0x30...0x39:
                let next = numbers[numbers.count - 1] * 10 + Int(byte) - 0x30
                numbers[numbers.count - 1] = min(next, 1_000_000)
            case 0x3B: numbers.append(0)
            case UInt8(ascii: "<") where index == 0: continue
            default: return nil
            }
        }
        return body.isEmpty ? [] : numbers
    }

    private func key(_ final: UInt8) -> KeyEvent? {
        guard let parameters, parameters.count <= 2 else { return nil }
        let first = parameters.first ?? 1
        let modifiers = KeyTables.modifiers(parameters.count == 2 ? parameters[1] : 1)
        if final == UInt8(ascii: "~") {
            return KeyTables.tilde(first).map { KeyEvent($0, modifiers) }
        }
        // `CSI row ; column R` is a cursor report, not F3: only a first parameter of 1 is a key.
        guard first == 1 || parameters.isEmpty, let key = KeyTables.final(final) else { return nil }
        return KeyEvent(key.key, key.modifiers.union(modifiers))
    }

    /// `CSI < button ; column ; row M|m` (xterm's mode 1006).
    private func mouse(_ final: UInt8) -> MouseEvent? {
        guard let parameters, parameters.count == 3,
            final == UInt8(ascii: "M") || final == UInt8(ascii: "m")
        else { return nil }
        let position = Position(column: max(0, parameters[1] - 1), row: max(0, parameters[2] - 1))
        let button = parameters[0]
        if button & 64 != 0 {
            return MouseEvent(button & 1 == 0 ? .scrollUp : .scrollDown, at: position)
        }
        if final == UInt8(ascii: "m") { return MouseEvent(.release, at: position) }
        guard button & 3 == 0 else { return nil }
        return MouseEvent(button & 32 != 0 ? .drag : .press, at: position)
    }
}
