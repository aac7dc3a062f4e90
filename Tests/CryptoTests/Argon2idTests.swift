import Crypto
import Testing

@Suite("Argon2id")
struct Argon2idTests {
    private static let salt = (0..<16).map { UInt8($0) }

    // Made with OpenSSL's implementation, salt 00…0f, one lane.
    @Test(
        "agrees with another implementation",
        arguments: [
            (
                "123456", Argon2id.Cost(passes: 1, memory: 8 << 10),
                "3f1baad7e4807ebb384522bcf79fada1222b5f96f946be3ed6d483b64d14629a"
            ),
            (
                "correct horse", Argon2id.Cost(passes: 3, memory: 1 << 20),
                "2cdfc6b7d9c2f719e4f1ec7697c38e6ad4b023e6d446602ac3d0dcb2571ca5fa"
            ),
            (
                "123456", Argon2id.Cost(passes: 4, memory: 64 << 20),
                "cf808ae950369677e8cad329d8197fa1d4779f86f06f8a146691470cb91b6dd4"
            ),
        ])
    func knownAnswers(password: String, cost: Argon2id.Cost, expected: String) throws {
        let secret = SecretBytes(copying: Array(password.utf8))
        let key = try Argon2id.derive(from: secret, salt: Self.salt, cost: cost)
        #expect(Hexadecimal.encode(key.withBytes { Array($0) }) == expected)
    }

    @Test(
        "costs outside the plausible range are refused before any memory is taken",
        arguments: [
            Argon2id.Cost(passes: 0, memory: 8 << 10), .init(passes: 65, memory: 8 << 10),
            .init(passes: 1, memory: 0), .init(passes: 1, memory: -1),
            .init(passes: 1, memory: 2 << 30), .init(passes: -1, memory: .max),
        ])
    func implausible(cost: Argon2id.Cost) {
        #expect(throws: CryptoError.self) {
            try Argon2id.derive(from: SecretBytes(count: 6), salt: Self.salt, cost: cost)
        }
    }

    @Test("a salt of another size is refused")
    func saltSize() {
        let cost = Argon2id.Cost(passes: 1, memory: 8 << 10)
        #expect(throws: CryptoError.self) {
            try Argon2id.derive(from: SecretBytes(count: 6), salt: [1, 2, 3], cost: cost)
        }
    }
}
