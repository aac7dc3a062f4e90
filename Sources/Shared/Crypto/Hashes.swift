internal import CSodium

/// SHA-256, whole or piece by piece (`crypto_hash_sha256(3)`).
package struct SHA256 {
    package static let byteCount = 32

    private var state = crypto_hash_sha256_state()

    package init() {
        crypto_hash_sha256_init(&state)
    }

    package mutating func update(_ bytes: [UInt8]) {
        crypto_hash_sha256_update(&state, bytes, UInt64(bytes.count))
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        crypto_hash_sha256_update(
            &state, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    }

    /// The hash of all that was given so far. The value stays usable: a copy is finished.
    package func finalize() -> [UInt8] {
        var finishing = state
        var hash = [UInt8](repeating: 0, count: Self.byteCount)
        crypto_hash_sha256_final(&finishing, &hash)
        return hash
    }

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(bytes)
        return hasher.finalize()
    }

    package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(bytes)
        return hasher.finalize()
    }
}

/// BLAKE2b with an optional key (`crypto_generichash(3)`): libsodium 1.0.18 has no HKDF, and keyed
/// BLAKE2b is a pseudorandom function by itself.
package enum BLAKE2b {
    /// 16 to 64 bytes of hash; the key has 0 or 16 to 64 bytes.
    package static func hash(
        _ message: [UInt8], key: [UInt8] = [], count: Int = 32
    ) throws(CryptoError) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: count)
        let status = crypto_generichash(
            &hash, count, message, UInt64(message.count), key.isEmpty ? nil : key, key.count)
        guard status == 0 else { throw .unusable("size of a BLAKE2b hash or key") }
        return hash
    }

    /// A key made from a key: one secret, told apart by `purpose`.
    package static func derive(
        from key: SecretBytes, purpose: [UInt8], count: Int = 32
    ) throws(CryptoError) -> SecretBytes {
        let derived = SecretBytes(count: count)
        let status = derived.withPointer { output in
            key.withPointer { keyBytes in
                crypto_generichash(
                    output, count, purpose, UInt64(purpose.count), keyBytes, key.count)
            }
        }
        guard status == 0 else { throw .unusable("size of a BLAKE2b key") }
        return derived
    }
}
