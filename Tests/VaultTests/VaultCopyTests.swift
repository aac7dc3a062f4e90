import Crypto
import Glibc
import TestSupport
import Testing
import Vault

@Suite("The copy of vault.json")
struct VaultCopyTests {
    private let device: EnrolledHome
    private var vault: String { device.home.vault }
    private var copy: String { device.home.vaultCopy }

    init() throws { device = try EnrolledHome() }

    private func keepTwice() throws -> Bool {
        try SealedVault.load(device.home).keepTwice(lease: HomeLease.acquire(device.home))
    }

    @Test("V05 a device has its key slot twice from its enrolment on")
    func enrolled() throws {
        #expect(try device.content(of: copy) == device.content(of: vault))
        #expect(try SealedVault.load(device.home).other == .equal)
        #expect(access(copy + ".new", F_OK) != 0)
    }

    enum Damage: CaseIterable {
        case flipped, cut, emptied, removed
    }

    private func damage(_ path: String, _ damage: Damage) throws {
        var bytes = try device.content(of: path)
        switch damage {
        case .flipped: bytes[bytes.count / 2] ^= 4
        case .cut: bytes.removeLast(40)
        case .emptied: bytes = []
        case .removed:
            #expect(unlink(path) == 0)
            return
        }
        try device.write(bytes, to: path)
    }

