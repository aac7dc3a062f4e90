import Crypto
import Testing

@Suite("Hashes")
struct HashTests {
    // FIPS 180-2, appendix B.
    @Test(
        "SHA-256 of the standard's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(message: String, expected: String) {
        #expect(Hexadecimal.encode(SHA256.hash(Array(message.utf8))) == expected)
    }

    @Test("SHA-256 in pieces equals SHA-256 of the whole, at every cut")
    func sha256InPieces() {
        let message = (0..<130).map { UInt8($0) }
        for cut in 0...message.count {
            var hasher = SHA256()
            hasher.update(Array(message[..<cut]))
            hasher.update(Array(message[cut...]))
            #expect(hasher.finalize() == SHA256.hash(message), "cut at \(cut)")
        }
    }

    @Test("a hasher may be asked twice and go on")
    func sha256Midway() {
        var hasher = SHA256()
        hasher.update(Array("ab".utf8))
        #expect(hasher.finalize() == SHA256.hash(Array("ab".utf8)))
        hasher.update(Array("c".utf8))
        #expect(hasher.finalize() == SHA256.hash(Array("abc".utf8)))
    }

    // RFC 7693, appendix A, and the keyed vectors that come with BLAKE2 (key 00…3f, input 00 01 02).
    @Test("BLAKE2b of the published examples")
    func blake2b() throws {
        let plain = try BLAKE2b.hash(Array("abc".utf8), count: 64)
        #expect(
            Hexadecimal.encode(plain)
                == "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
        let key = (0..<64).map { UInt8($0) }
        let keyed = try BLAKE2b.hash([0, 1, 2], key: key, count: 64)
        #expect(
            Hexadecimal.encode(keyed)
                == "33d0825dddf7ada99b0e7e307104ad07ca9cfd9692214f1561356315e784f3e5"
                + "a17e364ae9dbb14cb2036df932b77f4b292761365fb328de7afdc6d8998f5fc1")
    }

    @Test("a derived key equals the keyed hash, and another purpose gives another key")
    func derive() throws {
        let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        let purpose = Array("purpose".utf8)
        let derived = try BLAKE2b.derive(from: key, purpose: purpose)
        let hash = try BLAKE2b.hash(purpose, key: [UInt8](repeating: 7, count: 32))
        #expect(derived.withBytes { Array($0) } == hash)
        #expect(try BLAKE2b.derive(from: key, purpose: Array("other".utf8)) != derived)
    }

    @Test("sizes that BLAKE2b does not take are refused")
    func blake2bSizes() {
        #expect(throws: CryptoError.self) { try BLAKE2b.hash([], count: 65) }
        #expect(throws: CryptoError.self) { try BLAKE2b.hash([], count: 0) }
        #expect(throws: CryptoError.self) {
            try BLAKE2b.hash([], key: [UInt8](repeating: 0, count: 65))
        }
    }
}
