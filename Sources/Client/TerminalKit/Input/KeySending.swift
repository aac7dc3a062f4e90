/// How a terminal sends a key. Bytes have no room for most of what can be held down beside a character:
/// such a key comes as another one, and who binds it waits for it in vain.
package enum KeySending: Equatable, Sendable {
    case asItself
    /// The same bytes stand for both, on every terminal.
    case always(as: KeyEvent)
    /// Few terminals tell the two apart, and those not for every key of that name.
    case mostly(as: KeyEvent)
    /// As the character that Shift makes of it: which one that is, the keyboard knows.
    case shifted
    /// With the bytes that other keys begin with.
    case asBeginning
    /// No terminal is known to.
    case never
}

extension KeyEvent {
    /// A function key from F13 on is sent where its terminal has been learned.
    package var sending: KeySending {
        switch key {
        case .character(let scalar):
            sending(of: scalar)
        case .enter, .backspace:
            isPlain(butFor: .alt) ? .asItself : .mostly(as: with(modifiers.intersection(.alt)))
        case .tab where modifiers.contains(.shift):
            self == .backTab ? .asItself : .mostly(as: .backTab)
        case .tab:
            isPlain(butFor: .alt) ? .asItself : .mostly(as: with(modifiers.intersection(.alt)))
        case .escape:
            modifiers.isEmpty ? .asItself : .mostly(as: .escape)
        case .delete, .insert, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown:
            .asItself
        case .function(let number):
            number <= Self.lastKnown || modifiers.isEmpty ? .asItself : .never
        }
    }

    /// The last function key that the decoder knows of every terminal.
    package static let lastKnown = 12

    private func isPlain(butFor allowed: Modifiers) -> Bool { modifiers.isSubset(of: allowed) }

    private func with(_ modifiers: Modifiers) -> KeyEvent { KeyEvent(key, modifiers) }

    private func sending(of scalar: Unicode.Scalar) -> KeySending {
        guard (0x20...0x7E).contains(scalar.value) || scalar.value >= 0xA0 else { return .never }
        if modifiers.contains(.shift) { return sendingShifted(scalar) }
        if modifiers.contains(.control) { return sendingControl(scalar) }
        return modifiers.contains(.alt) && Self.beginnings.contains(scalar)
            ? .asBeginning : .asItself
    }

    /// After ESC: CSI, SS3 and the strings.
    private static let beginnings: Set<Unicode.Scalar> = ["[", "O", "]", "P", "_", "^"]

    private func sendingShifted(_ scalar: Unicode.Scalar) -> KeySending {
        let rest = modifiers.subtracting(.shift)
        // A control byte has no room for Shift, and a blank has no other case.
        if rest.contains(.control) || scalar == " " { return .follow(with(rest), isSure: true) }
        let upper = scalar.properties.uppercaseMapping.unicodeScalars
        guard scalar.properties.isCased, upper.count == 1, let first = upper.first else {
            return .shifted
        }
        return .follow(KeyEvent(.character(first), rest), isSure: true)
    }

    private func sendingControl(_ scalar: Unicode.Scalar) -> KeySending {
        let rest = modifiers.subtracting(.control)
        guard let byte = Self.controlByte(scalar) else {
            return .follow(with(rest), isSure: false)
        }
        let sent = KeyTables.event(forControl: byte) ?? .escape
        let whole = KeyEvent(sent.key, sent.modifiers.union(rest))
        guard whole != self else { return .asItself }
        let isSure = scalar.properties.isAlphabetic || scalar == "[" || scalar == "@"
        return .follow(whole, isSure: isSure)
    }

    /// ASCII takes the low five bits; digits and the slash as the VT220 and those after it do.
    private static func controlByte(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case " ", "2": 0
        case "3": 0x1B
        case "4"..."7": UInt8(scalar.value) - 0x34 + 0x1C
        case "8", "?": 0x7F
        case "/": 0x1F
        case "@"..."~": UInt8(scalar.value) & 0x1F
        default: nil
        }
    }
}

extension KeySending {
    /// What comes may itself come as another one.
    fileprivate static func follow(_ key: KeyEvent, isSure: Bool) -> KeySending {
        switch key.sending {
        case .asItself: isSure ? .always(as: key) : .mostly(as: key)
        case .always(let other): isSure ? .always(as: other) : .mostly(as: other)
        case .mostly(let other): .mostly(as: other)
        case .shifted, .asBeginning, .never: key.sending
        }
    }
}
