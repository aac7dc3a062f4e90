import Crypto
import Glibc
import TestSupport
import Testing
import Vault

@Suite("From PIN to key")
struct UnlockTests {
    @Test("the right PIN gives the same key each time")
    func right() throws {
        let device = try EnrolledHome()
        let key = try device.unlock()
        #expect(key.count == 32)
        #expect(try device.unlock() == key)
    }

    @Test("two homes with the same PIN have different keys")
    func keysDiffer() throws {
        #expect(try EnrolledHome().unlock() != EnrolledHome().unlock())
    }

    @Test("a wrong PIN is told from damage, and counted")
    func wrong() throws {
        let device = try EnrolledHome()
        #expect(throws: VaultError.wrongPIN(tries: 1, wait: 1)) { try device.unlock("000000") }
    }

    @Test("waiting grows 1, 2, 4 … 300 seconds, and the right PIN has to wait too")
    func growingDelay() throws {
        let device = try EnrolledHome()
        let expected = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
        for (index, wait) in expected.enumerated() {
            #expect(throws: VaultError.wrongPIN(tries: index + 1, wait: wait)) {
                try device.unlock("000000")
            }
            #expect(throws: VaultError.delayed(seconds: wait)) { try device.unlock() }
            device.boot.advance(seconds: Int64(wait) - 1)
            #expect(throws: VaultError.delayed(seconds: 1)) { try device.unlock() }
            device.boot.advance(seconds: 1)
        }
        _ = try device.unlock()
        #expect(throws: VaultError.wrongPIN(tries: 1, wait: 1)) { try device.unlock("000000") }
    }

    @Test("after a restart only the time since then counts")
    func restart() throws {
        let device = try EnrolledHome()
        for wait in [1, 2, 4, 8, 16, 32] {
            #expect(throws: VaultError.self) { try device.unlock("000000") }
            device.boot.advance(seconds: Int64(wait))
        }
        #expect(throws: VaultError.wrongPIN(tries: 7, wait: 64)) { try device.unlock("000000") }
        device.boot.restart(uptimeSeconds: 10)
        #expect(throws: VaultError.delayed(seconds: 54)) { try device.unlock() }
        device.boot.advance(seconds: 54)
        _ = try device.unlock()
    }

    @Test("a boot clock that went back counts from its start, and never shortens the wait")
    func clockBack() throws {
        let device = try EnrolledHome()
        for wait in [1, 2, 4, 8] {
            #expect(throws: VaultError.self) { try device.unlock("000000") }
            device.boot.advance(seconds: Int64(wait))
        }
        #expect(throws: VaultError.wrongPIN(tries: 5, wait: 16)) { try device.unlock("000000") }
        device.boot.restart(uptimeSeconds: 3, name: "first")
        #expect(throws: VaultError.delayed(seconds: 13)) { try device.unlock() }
    }

    @Test("another PIN opens the same key, and the old one no longer does")
    func changePIN() throws {
        let device = try EnrolledHome()
        let key = try device.unlock()
        let database = Array("not touched".utf8)
        try device.write(database, to: device.home.database)
        try SealedVault.load(device.home).changePIN(
            of: key, to: SecretBytes(text: "a longer passphrase"), cost: .cheap,
            lease: HomeLease.acquire(device.home))
        #expect(try device.unlock("a longer passphrase") == key)
        #expect(throws: VaultError.wrongPIN(tries: 1, wait: 1)) { try device.unlock() }
        #expect(try device.content(of: device.home.database) == database)
    }

    @Test("the slot of the old PIN is overwritten, not only replaced")
    func oldSlot() throws {
        let device = try EnrolledHome()
        let key = try device.unlock()
        let old = device.folder.path + "/old"
        #expect(link(device.home.vault, old) == 0)
        let size = try device.content(of: old).count
        let isErased = try SealedVault.load(device.home).changePIN(
            of: key, to: SecretBytes(text: "a longer passphrase"), cost: .cheap,
            lease: HomeLease.acquire(device.home))
        #expect(isErased)
        #expect(try device.content(of: old) == [UInt8](repeating: 0, count: size))
        #expect(try device.unlock("a longer passphrase") == key)
    }

    @Test("no file of the home contains the key or the PIN")
    func nothingInClear() throws {
        let device = try EnrolledHome()
        let key = try device.unlock().withBytes { Array($0) }
        for path in [device.home.vault, device.home.directory + "/tries"] {
            let content = try device.content(of: path)
            #expect(!content.isEmpty)
            for needle in [key, Array("246810".utf8), Array(Base64.encode(key).utf8)] {
                #expect(!content.contains(needle), "\(path)")
            }
        }
    }
}
