import Crypto
import Testing

@Suite("Boxes")
struct BoxTests {
    private let key = SecretBytes.random(count: 32)
    private let text = SecretBytes(copying: Array("a data key".utf8))

    // draft-irtf-cfrg-xchacha-03, A.3.1.
    @Test("XChaCha20-Poly1305 opens the draft's example")
    func knownAnswer() throws {
        let key = SecretBytes(copying: (0x80...0x9F).map { UInt8($0) })
        let box = try SealedBox(
            nonce: (0x40...0x57).map { UInt8($0) },
            ciphertext: Hexadecimal.decode(
                "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"
                    + "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"
                    + "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
                    + "21f9664c97637da9768812f615c68b13b52e"
                    + "c0875924c1c7987947deafd8780acf49"))
        let aad = try Hexadecimal.decode("50515253c0c1c2c3c4c5c6c7")
        let opened = try box.open(key: key, associatedData: aad)
        let expected =
            "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the"
            + " future, sunscreen would be it."
        #expect(opened.withBytes { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test("what was sealed opens with the same key and associated data")
    func roundTrip() throws {
        let box = try SealedBox.seal(text, key: key, associatedData: [1])
        #expect(try box.open(key: key, associatedData: [1]) == text)
        #expect(box.ciphertext.count == text.count + SealedBox.tagByteCount)
    }

    @Test("bytes of ordinary memory are sealed and opened in the same way")
    func bytes() throws {
        let bytes = Array("an answer".utf8)
        let box = try SealedBox.seal(bytes: bytes, key: key, associatedData: [1])
        #expect(try box.openBytes(key: key, associatedData: [1]) == bytes)
        #expect(
            try box.open(key: key, associatedData: [1]) == secret(bytes))
        #expect(throws: CryptoError.notAuthentic) {
            try box.openBytes(key: key, associatedData: [2])
        }
        let empty = try SealedBox.seal(bytes: [], key: key, associatedData: [])
        #expect(try empty.openBytes(key: key, associatedData: []) == [])
        #expect(throws: CryptoError.self) {
            try SealedBox.seal(bytes: bytes, key: SecretBytes(count: 31), associatedData: [])
        }
    }

    private func secret(_ bytes: [UInt8]) -> SecretBytes {
        var bytes = bytes
        return SecretBytes(moving: &bytes)
    }

    @Test("two boxes of the same text differ")
    func nonces() throws {
        let one = try SealedBox.seal(text, key: key, associatedData: [])
        #expect(try SealedBox.seal(text, key: key, associatedData: []) != one)
    }

    @Test("each flipped bit, another key and other associated data are noticed")
    func forgeries() throws {
        let box = try SealedBox.seal(text, key: key, associatedData: [1])
        for index in box.ciphertext.indices {
            var changed = box.ciphertext
            changed[index] ^= 1 << UInt8(index % 8)
            let forged = try SealedBox(nonce: box.nonce, ciphertext: changed)
            #expect(throws: CryptoError.notAuthentic, "byte \(index)") {
                try forged.open(key: key, associatedData: [1])
            }
        }
        #expect(throws: CryptoError.notAuthentic) { try box.open(key: key, associatedData: [2]) }
        #expect(throws: CryptoError.notAuthentic) {
            try box.open(key: SecretBytes.random(count: 32), associatedData: [1])
        }
    }

    @Test("sizes that cannot be are refused")
    func sizes() throws {
        #expect(throws: CryptoError.self) {
            try SealedBox(nonce: [1], ciphertext: [UInt8](repeating: 0, count: 16))
        }
        #expect(throws: CryptoError.self) {
            try SealedBox(nonce: [UInt8](repeating: 0, count: 24), ciphertext: [1])
        }
        #expect(throws: CryptoError.self) {
            try SealedBox.seal(text, key: SecretBytes(count: 31), associatedData: [])
        }
    }

    @Test("an anonymous box opens with the private half only")
    func anonymous() throws {
        let pair = AnonymousBox.KeyPair()
        let closed = try AnonymousBox.seal(text, to: pair.publicKey)
        #expect(try AnonymousBox.open(closed, with: pair) == text)
        let restored = try AnonymousBox.KeyPair(privateKey: pair.privateKey)
        #expect(restored.publicKey == pair.publicKey)
        #expect(throws: CryptoError.notAuthentic) {
            try AnonymousBox.open(closed, with: AnonymousBox.KeyPair())
        }
        #expect(throws: CryptoError.notAuthentic) { try AnonymousBox.open([1, 2], with: pair) }
        #expect(throws: CryptoError.self) { try AnonymousBox.seal(text, to: [1, 2]) }
    }
}

@Suite("Signatures")
struct SignatureTests {
    // RFC 8032, section 7.1, tests 1 and 2.
    @Test(
        "Ed25519 signs the standard's examples",
        arguments: [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", [UInt8](),
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bac"
                    + "c61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", [0x72],
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e"
                    + "458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ),
        ])
    func knownAnswers(seed: String, publicKey: String, message: [UInt8], expected: String) throws {
        let secret = SecretBytes(copying: try Hexadecimal.decode(seed))
        let key = try Ed25519.PrivateKey(seed: secret)
        #expect(Hexadecimal.encode(key.publicKey) == publicKey)
        #expect(key.seed == secret)
        let signature = key.sign(message)
        #expect(Hexadecimal.encode(signature) == expected)
        #expect(Ed25519.verify(signature, of: message, by: key.publicKey))
    }

    @Test("a changed message, signature or key does not verify, nor one of the wrong size")
    func forgeries() {
        let key = Ed25519.PrivateKey()
        let signature = key.sign([1, 2, 3])
        #expect(!Ed25519.verify(signature, of: [1, 2, 4], by: key.publicKey))
        #expect(!Ed25519.verify(signature, of: [1, 2, 3], by: Ed25519.PrivateKey().publicKey))
        #expect(!Ed25519.verify([], of: [1, 2, 3], by: key.publicKey))
        #expect(!Ed25519.verify(signature, of: [1, 2, 3], by: []))
    }
}