    @Test(
        "V05 a damaged vault.json is read from its copy, and made anew", arguments: Damage.allCases)
    func damagedFirst(how: Damage) throws {
        let whole = try device.content(of: vault)
        let key = try device.unlock()
        try damage(vault, how)
        #expect(try SealedVault.load(device.home).isFromCopy)
        #expect(try device.unlock() == key)
        #expect(throws: VaultError.wrongPINOfOne(vault: copy, tries: 1, wait: 1)) {
            try device.unlock("135791")
        }
        device.boot.advance(seconds: 10)
        #expect(try keepTwice())
        #expect(try device.content(of: vault) == whole)
        #expect(try SealedVault.load(device.home).other == .equal)
        #expect(throws: VaultError.alreadyEnrolled) {
            try NewVault.begin(
                lease: HomeLease.acquire(device.home), pin: device.pin, cost: .cheap)
        }
    }

    @Test("a damaged copy changes nothing, and is made anew", arguments: Damage.allCases)
    func damagedSecond(how: Damage) throws {
        let key = try device.unlock()
        try damage(copy, how)
        let found = try SealedVault.load(device.home)
        #expect(!found.isFromCopy && found.other != .equal)
        #expect((found.other == .missing) == (how == .removed))
        #expect(try device.unlock() == key)
        #expect(try keepTwice())
        #expect(try device.content(of: copy) == device.content(of: vault))
    }

    @Test("where both are damaged it is told as damage, never as a wrong PIN")
    func bothDamaged() throws {
        for path in [vault, copy] { try damage(path, .flipped) }
        #expect(throws: VaultError.self) { try SealedVault.load(device.home) }
        try damage(vault, .removed)
        #expect(throws: VaultError.self) { try SealedVault.load(device.home) }
    }

    @Test("a new PIN replaces both, and the old one opens neither, whatever is damaged then")
    func changedPIN() throws {
        let key = try device.unlock()
        let old = device.folder.path + "/old"
        #expect(link(copy, old) == 0)
        let isErased = try SealedVault.load(device.home).changePIN(
            of: key, to: SecretBytes(text: "a longer passphrase"), cost: .cheap,
            lease: HomeLease.acquire(device.home))
        #expect(isErased)
        #expect(try device.content(of: old).allSatisfy { $0 == 0 }, "overwritten")
        #expect(try device.content(of: copy) == device.content(of: vault))
        try damage(vault, .flipped)
        #expect(throws: VaultError.wrongPINOfOne(vault: copy, tries: 1, wait: 1)) {
            try device.unlock()
        }
        device.boot.advance(seconds: 10)
        #expect(try device.unlock("a longer passphrase") == key)
    }

    private func changePIN() throws -> Bool {
        let key = try device.unlock()
        return try SealedVault.load(device.home).changePIN(
            of: key, to: SecretBytes(text: "a longer passphrase"), cost: .cheap,
            lease: HomeLease.acquire(device.home))
    }

    @Test(
        "V05 a new PIN beside a damaged vault.json opens, and is there twice",
        arguments: Damage.allCases)
    func changedPINWhereDamaged(how: Damage) throws {
        let key = try device.unlock()
        try damage(vault, how)
        #expect(try changePIN())
        #expect(try device.unlock("a longer passphrase") == key)
        #expect(try device.content(of: copy) == device.content(of: vault))
    }

    /// A folder in the way of what is staged: as on a full disk, it cannot be written.
    private func obstruct(_ path: String, _ work: () throws -> Void) throws {
        #expect(mkdir(path + ".new", 0o700) == 0)
        try work()
        #expect(rmdir(path + ".new") == 0)
    }

    @Test("V05 without room for a new slot the copy stays, and the old PIN opens it")
    func noRoom() throws {
        let key = try device.unlock()
        let whole = try device.content(of: vault)
        try obstruct(vault) { #expect(throws: VaultError.self) { try changePIN() } }
        #expect(try device.content(of: vault) == whole)
        #expect(try device.content(of: copy) == whole)
        #expect(try device.unlock() == key)
    }

    @Test(
        "V05 without room to mend a damaged vault.json its copy stays, and the old PIN opens it",
        arguments: Damage.allCases)
    func noRoomWhereDamaged(how: Damage) throws {
        let key = try device.unlock()
        let whole = try device.content(of: vault)
        try damage(vault, how)
        try obstruct(vault) { #expect(throws: VaultError.self) { try changePIN() } }
        #expect(try device.content(of: copy) == whole)
        #expect(try device.unlock() == key)
        #expect(try keepTwice())
        #expect(try device.content(of: vault) == whole)
    }

    @Test("a copy that cannot be removed keeps the old PIN, and nothing of the new one is left")
    func copyStays() throws {
        let whole = try device.content(of: vault)
        try device.removeCopy()
        #expect(mkdir(copy, 0o700) == 0)
        #expect(throws: VaultError.self) { try changePIN() }
        #expect(try device.content(of: vault) == whole)
        #expect(access(vault + ".new", F_OK) != 0)
    }

    @Test("a slot that a crash has left half named is overwritten by the next PIN")
    func remains() throws {
        let slot = try device.content(of: vault)
        let kept = ["/first", "/second"].map { device.folder.path + $0 }
        for (path, name) in zip([vault, copy], kept) {
            try device.write(slot, to: path + ".new")
            #expect(link(path + ".new", name) == 0)
        }
        #expect(try changePIN())
        for name in kept {
            #expect(try device.content(of: name).allSatisfy { $0 == 0 }, "\(name)")
        }
        for path in [vault, copy] { #expect(access(path + ".new", F_OK) != 0) }
    }

    @Test("what a damaged vault.json holds is overwritten where it is made anew")
    func damageOverwritten() throws {
        let old = device.folder.path + "/old"
        try damage(vault, .flipped)
        #expect(link(vault, old) == 0)
        #expect(try keepTwice())
        #expect(try device.content(of: old).allSatisfy { $0 == 0 })
    }

    @Test("a device that enrols anew overwrites its old slot, and the PIN stays")
    func rebound() throws {
        let key = try device.unlock()
        let kept = ["/first", "/second"].map { device.folder.path + $0 }
        for (path, name) in zip([vault, copy], kept) { #expect(link(path, name) == 0) }
        let isErased = try SealedVault.load(device.home).rebind(
            key, to: "another id", pin: device.pin, lease: HomeLease.acquire(device.home))
        #expect(isErased)
        for name in kept {
            #expect(try device.content(of: name).allSatisfy { $0 == 0 }, "\(name)")
        }
        #expect(try SealedVault.load(device.home).deviceId == "another id")
        #expect(try SealedVault.load(device.home).other == .equal)
        #expect(try device.unlock() == key)
    }

    @Test("a device that enrols anew beside a missing vault.json has it twice afterwards")
    func reboundWhereMissing() throws {
        let key = try device.unlock()
        try damage(vault, .removed)
        try SealedVault.load(device.home).rebind(
            key, to: "another id", pin: device.pin, lease: HomeLease.acquire(device.home))
        #expect(try SealedVault.load(device.home).other == .equal)
        #expect(try device.unlock() == key)
    }

    @Test("a copy that no new PIN could follow is not there at all")
    func copyCannotFollow() throws {
        let key = try device.unlock()
        // A folder in the way of the copy that is staged.
        #expect(mkdir(copy + ".new", 0o700) == 0)
        try SealedVault.load(device.home).changePIN(
            of: key, to: SecretBytes(text: "a longer passphrase"), cost: .cheap,
            lease: HomeLease.acquire(device.home))
        #expect(try SealedVault.load(device.home).other == .missing)
        #expect(try device.unlock("a longer passphrase") == key)
        #expect(try !keepTwice())
        #expect(rmdir(copy + ".new") == 0)
        #expect(try keepTwice())
    }
}
