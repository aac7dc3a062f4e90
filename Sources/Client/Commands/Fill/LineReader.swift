internal import Glibc

/// Lines from a descriptor, a byte at a time: what stands behind them on the same pipe stays for whoever
/// reads next.
struct LineReader {
    private let descriptor: Int32

    /// As many bytes as an answer may have, and a line end. What is longer is cut, and refused as too
    /// long.
    private static let longest = (64 << 10) + 2

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Without its end; nil where the input has come to its own.
    func next() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return bytes.isEmpty ? nil : Self.text(bytes) }
            guard byte != UInt8(ascii: "\n") else { return Self.text(bytes) }
            if bytes.count < Self.longest { bytes.append(byte) }
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...]
        return String(decoding: line, as: UTF8.self)
    }
}
