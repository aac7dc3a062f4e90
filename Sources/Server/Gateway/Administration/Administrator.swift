import Arguments
import Coding
import Crypto

/// The first person of the portal. The password is shown once; the folder keeps what proves it.
enum Administrator {
    /// A password of 20 digits of base32: 100 random bits.
    static func newPassword() -> String {
        let digits = Array(Base32.encode(Crypto.random(13)).lowercased().prefix(20))
        return stride(from: 0, to: 20, by: 5).map { String(digits[$0..<$0 + 5]) }
            .joined(separator: "-")
    }

    static func write(
        name: String, password: String, to folder: DataFolder, cost: Argon2id.Cost
    ) throws {
        let salt = Crypto.random(Argon2id.saltByteCount)
        var bytes = Array(password.utf8)
        let hash = try Argon2id.derive(
            from: SecretBytes(moving: &bytes), salt: salt, cost: cost, count: 32)
        let document: JSON = [
            "name": .string(name), "salt": .string(Hexadecimal.encode(salt)),
            "passes": .integer(Int64(cost.passes)), "memory": .integer(Int64(cost.memory)),
            "hash": .string(hash.withBytes { Hexadecimal.encode($0) }),
        ]
        try SmallFile.create(folder.administrator, document.text() + "\n")
    }

    /// - Returns: nil where the file is gone or damaged; decisions are then signed `admin`.
    static func name(in folder: DataFolder) -> String? {
        guard let bytes = try? SmallFile.read(folder.administrator) else { return nil }
        return try? JSON.parse(bytes).string("name")
    }
}
