import Crypto

/// The PIN while it is typed: in locked memory, never in a String, never in the state.
struct PINPad: ~Copyable {
    /// Bytes of the longest PIN.
    static let capacity = 128
    /// Bytes of the shortest: fewer are no try at all, which would delay the next one.
    private static let shortest = 6

    private let bytes = SecretBytes(count: capacity)
    private var count = 0
    /// Bytes of each typed scalar, for backspace.
    private var lengths: [Int] = []

    mutating func type(_ scalar: Unicode.Scalar) {
        let length = UTF8.width(scalar)
        guard count + length <= Self.capacity, let encoded = UTF8.encode(scalar) else { return }
        bytes.withMutableBytes { buffer in
            for (offset, byte) in encoded.enumerated() { buffer[count + offset] = byte }
        }
        count += length
        lengths.append(length)
    }

    mutating func backspace() {
        guard let length = lengths.popLast() else { return }
        bytes.withMutableBytes { buffer in
            for index in count - length..<count { buffer[index] = 0 }
        }
        count -= length
    }

    mutating func clear() {
        bytes.withMutableBytes { buffer in
            for index in buffer.indices { buffer[index] = 0 }
        }
        count = 0
        lengths = []
    }

    /// What was typed, in memory of its own; the pad is empty afterwards.
    mutating func take() -> SecretBytes {
        let pin = SecretBytes(count: count)
        pin.withMutableBytes { target in
            bytes.withBytes { source in
                for index in 0..<count { target[index] = source[index] }
            }
        }
        clear()
        return pin
    }

    var isEmpty: Bool { count == 0 }
    var isLongEnough: Bool { count >= Self.shortest }
}
