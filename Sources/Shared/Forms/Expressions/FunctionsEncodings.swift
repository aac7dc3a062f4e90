/// Hashes and base64, for forms that compare codes. Nothing here protects a secret: secrets are
/// `Crypto`'s.
enum EncodingFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction("digest", .between(2, 3), digest),
        ExpressionFunction("base64-decode", .exactly(1), decode),
    ]

    @Sendable
    private static func digest(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let bytes = Array(try call.text(0).utf8)
        try call.evaluation.spend(100 + bytes.count, at: call.call.place)
        let hash: [UInt8]
        switch try call.text(1) {
        case "MD5": hash = FormDigest.md5(bytes)
        case "SHA-1": hash = FormDigest.sha1(bytes)
        case "SHA-256": hash = FormDigest.sha256(bytes)
        case "SHA-384": hash = FormDigest.sha384(bytes)
        case "SHA-512": hash = FormDigest.sha512(bytes)
        default: throw call.problem("argument 2 is MD5, SHA-1, SHA-256, SHA-384 or SHA-512")
        }
        switch call.count == 3 ? try call.text(2) : "base64" {
        case "hex": return .text(hash.map { hexadecimal(UInt($0), digits: 2) }.joined())
        case "base64": return .text(Base64Text.encode(hash))
        default: throw call.problem("argument 3 is hex or base64")
        }
    }

    private static func hexadecimal(_ number: UInt, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Nothing for what is no base64; bytes that are no UTF-8 become �.
    @Sendable
    private static func decode(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let bytes = Base64Text.decode(try call.text(0)) ?? []
        return try call.made(String(decoding: bytes, as: UTF8.self))
    }
}

/// Base64 (RFC 4648, section 4).
enum Base64Text {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values = Dictionary(
        letters.enumerated().map { ($1, UInt32($0)) }, uniquingKeysWith: { first, _ in first })

    static func encode(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let letter = letters[Int(bits >> UInt32(18 - 6 * place) & 63)]
                out.append(place <= group.count ? letter : UInt8(ascii: "="))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// White space is passed over, padding may be missing.
    static func decode(_ text: String) -> [UInt8]? {
        var out: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 where byte > 0x20 && byte != UInt8(ascii: "=") {
            guard let value = values[byte] else { return nil }
            bits = bits << 6 | value
            count += 1
            guard count % 4 != 1 else { continue }
            // Letters 2, 3 and 4 of a group complete a byte each.
            let spare = UInt32(6 - 2 * ((count - 1) % 4))
            out.append(UInt8(truncatingIfNeeded: bits >> spare))
        }
        return count % 4 == 1 ? nil : out
    }
}
