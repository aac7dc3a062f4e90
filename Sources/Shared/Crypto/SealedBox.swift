internal import CSodium

/// Bytes that only the holder of the key can read and nobody else can have written:
/// XChaCha20-Poly1305 (`crypto_aead_xchacha20poly1305_ietf(3)`). The nonce is random; 24 bytes are
/// enough that two never meet.
package struct SealedBox: Equatable, Sendable {
    package static let keyByteCount = 32
    package static let nonceByteCount = 24
    package static let tagByteCount = 16

    package let nonce: [UInt8]
    /// As long as the plaintext, and the tag.
    package let ciphertext: [UInt8]

    /// For bytes that come from a file or the wire.
    package init(nonce: [UInt8], ciphertext: [UInt8]) throws(CryptoError) {
        guard nonce.count == Self.nonceByteCount, ciphertext.count >= Self.tagByteCount else {
            throw .unusable("size of a sealed box")
        }
        self.nonce = nonce
        self.ciphertext = ciphertext
    }

    /// - Parameter associatedData: not hidden, but must be the same when the box is opened.
    package static func seal(
        _ plaintext: SecretBytes, key: SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        guard key.count == keyByteCount else { throw .unusable("size of a sealed box's key") }
        let nonce = Crypto.random(nonceByteCount)
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + tagByteCount)
        plaintext.withPointer { text in
            key.withPointer { key in
                // Always 0; the length is that of the text and the tag.
                _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                    &ciphertext, nil, text, UInt64(plaintext.count), associatedData,
                    UInt64(associatedData.count), nil, nonce, key)
            }
        }
        return try SealedBox(nonce: nonce, ciphertext: ciphertext)
    }

    /// Throws `notAuthentic` for another key, other associated data, or changed bytes.
    package func open(
        key: SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        guard key.count == Self.keyByteCount else { throw .unusable("size of a sealed box's key") }
        let plaintext = SecretBytes(count: ciphertext.count - Self.tagByteCount)
        let status = plaintext.withPointer { text in
            key.withPointer { key in
                crypto_aead_xchacha20poly1305_ietf_decrypt(
                    text, nil, nil, ciphertext, UInt64(ciphertext.count), associatedData,
                    UInt64(associatedData.count), nonce, key)
            }
        }
        guard status == 0 else { throw .notAuthentic }
        return plaintext
    }
}

extension SealedBox {
    /// For content that stands in ordinary memory anyway, such as answers on their way to a file: a
    /// guarded page for each would cost more than the sealing.
    package static func seal(
        bytes: [UInt8], key: SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        guard key.count == keyByteCount else { throw .unusable("size of a sealed box's key") }
        let nonce = Crypto.random(nonceByteCount)
        var ciphertext = [UInt8](repeating: 0, count: bytes.count + tagByteCount)
        key.withPointer { key in
            // Always 0; the length is that of the text and the tag.
            _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                &ciphertext, nil, bytes, UInt64(bytes.count), associatedData,
                UInt64(associatedData.count), nil, nonce, key)
        }
        return try SealedBox(nonce: nonce, ciphertext: ciphertext)
    }

    /// What `seal(bytes:key:associatedData:)` was given. Throws as `open` does.
    package func openBytes(
        key: SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard key.count == Self.keyByteCount else { throw .unusable("size of a sealed box's key") }
        var bytes = [UInt8](repeating: 0, count: ciphertext.count - Self.tagByteCount)
        let status = key.withPointer { key in
            crypto_aead_xchacha20poly1305_ietf_decrypt(
                &bytes, nil, nil, ciphertext, UInt64(ciphertext.count), associatedData,
                UInt64(associatedData.count), nonce, key)
        }
        guard status == 0 else { throw .notAuthentic }
        return bytes
    }
}
