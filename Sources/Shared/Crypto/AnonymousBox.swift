internal import CSodium

/// A box that anyone can close with a public key and only the holder of the private half can open
/// (`crypto_box_seal(3)`): what the organisation's recovery slot and its backups are made of.
package enum AnonymousBox {
    package struct KeyPair: Sendable {
        package let publicKey: [UInt8]
        package let privateKey: SecretBytes

        package init() {
            let privateKey = SecretBytes(count: Int(crypto_box_secretkeybytes()))
            var publicKey = [UInt8](repeating: 0, count: crypto_box_publickeybytes())
            privateKey.withPointer { _ = crypto_box_keypair(&publicKey, $0) }
            self.publicKey = publicKey
            self.privateKey = privateKey
        }

        /// From the stored private half; the public one follows from it.
        package init(privateKey: SecretBytes) throws(CryptoError) {
            guard privateKey.count == crypto_box_secretkeybytes() else {
                throw .unusable("size of a box key")
            }
            var publicKey = [UInt8](repeating: 0, count: crypto_box_publickeybytes())
            privateKey.withPointer { _ = crypto_scalarmult_base(&publicKey, $0) }
            self.publicKey = publicKey
            self.privateKey = privateKey
        }
    }

    package static func seal(
        _ plaintext: SecretBytes, to publicKey: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard publicKey.count == crypto_box_publickeybytes() else {
            throw .unusable("size of a box key")
        }
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + crypto_box_sealbytes())
        let status = plaintext.withPointer {
            crypto_box_seal(&ciphertext, $0, UInt64(plaintext.count), publicKey)
        }
        guard status == 0 else { throw .unusable("public key of a box") }
        return ciphertext
    }

    package static func open(
        _ ciphertext: [UInt8], with pair: KeyPair
    ) throws(CryptoError) -> SecretBytes {
        guard ciphertext.count >= crypto_box_sealbytes() else { throw .notAuthentic }
        let plaintext = SecretBytes(count: ciphertext.count - crypto_box_sealbytes())
        let status = plaintext.withPointer { text in
            pair.privateKey.withPointer { key in
                crypto_box_seal_open(
                    text, ciphertext, UInt64(ciphertext.count), pair.publicKey, key)
            }
        }
        guard status == 0 else { throw .notAuthentic }
        return plaintext
    }
}
