internal import CSodium

/// The password hash that makes a key from a PIN (RFC 9106, `crypto_pwhash(3)`), one lane.
package enum Argon2id {
    package static let saltByteCount = 16

    /// What a guess costs. Stored beside the salt, so that it can be raised later.
    package struct Cost: Equatable, Sendable {
        /// Passes over the memory (t).
        package var passes: Int
        /// Bytes of memory (m); the algorithm works in blocks of 1024.
        package var memory: Int

        package init(passes: Int, memory: Int) {
            self.passes = passes
            self.memory = memory
        }

        /// Without a TPM: about a second on a handheld.
        package static let withoutTPM = Cost(passes: 4, memory: 256 << 20)

        /// The bounds within which a cost that was read from a file is believed: a damaged
        /// parameter must neither exhaust the memory nor run for an hour.
        package var isPlausible: Bool {
            (1...64).contains(passes) && (8 << 10...1 << 30).contains(memory)
        }
    }

    package static func derive(
        from password: SecretBytes, salt: [UInt8], cost: Cost, count: Int = 32
    ) throws(CryptoError) -> SecretBytes {
        guard salt.count == saltByteCount, cost.isPlausible else {
            throw .unusable("salt or cost of Argon2id")
        }
        let key = SecretBytes(count: count)
        let status = key.withPointer { output in
            password.withPointer { passwordBytes in
                crypto_pwhash(
                    output, UInt64(count),
                    UnsafeRawPointer(passwordBytes).assumingMemoryBound(to: CChar.self),
                    UInt64(password.count), salt, UInt64(cost.passes), cost.memory,
                    crypto_pwhash_alg_argon2id13())
            }
        }
        guard status == 0 else { throw .outOfMemory }
        return key
    }
}
