internal import CSodium

/// Lower-case hexadecimal; decoding takes both cases and an even number of digits, nothing else.
package enum Hexadecimal {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    package static func decode(_ text: String) throws(CryptoError) -> [UInt8] {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { throw .malformedText("hexadecimal") }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else {
                throw .malformedText("hexadecimal")
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Base64 as of RFC 4648, strict: a stray character, wrong padding or set trailing bits are
/// errors.
package enum Base64 {
    package enum Alphabet: Sendable {
        case standard
        /// `-` and `_` for `+` and `/`, without padding.
        case url

        var variant: Int32 {
            switch self {
            case .standard: sodium_base64_VARIANT_ORIGINAL
            case .url: sodium_base64_VARIANT_URLSAFE_NO_PADDING
            }
        }
    }

    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
        let capacity = sodium_base64_encoded_len(bytes.count, alphabet.variant)
        var text = [CChar](repeating: 0, count: capacity)
        sodium_bin2base64(&text, capacity, bytes, bytes.count, alphabet.variant)
        // The last byte is the C string's end.
        return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    package static func decode(
        _ text: String, _ alphabet: Alphabet = .standard
    ) throws(CryptoError) -> [UInt8] {
        let count = text.utf8.count
        var bytes = [UInt8](repeating: 0, count: count)
        var decoded = 0
        // Without an end pointer, sodium_base642bin refuses anything it did not use up.
        let status = sodium_base642bin(
            &bytes, count, text, count, nil, &decoded, nil, alphabet.variant)
        guard status == 0 else { throw .malformedText("base64") }
        return Array(bytes.prefix(decoded))
    }
}
