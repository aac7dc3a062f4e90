/// UUIDs (RFC 9562) as lower-case text.
package enum UUIDText {
    /// The namespace of ids that Walkdown derives from other people's.
    package static let walkdown = "6f9d3a51-0c42-5e0e-9b7a-2f64c1d08e13"

    /// Version 4 from 16 random bytes.
    ///
    /// - Precondition: 16 bytes.
    package static func version4(random: [UInt8]) -> String {
        precondition(random.count == 16, "a UUID has 16 bytes")
        return text(random, version: 4)
    }

    package static func version4(using random: inout some RandomNumberGenerator) -> String {
        version4(random: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// Version 5: the same namespace and name give the same id on every machine.
    ///
    /// - Parameter namespace: a UUID; its digits are taken, whatever else it contains is not.
    package static func version5(namespace: String, name: String) -> String {
        let digits = namespace.utf8.compactMap(hexValue)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { index in
            digits[index] << 4 | digits[index + 1]
        }
        return text(Array(SHA1.hash(bytes + Array(name.utf8)).prefix(16)), version: 5)
    }

    /// The id of what an outside system calls `parts`, as in ("site", "S-01"): a second import
    /// meets the same record. Each part carries its length, so that no two lists give one name.
    package static func derived(_ kind: String, _ parts: String...) -> String {
        let name = ([kind] + parts).map { "\($0.utf8.count):\($0)" }.joined()
        return version5(namespace: walkdown, name: name)
    }

    /// Whether the text has the form of a UUID in lower case.
    package static func isWellFormed(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            [8, 13, 18, 23].contains(index)
                ? byte == UInt8(ascii: "-")
                : (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        }
    }

    private static func text(_ bytes: [UInt8], version: UInt8) -> String {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x61 + 10
        case 0x41...0x46: byte - 0x41 + 10
        default: nil
        }
    }
}

/// SHA-1 (RFC 3174), which version 5 UUIDs are defined by and libsodium does not offer. Protects
/// nothing here.
enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) * 8
        padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
        for start in stride(from: 0, to: padded.count, by: 64) {
            compress(padded[start..<start + 64], into: &state)
        }
        return state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
        }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<80 {
            let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.append(rotate(mixed, 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for (index, word) in words.enumerated() {
            let (mix, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotate(a, 5) &+ mix &+ e &+ constant &+ word
            (a, b, c, d, e) = (next, a, rotate(b, 30), c, d)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] = state[index] &+ word }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
