internal import CSodium
internal import Synchronization

/// Bytes that must not outlive their use: a PIN, a key. They stand in their own guarded pages
/// (`sodium_malloc(3)`: guard pages, canary, kept out of core dumps, locked against swapping where
/// the limit allows) and are erased when the last reference goes, or at once by `erase()`.
///
/// The content is never a `String`, `Data` or `[UInt8]`: those are copied on growth and stay on
/// the heap. Sendable because the mutex guards the only pointer: an `erase` on one thread waits
/// for a reader on another.
package final class SecretBytes: Sendable {
    private struct Block: @unchecked Sendable {
        // Reached only through the mutex below.
        var address: UnsafeMutableRawPointer
        var isErased = false
    }

    package let count: Int
    /// Whether the kernel agreed to keep these pages out of swap (`RLIMIT_MEMLOCK`).
    package let isLockedInMemory: Bool
    private let block: Mutex<Block>

    /// `count` zero bytes.
    package init(count: Int) {
        _ = Sodium.ready
        guard let address = sodium_malloc(count) else {
            preconditionFailure("no memory for \(count) secret bytes")
        }
        // sodium_malloc locks too, but keeps the answer to itself. Locks do not nest, so asking
        // again costs nothing and the one sodium_free undoes both.
        isLockedInMemory = count == 0 || sodium_mlock(address, count) == 0
        sodium_memzero(address, count)
        self.count = count
        block = Mutex(Block(address: address))
    }

    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count)
        withMutableBytes { $0.copyMemory(from: bytes) }
    }

    /// Takes over bytes that had to arrive in an array, and wipes the array.
    package convenience init(moving bytes: inout [UInt8]) {
        self.init(count: bytes.count)
        withMutableBytes { own in bytes.withUnsafeBytes { own.copyMemory(from: $0) } }
        wipe(&bytes)
    }

    package static func random(count: Int) -> SecretBytes {
        let secret = SecretBytes(count: count)
        secret.withPointer { randombytes_buf($0, count) }
        return secret
    }

    deinit {
        // sodium_free overwrites the pages before it unmaps them.
        block.withLock { sodium_free($0.address) }
    }

    /// Lends the bytes to `body`; the pointer is dead afterwards. Using an erased secret is a
    /// programmer's error: going on would encrypt under a key of zeros.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withMutableBytes { (bytes) throws(Failure) in
            try body(UnsafeRawBufferPointer(bytes))
        }
    }

    package func withMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Handed out through a variable: withLock wants a result that it may send elsewhere.
        var result: Result?
        try block.withLock { (block) throws(Failure) in
            precondition(!block.isErased, "a secret is used after it was erased")
            result = try body(.init(start: block.address, count: count))
        }
        guard let result else { preconditionFailure("the body has run or thrown") }
        return result
    }

    /// The bytes as libsodium's functions take them: never null, also when there are none.
    func withPointer<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        withMutableBytes { bytes in
            guard let address = bytes.baseAddress else { preconditionFailure("always allocated") }
            return body(address.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Overwrites the bytes now. May be called twice.
    package func erase() {
        block.withLock { block in
            sodium_memzero(block.address, count)
            block.isErased = true
        }
    }

    package var isErased: Bool { block.withLock { $0.isErased } }
}

extension SecretBytes: Equatable {
    /// Takes a time that depends on the lengths only. Locks in the order of addresses, so that two
    /// threads comparing the same pair do not wait for each other.
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left !== right else { return true }
        guard left.count == right.count else { return false }
        let leftFirst = ObjectIdentifier(left) < ObjectIdentifier(right)
        let (first, second) = leftFirst ? (left, right) : (right, left)
        return first.withPointer { one in
            second.withPointer { sodium_memcmp(one, $0, left.count) == 0 }
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    package var description: String { "SecretBytes(\(count))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
