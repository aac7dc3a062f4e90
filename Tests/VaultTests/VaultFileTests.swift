import Crypto
import Glibc
import TestSupport
import Testing
import Vault

@Suite("vault.json and its neighbours")
struct VaultFileTests {
    @Test("files of a home are closed to other people, whatever the umask")
    func modes() throws {
        let before = umask(0)
        defer { umask(before) }
        let device = try EnrolledHome()
        #expect(mode(of: device.home.directory) == 0o700)
        for path in [
            device.home.vault, device.home.vaultCopy, device.home.lock,
            device.home.directory + "/tries",
        ] {
            #expect(mode(of: path) == 0o600, "\(path)")
        }
    }

    @Test("every changed byte of vault.json is damage or changes nothing, never a wrong PIN")
    func flippedBytes() throws {
        let device = try EnrolledHome()
        try device.removeCopy()
        let whole = try device.content(of: device.home.vault)
        let key = try device.unlock()
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 0x01
            try device.write(changed, to: device.home.vault)
            do {
                #expect(try device.unlock() == key, "byte \(index)")
            } catch VaultError.damaged, VaultError.unknownVersion {
                continue
            } catch {
                Issue.record(error, "byte \(index)")
            }
        }
    }

    @Test("a vault.json cut anywhere is damaged")
    func cut() throws {
        let device = try EnrolledHome()
        try device.removeCopy()
        let whole = try device.content(of: device.home.vault)
        for count in stride(from: 0, to: whole.count - 2, by: 7) {
            try device.write(Array(whole[..<count]), to: device.home.vault)
            #expect(throws: VaultError.self) { try SealedVault.load(device.home) }
        }
    }

    @Test("a newer version is named and nothing is tried")
    func newerVersion() throws {
        let device = try EnrolledHome()
        try device.write(Array(#"{"version":2,"slots":[]}"#.utf8), to: device.home.vault)
        #expect(throws: VaultError.unknownVersion(2)) { try SealedVault.load(device.home) }
    }

    @Test("a home without vault.json is not enrolled")
    func notEnrolled() throws {
        let device = try EnrolledHome(enrolled: false)
        #expect(throws: VaultError.notEnrolled) { try SealedVault.load(device.home) }
    }

    @Test("a second enrolment is refused and changes nothing")
    func twice() throws {
        let device = try EnrolledHome()
        let before = try device.content(of: device.home.vault)
        #expect(throws: VaultError.alreadyEnrolled) {
            try NewVault.begin(
                lease: HomeLease.acquire(device.home), deviceId: "other", pin: device.pin,
                cost: .cheap)
        }
        #expect(try device.content(of: device.home.vault) == before)
    }

    @Test("a database without its key is kept, by load and by a new enrolment")
    func keyMissing() throws {
        let device = try EnrolledHome()
        try device.removeCopy()
        try device.write([1, 2, 3], to: device.home.database)
        #expect(unlink(device.home.vault) == 0)
        let expected = VaultError.keyMissing(database: device.home.database)
        #expect(throws: expected) { try SealedVault.load(device.home) }
        #expect(throws: expected) {
            try NewVault.begin(
                lease: HomeLease.acquire(device.home), deviceId: "other", pin: device.pin,
                cost: .cheap)
        }
        #expect(try device.content(of: device.home.database) == [1, 2, 3])
    }

    @Test("a journal without its key is kept by a new enrolment")
    func journalKeyMissing() throws {
        let device = try EnrolledHome(enrolled: false)
        try device.home.prepare()
        #expect(mkdir(device.home.journal, 0o700) == 0)
        let segment = device.home.journal + "/00000001.journal"
        try device.write([1, 2, 3], to: segment)
        #expect(throws: VaultError.keyMissing(database: device.home.journal)) {
            try SealedVault.load(device.home)
        }
        #expect(throws: VaultError.keyMissing(database: device.home.journal)) {
            try NewVault.begin(
                lease: HomeLease.acquire(device.home), pin: device.pin, cost: .cheap)
        }
        #expect(try device.content(of: segment) == [1, 2, 3])
    }

    @Test("V07 an enrolment that was cut short leaves a home that can be enrolled")
    func unfinished() throws {
        let device = try EnrolledHome(enrolled: false)
        let lease = try HomeLease.acquire(device.home)
        let first = try NewVault.begin(
            lease: lease, deviceId: "first", pin: device.pin, cost: .cheap)
        try device.write([1, 2, 3], to: device.home.database)
        #expect(throws: VaultError.notEnrolled) { try SealedVault.load(device.home) }
        let second = try NewVault.begin(
            lease: lease, deviceId: "second", pin: device.pin, cost: .cheap)
        #expect(access(device.home.database, F_OK) != 0)
        try second.commit()
        #expect(try SealedVault.load(device.home).deviceId == "second")
        #expect(try device.unlock() == second.dataKey)
        #expect(first.dataKey != second.dataKey)
    }

    @Test("the device's id may come after the costly half, and nothing grows by it")
    func boundLater() throws {
        let device = try EnrolledHome(enrolled: false)
        let vault = try NewVault.begin(
            lease: HomeLease.acquire(device.home), pin: device.pin, cost: .cheap)
        let staged = device.home.vault + ".new"
        let before = try device.content(of: staged)
        try vault.bind(to: EnrolledHome.deviceId)
        let after = try device.content(of: staged)
        #expect(after != before && after.count == before.count)
        try vault.commit()
        #expect(try SealedVault.load(device.home).deviceId == EnrolledHome.deviceId)
        #expect(try device.unlock() == vault.dataKey)
    }

    @Test("an abandoned enrolment leaves nothing behind but the lock")
    func abandoned() throws {
        let device = try EnrolledHome(enrolled: false)
        let begun = try NewVault.begin(
            lease: HomeLease.acquire(device.home), deviceId: "first", pin: device.pin, cost: .cheap)
        #expect(mkdir(device.home.journal, 0o700) == 0)
        try device.write([1], to: device.home.journal + "/00000001.journal")
        try begun.abandon()
        #expect(access(device.home.journal, F_OK) != 0)
        #expect(begun.dataKey.isErased)
        #expect(access(device.home.vault + ".new", F_OK) != 0)
        #expect(access(device.home.directory + "/tries", F_OK) != 0)
    }

    @Test("a missing or damaged counter means a long wait, not a fresh start")
    func counterLost() throws {
        let device = try EnrolledHome()
        let tries = device.home.directory + "/tries"
        #expect(unlink(tries) == 0)
        #expect(throws: VaultError.delayed(seconds: 256)) { try device.unlock() }
        try device.write([UInt8](repeating: 7, count: 256), to: tries)
        #expect(throws: VaultError.delayed(seconds: 256)) { try device.unlock() }
        device.boot.advance(seconds: 256)
        _ = try device.unlock()
    }

    @Test("one torn half of the counter does not lose the count")
    func counterTorn() throws {
        let device = try EnrolledHome()
        for wait in [1, 2, 4] {
            #expect(throws: VaultError.self) { try device.unlock("000000") }
            device.boot.advance(seconds: Int64(wait))
        }
        let path = device.home.directory + "/tries"
        let whole = try device.content(of: path)
        for start in [0, 128] {
            var torn = whole
            torn.replaceSubrange(start + 40..<start + 128, with: [UInt8](repeating: 0, count: 88))
            try device.write(torn, to: path)
            // The half that is left is the newest write or the one before it.
            let waits = [VaultError.wrongPIN(tries: 4, wait: 8), .wrongPIN(tries: 3, wait: 4)]
            do {
                _ = try device.unlock("000000")
                Issue.record("a wrong PIN was taken")
            } catch let error as VaultError {
                #expect(waits.contains(error), "\(error)")
            }
        }
    }
}
