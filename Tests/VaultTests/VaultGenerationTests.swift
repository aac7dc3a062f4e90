import Crypto
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Vault

/// Two key slots that are both whole and say something else, as when somebody puts one of them back from
/// a copy of the home.
@Suite("V05 the newer of two whole key slots decides")
struct VaultGenerationTests {
    private static let newPIN = "a longer passphrase"
    private let device: EnrolledHome
    private var vault: String { device.home.vault }
    private var copy: String { device.home.vaultCopy }

    init() throws { device = try EnrolledHome() }

    private func changePIN(from old: String = "246810", to new: String = newPIN) throws {
        let key = try device.unlock(old)
        try SealedVault.load(device.home).changePIN(
            of: key, to: SecretBytes(text: new), cost: .cheap,
            lease: HomeLease.acquire(device.home))
    }

    private func keepTwice() throws -> Bool {
        try SealedVault.load(device.home).keepTwice(lease: HomeLease.acquire(device.home))
    }

    private func expectRefused(_ pin: String, tries: Int = 1) {
        #expect(throws: VaultError.wrongPIN(tries: tries, wait: tries)) { try device.unlock(pin) }
        device.boot.advance(seconds: 10)
    }

    @Test(
        "V05 an older one that is put back opens with no PIN, and is made anew from the newer",
        arguments: [true, false])
    func putBack(isFirst: Bool) throws {
        let key = try device.unlock()
        let old = try device.content(of: vault)
        try changePIN()
        let new = try device.content(of: vault)
        try device.write(old, to: isFirst ? vault : copy)
        let found = try SealedVault.load(device.home)
        #expect(found.other == .older && found.isFromCopy == isFirst)
        expectRefused("246810")
        #expect(try device.unlock(Self.newPIN) == key)
        #expect(try keepTwice())
        #expect(try device.content(of: vault) == new)
        #expect(try device.content(of: copy) == new)
    }

