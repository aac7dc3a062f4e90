/// Crockford's base32 (crockford.com/base32.html), for codes that people read aloud and type: no
/// I, L, O, U; decoding takes both cases and reads `O` as 0, `I` and `L` as 1, and passes over
/// spaces and `-`.
package enum Base32 {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Five bits a digit; the last digit is filled up with zero bits.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var buffer = 0
        var bits = 0
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(digits[buffer >> bits & 31])
            }
        }
        if bits > 0 { text.append(digits[buffer << (5 - bits) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Refuses other characters, a length that no encoding has, and set filling bits, so that each
    /// sequence of bytes has one code.
    package static func decode(_ text: String) throws(CryptoError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = 0
        var bits = 0
        for character in text.utf8 where !isSeparator(character) {
            guard let value = value(of: character) else { throw .malformedText("base32") }
            buffer = (buffer << 5 | value) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 0xFF))
            }
        }
        guard bits < 5, buffer & ((1 << bits) - 1) == 0 else { throw .malformedText("base32") }
        return bytes
    }

    private static func isSeparator(_ character: UInt8) -> Bool {
        character == UInt8(ascii: "-") || character == UInt8(ascii: " ")
    }

    private static func value(of character: UInt8) -> Int? {
        let isLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
        switch isLower ? character - 32 : character {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        case let digit: return digits.firstIndex(of: digit)
        }
    }
}
