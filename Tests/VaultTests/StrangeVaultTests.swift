import Crypto
import Glibc
import TestSupport
import Testing
import Vault

/// A key slot of another home, as when somebody puts a file back from the wrong folder, and a folder that
/// was enrolled twice. The PIN is the same: it opens both.
@Suite("V05 a key slot of another device takes nothing's place")
struct StrangeVaultTests {
    private static let stranger = "5a5a0000-7f5e-4b0a-9d7c-2f3f5a1c9b11"
    private let device: EnrolledHome
    private let other: EnrolledHome
    private let key: SecretBytes
    private let witness: KeyWitness
    private var vault: String { device.home.vault }
    private var copy: String { device.home.vaultCopy }

    init() throws {
        device = try EnrolledHome()
        other = try EnrolledHome(enrolled: false)
        try NewVault.begin(
            lease: HomeLease.acquire(other.home), deviceId: Self.stranger, pin: other.pin,
            cost: .cheap
        ).commit()
        let key = try device.unlock()
        self.key = key
        witness = KeyWitness(fit: { $0 == key ? .opens : .opensNeither })
    }

    /// The other home's slot, after so many new PINs that are the old one.
    private func strange(generation: Int) throws -> [UInt8] {
        for _ in 1..<generation {
            try SealedVault.load(other.home).changePIN(
                of: other.unlock(), to: other.pin, cost: .cheap,
                lease: HomeLease.acquire(other.home))
        }
        return try other.content(of: other.home.vault)
    }

    private func open(
        _ pin: String = "246810", beside witness: KeyWitness? = nil
    ) throws -> OpenedVault {
        try SealedVault.load(device.home).open(
            SecretBytes(text: pin), beside: witness ?? self.witness, now: device.boot.now)
    }

    private func contents() throws -> [[UInt8]] { try [vault, copy].map(device.content) }

    @Test(
        "V05 beside one of another device the home's own opens, and neither is overwritten",
        arguments: [true, false], [1, 2, 3])
    func beside(isFirst: Bool, generation: Int) throws {
        try device.write(strange(generation: generation), to: isFirst ? vault : copy)
        let before = try contents()
        let opened = try open()
        #expect(opened.key == key && opened.vault.isFromCopy == isFirst)
        #expect(opened.vault.deviceId == EnrolledHome.deviceId)
        #expect(opened.vault.other == .ofDevice(Self.stranger))
        #expect(try !opened.keepTwice(lease: HomeLease.acquire(device.home)))
        #expect(try contents() == before)
        #expect(throws: VaultError.wrongPIN(tries: 1, wait: 1)) { try open("135791") }
    }

    @Test(
        "V05 a new PIN beside one of another device changes the slot that opened the database",
        arguments: [true, false], [1, 2])
    func newPIN(isFirst: Bool, generation: Int) throws {
        let bytes = try strange(generation: generation)
        try device.write(bytes, to: isFirst ? vault : copy)
        let opened = try open()
        let isErased = try opened.changePIN(
            to: SecretBytes(text: "a longer passphrase"), cost: .cheap,
            lease: HomeLease.acquire(device.home))
        #expect(isErased)
        #expect(try device.content(of: isFirst ? vault : copy) == bytes)
        #expect(try open("a longer passphrase").key == key)
        #expect(throws: VaultError.wrongPIN(tries: 1, wait: 1)) { try open() }
    }

    @Test(
        "V05 where both are another device's, that is told, and is neither a right PIN nor a wrong one"
    )
    func both() throws {
        let own = try device.content(of: vault)
        #expect(throws: VaultError.wrongPIN(tries: 1, wait: 1)) { try open("135791") }
        device.boot.advance(seconds: 10)
        for path in [vault, copy] { try device.write(strange(generation: 1), to: path) }
        let expected = VaultError.otherKey(vault: vault, deviceId: Self.stranger)
        for _ in 0..<3 {
            #expect(throws: expected) { try open() }
            device.boot.advance(seconds: 10)
        }
        try device.write(own, to: vault)
        #expect(throws: VaultError.wrongPIN(tries: 2, wait: 2)) { try open("135791") }
        device.boot.advance(seconds: 10)
        #expect(try open().key == key)
    }

    @Test("V05 a key that has opened neither database nor journal takes no slot's place")
    func unproven() throws {
        let whole = try device.content(of: vault)
        try device.write(Array(whole.dropLast(40)), to: vault)
        let before = try contents()
        let opened = try open(beside: .silent)
        #expect(opened.key == key)
        let lease = try HomeLease.acquire(device.home)
        #expect(!opened.keepTwice(lease: lease))
        #expect(throws: VaultError.unprovenKey(vault: copy)) {
            try opened.changePIN(to: device.pin, cost: .cheap, lease: lease)
        }
        #expect(throws: VaultError.unprovenKey(vault: copy)) {
            try opened.rebind(to: "another id", pin: device.pin, lease: lease)
        }
        #expect(try contents() == before)
        #expect(try open().keepTwice(lease: lease))
        #expect(try contents() == [whole, whole])
    }

    @Test("V05 no copy is made of one whose key is another home's")
    func noCopy() throws {
        try device.removeCopy()
        try device.write(strange(generation: 1), to: vault)
        #expect(throws: VaultError.otherKey(vault: vault, deviceId: Self.stranger)) { try open() }
        let opened = try open(beside: .silent)
        #expect(try !opened.keepTwice(lease: HomeLease.acquire(device.home)))
        #expect(access(copy, F_OK) != 0)
    }
}
