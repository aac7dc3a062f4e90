internal import CSodium

/// Signatures (RFC 8032, `crypto_sign(3)`): the device's identity, receipts, wipe orders.
package enum Ed25519 {
    package static let seedByteCount = 32
    package static let publicKeyByteCount = 32
    package static let signatureByteCount = 64

    package struct PrivateKey: Sendable {
        package let publicKey: [UInt8]
        /// Seed and public key, as libsodium wants them.
        private let expanded: SecretBytes

        package init() {
            self.init(checkedSeed: .random(count: seedByteCount))
        }

        package init(seed: SecretBytes) throws(CryptoError) {
            guard seed.count == seedByteCount else { throw .unusable("size of an Ed25519 seed") }
            self.init(checkedSeed: seed)
        }

        private init(checkedSeed seed: SecretBytes) {
            let expanded = SecretBytes(count: crypto_sign_secretkeybytes())
            var publicKey = [UInt8](repeating: 0, count: publicKeyByteCount)
            expanded.withPointer { key in
                seed.withPointer { _ = crypto_sign_seed_keypair(&publicKey, key, $0) }
            }
            self.publicKey = publicKey
            self.expanded = expanded
        }

        /// The first half of the expanded key: what is stored.
        package var seed: SecretBytes {
            expanded.withBytes { SecretBytes(copying: .init(rebasing: $0.prefix(seedByteCount))) }
        }

        package func sign(_ message: [UInt8]) -> [UInt8] {
            var signature = [UInt8](repeating: 0, count: signatureByteCount)
            expanded.withPointer { key in
                _ = crypto_sign_detached(&signature, nil, message, UInt64(message.count), key)
            }
            return signature
        }
    }

    /// False also for a signature or key of the wrong size: they come from the wire.
    package static func verify(
        _ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) -> Bool {
        _ = Sodium.ready
        guard signature.count == signatureByteCount, publicKey.count == publicKeyByteCount else {
            return false
        }
        return crypto_sign_verify_detached(
            signature, message, UInt64(message.count), publicKey) == 0
    }
}
