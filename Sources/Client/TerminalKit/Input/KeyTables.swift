/// Which key a byte or a number in a sequence stands for (xterm, VT220, rxvt and the Linux console).
enum KeyTables {
    /// A byte below 0x20 or 0x7F; nil for printable bytes and for ESC.
    static func event(forControl byte: UInt8) -> KeyEvent? {
        switch byte {
        case 0x00: .control(" ")
        case 0x08, 0x7F: KeyEvent(.backspace)
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x1B: nil
        case 0x01...0x1A: .control(Unicode.Scalar(byte + 0x60))
        case 0x1C...0x1F: .control(Unicode.Scalar(byte + 0x40))
        default: nil
        }
    }

    /// xterm's modifier parameter: one more than a sum of shift 1, alt 2, control 4 (and meta 8).
    static func modifiers(_ parameter: Int) -> Modifiers {
        let bits = max(0, parameter - 1)
        var modifiers: Modifiers = []
        if bits & 1 != 0 { modifiers.insert(.shift) }
        if bits & 2 != 0 { modifiers.insert(.alt) }
        if bits & 4 != 0 { modifiers.insert(.control) }
        return modifiers
    }

    static func final(_ byte: UInt8) -> KeyEvent? {
        switch Unicode.Scalar(byte) {
        case "A": KeyEvent(.up)
        case "B": KeyEvent(.down)
        case "C": KeyEvent(.right)
        case "D": KeyEvent(.left)
        case "F": KeyEvent(.end)
        case "H": KeyEvent(.home)
        case "P": KeyEvent(.function(1))
        case "Q": KeyEvent(.function(2))
        case "R": KeyEvent(.function(3))
        case "S": KeyEvent(.function(4))
        case "Z": .backTab
        default: nil
        }
    }

    static func tilde(_ number: Int) -> Key? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(number - 10)
        case 17...21: .function(number - 11)
        case 23, 24: .function(number - 12)
        default: nil
        }
    }

    /// After SS3: arrows in application mode, F1 to F4, and the keypad, whose keys type what is
    /// printed on them.
    static func singleShift(_ byte: UInt8) -> KeyEvent? {
        switch Unicode.Scalar(byte) {
        case "M": .enter
        case "I": .tab
        case "X": .character("=")
        case "j"..."o", "p"..."y": .character(Unicode.Scalar(byte - 0x40))
        default: final(byte)
        }
    }
}
