import Crypto
import Glibc
import Synchronization
import TestSupport
import Testing
import Vault

extension Argon2id.Cost {
    /// The least that libsodium takes: tests are about the rules, not about the price.
    static let cheap = Argon2id.Cost(passes: 1, memory: 8 << 10)
}

extension SecretBytes {
    convenience init(text: String) {
        var bytes = Array(text.utf8)
        self.init(moving: &bytes)
    }
}

/// What these tests do with a vault whose key is known to be its home's.
extension SealedVault {
    private func opened(_ key: SecretBytes) -> OpenedVault {
        OpenedVault(self, key: key, fit: .opens)
    }

    @discardableResult
    func changePIN(
        of key: SecretBytes, to pin: SecretBytes, cost: Argon2id.Cost, lease: HomeLease
    ) throws -> Bool {
        try opened(key).changePIN(to: pin, cost: cost, lease: lease)
    }

    @discardableResult
    func rebind(
        _ key: SecretBytes, to deviceId: String, pin: SecretBytes, lease: HomeLease
    ) throws -> Bool {
        try opened(key).rebind(to: deviceId, pin: pin, lease: lease)
    }

    func keepTwice(lease: HomeLease) -> Bool {
        opened(SecretBytes(text: "")).keepTwice(lease: lease)
    }
}

/// A boot clock that a test moves and restarts.
final class FakeBoot: Sendable {
    private let instant = Mutex(BootInstant(boot: Array("first".utf8), milliseconds: 1_000_000))

    func advance(seconds: Int64) {
        instant.withLock { $0.milliseconds += seconds * 1000 }
    }

    func restart(uptimeSeconds: Int64, name: String = "second") {
        instant.withLock {
            $0 = BootInstant(boot: Array(name.utf8), milliseconds: uptimeSeconds * 1000)
        }
    }

    var now: @Sendable () throws(VaultError) -> BootInstant {
        { () throws(VaultError) in self.instant.withLock { $0 } }
    }
}

/// A home in a folder of its own, enrolled with a PIN unless told otherwise.
struct EnrolledHome {
    static let deviceId = "0f5cc0a1-7f5e-4b0a-9d7c-2f3f5a1c9b11"
    let folder: TemporaryFolder
    let home: Home
    let boot = FakeBoot()
    let pin = SecretBytes(text: "246810")

    init(enrolled: Bool = true) throws {
        folder = try TemporaryFolder("vault")
        home = Home(folder.path + "/home")
        guard enrolled else { return }
        try NewVault.begin(
            lease: HomeLease.acquire(home), deviceId: Self.deviceId, pin: pin, cost: .cheap
        ).commit()
    }

    /// As a device enrolled it that knew of no copy, or whose disk had no room for it.
    func removeCopy() throws {
        #expect(unlink(home.vaultCopy) == 0)
    }

    func unlock(_ text: String = "246810") throws -> SecretBytes {
        try SealedVault.load(home).unlock(SecretBytes(text: text), now: boot.now)
    }

    func content(of path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}

func mode(of path: String) -> mode_t {
    var status = stat()
    stat(path, &status)
    return status.st_mode & 0o777
}
