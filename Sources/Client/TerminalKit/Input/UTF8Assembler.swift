/// Puts scalars together from UTF-8 bytes that come one at a time. Overlong forms, surrogates and
/// values beyond U+10FFFF (RFC 3629) give nothing.
struct UTF8Assembler: Equatable, Sendable {
    private var value: UInt32 = 0
    private var remaining = 0
    private var least: UInt32 = 0
    /// The last byte was none of the character's; what had come of it is dropped.
    private(set) var refused = false
    /// Alt, when an ESC stood before the character.
    var modifiers: Modifiers = []

    var isEmpty: Bool { remaining == 0 }

    mutating func take(_ byte: UInt8) -> Unicode.Scalar? {
        refused = false
        guard remaining > 0 else {
            begin(byte)
            return nil
        }
        guard byte & 0xC0 == 0x80 else {
            remaining = 0
            refused = byte < 0x80
            if !refused { begin(byte) }
            return nil
        }
        value = value << 6 | UInt32(byte & 0x3F)
        remaining -= 1
        return remaining == 0 && value >= least ? Unicode.Scalar(value) : nil
    }

    private mutating func begin(_ byte: UInt8) {
        switch byte {
        case 0xC2...0xDF: (value, remaining, least) = (UInt32(byte & 0x1F), 1, 0x80)
        case 0xE0...0xEF: (value, remaining, least) = (UInt32(byte & 0x0F), 2, 0x800)
        case 0xF0...0xF4: (value, remaining, least) = (UInt32(byte & 0x07), 3, 0x10000)
        default: remaining = 0
        }
    }
}