    @Test("V05 of an older one before two changes, and after an enrolment anew, the same holds")
    func putBackAfterMore() throws {
        let old = try device.content(of: vault)
        try changePIN()
        let pin = SecretBytes(text: Self.newPIN)
        let key = try device.unlock(Self.newPIN)
        try SealedVault.load(device.home).rebind(
            key, to: "another id", pin: pin, lease: HomeLease.acquire(device.home))
        let between = try device.content(of: vault)
        try changePIN(from: Self.newPIN, to: "third passphrase")
        // The database says under which id the device stands.
        let witness = KeyWitness(fit: { _ in .opens }, deviceId: { _ in "another id" })
        for bytes in [old, between] {
            try device.write(bytes, to: vault)
            let found = try SealedVault.load(device.home)
            #expect(bytes == old ? found.other != .older : found.other == .older)
            for (pin, tries) in [("246810", 1), (Self.newPIN, 2)] {
                #expect(throws: VaultError.wrongPIN(tries: tries, wait: tries)) {
                    try found.open(SecretBytes(text: pin), beside: witness, now: device.boot.now)
                }
                device.boot.advance(seconds: 10)
            }
            let opened = try found.open(
                SecretBytes(text: "third passphrase"), beside: witness, now: device.boot.now)
            #expect(opened.key == key && opened.vault.deviceId == "another id")
        }
    }

    @Test("V05 a PIN that changes beside an older vault.json leaves nothing of that")
    func changeBesideOlder() throws {
        let key = try device.unlock()
        let old = try device.content(of: vault)
        try changePIN()
        try device.write(old, to: vault)
        try changePIN(from: Self.newPIN, to: "third passphrase")
        expectRefused("246810")
        #expect(try device.unlock("third passphrase") == key)
        #expect(try SealedVault.load(device.home).other == .equal)
    }

    @Test("V05 nobody without the PIN makes an old slot a newer one")
    func forged() throws {
        let old = try VaultDocument(parsing: device.content(of: vault))
        try changePIN()
        var slot = old.slot
        slot.generation = 99
        let forged = VaultDocument(deviceId: old.deviceId, slot: slot)
        try device.write(forged.serialized(), to: vault)
        // It decides, as the newest, and its box does not open.
        expectRefused("246810")
    }

    // MARK: Files of programs that did not count

    /// As a program before generations wrote it.
    private func uncounted(_ pin: String, _ key: SecretBytes) throws -> [UInt8] {
        let stretched = try StretchedPIN(SecretBytes(text: pin), cost: .cheap)
        let slot = try KeySlot.close(
            over: key, under: stretched, deviceId: EnrolledHome.deviceId, generation: 0)
        return VaultDocument(deviceId: EnrolledHome.deviceId, slot: slot).serialized()
    }

    /// The file of such a program for the PIN 246810 and the bytes 0 to 31 as a key.
    private static let stored = """
        {
          "deviceId": "0f5cc0a1-7f5e-4b0a-9d7c-2f3f5a1c9b11",
          "slots": [
            {
              "argon2id": {
                "memory": 8192,
                "passes": 1,
                "salt": "AAECAwQFBgcICQoLDA0ODw=="
              },
              "checksum": "b431f8e4996c85ec9da7a12c706b9bc89998d0f473dfc10ae8392f6a76eb8a55",
              "ciphertext": "B3Ih+2uTpvO4TJR5sRRMNe4rzAzwPjpfnu9KonnvMCwwUBKMxukhRSch29ZTA785",
              "kind": "pin",
              "nonce": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX",
              "version": 1
            }
          ],
          "version": 1
        }

        """

    @Test("V05 what a program before generations has written opens and is kept to the byte")
    func stored() throws {
        for path in [vault, copy] { try device.write(Array(Self.stored.utf8), to: path) }
        var bytes = [UInt8](0..<32)
        #expect(try device.unlock() == SecretBytes(moving: &bytes))
        #expect(try keepTwice())
        #expect(try device.content(of: vault) == Array(Self.stored.utf8))
    }

    @Test("V05 a vault.json without a generation is read as before, and the next PIN counts")
    func uncountedOne() throws {
        let key = try device.unlock()
        let old = try uncounted("246810", key)
        #expect(!String(decoding: old, as: UTF8.self).contains("generation"))
        for path in [vault, copy] { try device.write(old, to: path) }
        #expect(try device.unlock() == key)
        #expect(try SealedVault.load(device.home).other == .equal)
        try changePIN()
        try device.write(old, to: vault)
        expectRefused("246810")
        #expect(try device.unlock(Self.newPIN) == key)
    }

    @Test("V05 of two that both did not count vault.json opens, and neither is overwritten")
    func uncountedTwo() throws {
        let key = try device.unlock()
        let (first, second) = try (uncounted("246810", key), uncounted(Self.newPIN, key))
        try device.write(first, to: vault)
        try device.write(second, to: copy)
        #expect(try SealedVault.load(device.home).other == .unlike)
        #expect(try device.unlock() == key)
        #expect(try !keepTwice())
        #expect(try device.content(of: vault) == first)
        #expect(try device.content(of: copy) == second)
        // A new PIN settles it.
        try changePIN(to: "third passphrase")
        #expect(try SealedVault.load(device.home).other == .equal)
        #expect(try device.unlock("third passphrase") == key)
    }

    @Test("V05 a new PIN that a crash has cut short is no enrolment that was only begun")
    func stagedPIN() throws {
        try changePIN()
        for path in [vault, copy] { #expect(rename(path, vault + ".new") == 0) }
        try device.write([1, 2, 3], to: device.home.database)
        let expected = VaultError.keyMissing(database: device.home.database)
        #expect(throws: expected) { try SealedVault.load(device.home) }
        #expect(throws: expected) {
            try NewVault.begin(
                lease: HomeLease.acquire(device.home), pin: device.pin, cost: .cheap)
        }
        #expect(try device.content(of: device.home.database) == [1, 2, 3])
    }

    // MARK: Version numbers

    enum Number: CaseIterable {
        case document, slot

        /// The digits that the document, or its slot, has for a version.
        func flipped(in bytes: [UInt8], by bit: UInt8) throws -> [UInt8] {
            var text = String(decoding: bytes, as: UTF8.self)
            let (old, value): (String, UInt8) =
                switch self {
                case .document: (#""version": 1"#, UInt8(ascii: "1"))
                case .slot: (#""version": 2"#, UInt8(ascii: "2"))
                }
            let place = try #require(text.range(of: old))
            let digit = String(UnicodeScalar(value ^ bit))
            text.replaceSubrange(place, with: old.dropLast() + digit)
            return Array(text.utf8)
        }
    }

    @Test(
        "V05 a flipped version number is damage: the whole file opens, and makes the other good",
        arguments: Number.allCases, [UInt8(4), 8, 64])
    func flippedVersion(number: Number, bit: UInt8) throws {
        let key = try device.unlock()
        let whole = try device.content(of: vault)
        let flipped = try number.flipped(in: whole, by: bit)
        try device.write(flipped, to: vault)
        #expect(try SealedVault.load(device.home).isFromCopy)
        #expect(try device.unlock() == key)
        #expect(try keepTwice())
        #expect(try device.content(of: vault) == whole)
        try device.write(flipped, to: copy)
        #expect(try device.unlock() == key)
        #expect(try keepTwice())
        #expect(try device.content(of: copy) == whole)
    }

    /// A later layout, whose checksum is its own affair.
    private static let newer = Array(#"{"version":2,"slots":[]}"#.utf8)
    private static let newerSlot = Array(
        #"{"version":1,"deviceId":"d","slots":[{"kind":"pin","version":3}]}"#.utf8)

    @Test(
        "V05 a newer program's vault is refused as such, and nothing of it is overwritten",
        arguments: [newer, newerSlot], [[true, true], [true, false], [false, true]])
    func newerProgram(bytes: [UInt8], places: [Bool]) throws {
        let opened = try SealedVault.load(device.home)
        for (path, isNewer) in zip([vault, copy], places) where isNewer {
            try device.write(bytes, to: path)
        }
        let before = try [vault, copy].map(device.content)
        let version: Int64 = bytes == Self.newer ? 2 : 3
        #expect(throws: VaultError.unknownVersion(version)) { try SealedVault.load(device.home) }
        #expect(try !opened.keepTwice(lease: HomeLease.acquire(device.home)))
        #expect(try [vault, copy].map(device.content) == before)
    }
}
