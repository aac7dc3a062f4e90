internal import Glibc

/// The hashes that ODK's `digest` names, for forms that were made with them. None of them keeps a
/// secret here.
enum FormDigest {
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 0x1p32) }
    private static let primes = (2...311).filter { number in
        (2..<number).allSatisfy { number % $0 != 0 }
    }
    private static let constants = primes.map { fraction(cbrt(Double($0))) }

    /// RFC 1321.
    static func md5(_ message: [UInt8]) -> [UInt8] {
        let shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for words in blocks(message, lengthIsBigEndian: false) {
            let words = words.map(\.byteSwapped)
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for step in 0..<64 {
                let round = step / 16
                let (mixed, word) =
                    switch round {
                    case 0: ((b & c) | (~b & d), step)
                    case 1: ((d & b) | (~d & c), (5 * step + 1) % 16)
                    case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                    default: (c ^ (b | ~d), 7 * step % 16)
                    }
                let sum = a &+ mixed &+ sines[step] &+ words[word]
                let shift = shifts[round * 4 + step % 4]
                (a, d, c, b) = (d, c, b, b &+ rotatedLeft(sum, shift))
            }
            add([a, b, c, d], to: &state)
        }
        return state.flatMap { bytes($0.byteSwapped) }
    }

    /// RFC 3174.
    static func sha1(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [
            0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
        ]
        for block in blocks(message, lengthIsBigEndian: true) {
            var words = block
            for index in 16..<80 {
                let mixed =
                    words[index - 3] ^ words[index - 8] ^ words[index - 14]
                    ^ words[index - 16]
                words.append(rotatedLeft(mixed, 1))
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for step in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch step / 20 {
                    case 0: ((b & c) | (~b & d), 0x5A82_7999)
                    case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 2: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let sum = rotatedLeft(a, 5) &+ mixed &+ e &+ constant &+ words[step]
                (e, d, c, b, a) = (d, c, rotatedLeft(b, 30), a, sum)
            }
            add([a, b, c, d, e], to: &state)
        }
        return state.flatMap { bytes($0) }
    }

    /// FIPS 180-4.
    static func sha256(_ message: [UInt8]) -> [UInt8] {
        var state = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
        for block in blocks(message, lengthIsBigEndian: true) {
            var words = block
            for index in 16..<64 {
                let early = words[index - 15]
                let late = words[index - 2]
                let first = rotatedRight(early, 7) ^ rotatedRight(early, 18) ^ (early >> 3)
                let second = rotatedRight(late, 17) ^ rotatedRight(late, 19) ^ (late >> 10)
                words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
            }
            var work = state
            for step in 0..<64 {
                let (a, e) = (work[0], work[4])
                let choice = (e & work[5]) ^ (~e & work[6])
                let majority = (a & work[1]) ^ (a & work[2]) ^ (work[1] & work[2])
                let first = rotatedRight(e, 6) ^ rotatedRight(e, 11) ^ rotatedRight(e, 25)
                let second = rotatedRight(a, 2) ^ rotatedRight(a, 13) ^ rotatedRight(a, 22)
                let sum = work[7] &+ first &+ choice &+ constants[step] &+ words[step]
                work.removeLast()
                work.insert(sum &+ second &+ majority, at: 0)
                work[4] &+= sum
            }
            add(work, to: &state)
        }
        return state.flatMap { bytes($0) }
    }

    /// The first 32 bits behind the point.
    private static func fraction(_ number: Double) -> UInt32 {
        UInt32((number - number.rounded(.down)) * 0x1p32)
    }

    /// The message with its padding, in blocks of 16 words, most significant byte first.
    private static func blocks(
        _ message: [UInt8], lengthIsBigEndian: Bool
    ) -> [[UInt32]] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) * 8
        for index in 0..<8 {
            let shift = UInt64(8 * (lengthIsBigEndian ? 7 - index : index))
            padded.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        return stride(from: 0, to: padded.count, by: 64).map { start in
            stride(from: start, to: start + 64, by: 4).map { at in
                padded[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
        }
    }

    private static func add(_ words: [UInt32], to state: inout [UInt32]) {
        for index in state.indices { state[index] &+= words[index] }
    }

    private static func bytes(_ word: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }

    private static func rotatedLeft(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }

    private static func rotatedRight(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }
}
