internal import CSodium

/// libsodium must be initialised once per process before any other call (`sodium_init(3)`), and it
/// may be asked from any thread. Each entry of this module that needs it touches `Sodium.ready`.
enum Sodium {
    static let ready: Void = {
        // 0: done now, 1: was done before, -1: no randomness or no memory; nothing secret can be
        // made by such a process.
        precondition(sodium_init() >= 0, "libsodium could not be initialised")
    }()
}

/// What goes wrong in this module. Never contains a key, a PIN or plaintext.
package enum CryptoError: Error, Equatable {
    /// The tag does not fit: wrong key, wrong associated data, or the bytes were changed.
    case notAuthentic
    /// Argon2id was refused its memory.
    case outOfMemory
    /// A key, nonce, salt or parameter has a size or a value that the algorithm does not take.
    case unusable(String)
    /// Text that is not hexadecimal, base64 or base32.
    case malformedText(String)
}

/// `count` bytes from the kernel's generator (`randombytes_buf(3)`).
package func random(_ count: Int) -> [UInt8] {
    _ = Sodium.ready
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        // Only a buffer without room has no address.
        if let address = buffer.baseAddress { randombytes_buf(address, count) }
        initialized = count
    }
}

/// Compares in a time that depends on the lengths only.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
}

/// Overwrites an array before it is let go. Only for bytes that had to be in an array: the array
/// must be uniquely held, a copy made earlier keeps its content.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { buffer in
        if let address = buffer.baseAddress { sodium_memzero(address, buffer.count) }
    }
    bytes.removeAll()
}
