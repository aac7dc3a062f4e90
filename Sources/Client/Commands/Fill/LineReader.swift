internal import Glibc
internal import Vault

/// Lines from a descriptor, a byte at a time: what stands behind them on the same pipe stays for whoever
/// reads next.
final class LineReader {
    private let descriptor: Int32
    private let watch: any TypingWatch
    private let now: () throws -> BootInstant
    /// When somebody was there for certain.
    private var lastLine: BootInstant

    /// As many bytes as an answer may have, and a line end. What is longer is cut, and refused as too
    /// long.
    private static let longest = (64 << 10) + 2

    init(_ surroundings: Surroundings, _ watch: any TypingWatch) throws {
        descriptor = surroundings.input
        self.watch = watch
        now = surroundings.bootNow
        lastLine = try surroundings.bootNow()
    }

    /// Without its end; nil where the input has come to its own.
    /// - Throws: `TypingEnd` where something else came first.
    func next() throws -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            try waitForMore(behind: bytes)
            let count = read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return bytes.isEmpty ? nil : Self.text(bytes) }
            guard byte != UInt8(ascii: "\n") else { break }
            if bytes.count < Self.longest { bytes.append(byte) }
        }
        lastLine = try now()
        return Self.text(bytes)
    }

    /// Returns when there is something to read.
    private func waitForMore(behind bytes: [UInt8]) throws {
        while true {
            // Within a line the time begins anew with each byte: they come by keys on a terminal that does
            // not collect them, and the clock costs more than all the rest.
            let left = bytes.isEmpty ? try remaining() : TypingEnd.delay
            guard left > 0 else { throw end(by: .idle, bytes) }
            switch try watch.wait(for: descriptor, atMost: left) {
            case .input: return
            case .time:
                if !bytes.isEmpty { throw end(by: .idle, bytes) }
            case .signal(let number):
                throw end(by: number == LockSignal.number ? .told : .signal(number), bytes)
            }
        }
    }

    private func remaining() throws -> Int64 {
        TypingEnd.delay - (try now().elapsed(since: lastLine))
    }

    private func end(by reason: TypingEnd.Reason, _ bytes: [UInt8]) -> TypingEnd {
        let half = Self.text(bytes + HalfLine.taken(from: descriptor))
        return TypingEnd(reason: reason, half: half)
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...]
        return String(decoding: line, as: UTF8.self)
    }
}
