import Coding
import Commands
import Crypto
import Foundation
import LocalStore
import Replication
import TestSupport
import Testing
import Vault

/// The key slot of another home in this one, with the same PIN. The only key of what was entered here must
/// outlive it, and each advice of doctor be one that helps.
@Suite("A home with another device's vault.json")
struct StrangeVaultTests {
    private static let stranger = "5a5a0000-7f5e-4b0a-9d7c-2f3f5a1c9b11"
    private let bench: StoreBench
    private let own: Data

    init() throws {
        bench = try StoreBench()
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "pressure=160").status == 0)
        own = try Self.content(bench.bench.home.vault)
    }

    private var home: Home { bench.bench.home }

    private static func content(_ path: String) throws -> Data {
        try #require(FileManager.default.contents(atPath: path))
    }

    private func write(_ bytes: Data, to path: String) throws {
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(chmod(path, 0o600) == 0)
    }

    private static func secret(_ text: String) -> SecretBytes {
        var bytes = Array(text.utf8)
        return SecretBytes(moving: &bytes)
    }

    /// The slot of a device that was enrolled elsewhere, of this generation.
    private func strange(generation: Int) throws -> Data {
        let home = Home(bench.bench.folder.path + "/elsewhere")
        let lease = try HomeLease.acquire(home)
        let pin = Self.secret(CommandBench.pin)
        try NewVault.begin(
            lease: lease, deviceId: Self.stranger, pin: pin, cost: CommandBench.cheap
        ).commit()
        for _ in 1..<generation {
            try SealedVault.load(home).open(pin, beside: KeyWitness(fit: { _ in .opens }))
                .changePIN(to: pin, cost: CommandBench.cheap, lease: lease)
        }
        return try Self.content(home.vault)
    }

    /// Does what an advice says in quotes: `'mv FROM TO'`.
    private func followMoving(_ told: String) throws {
        let quoted = try #require(told.components(separatedBy: "'mv ").dropFirst().first)
        let names = try #require(quoted.components(separatedBy: "'").first)
            .components(separatedBy: " ")
        try #require(names.count == 2)
        #expect(rename(names[0], names[1]) == 0)
    }

    private func keySlot(_ pin: String? = nil) throws -> String {
        let words = ["doctor", "--json"] + (pin.map { ["--pin-file", $0] } ?? [])
        let outcome = pin == nil ? try bench.bench.run(words) : try run(words)
        let finding = try #require(outcome.json).elements("findings")
            .first { try $0.string("name") == "key slot" }
        let found = try #require(finding)
        let advice = try found.optionalString("advice") ?? ""
        return try (found.bool("ok") ? "ok " : "wrong ") + found.string("message") + "\n" + advice
    }

    private func run(_ words: [String]) throws -> Outcome {
        switch words.count {
        case 4: try bench.bench.runWithoutPIN(words[0], words[1], words[2], words[3])
        default: try bench.bench.runWithoutPIN(words[0], words[1], words[2])
        }
    }

    private func newPIN() throws -> String {
        let path = try bench.bench.folder.write("a longer passphrase\n", to: "new")
        #expect(chmod(path, 0o600) == 0)
        return path
    }

    @Test(
        "V05 another device's file beside the home's own is named, and taken away as doctor says",
        arguments: [true, false], [1, 2])
    func beside(isFirst: Bool, generation: Int) throws {
        let (place, kept) = isFirst ? (home.vault, home.vaultCopy) : (home.vaultCopy, home.vault)
        let bytes = try strange(generation: generation)
        try write(bytes, to: place)
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=more").status == 0)
        #expect(try bench.run("doctor", "--repair").output.contains("nothing to repair"))
        #expect(try Self.content(kept) == own)
        #expect(try Self.content(place) == bytes)
        let told = try keySlot()
        #expect(told.hasPrefix("wrong "))
        #expect(told.contains("is of device \(Self.stranger)"), "\(told)")
        #expect(!told.contains("older") && !told.contains("passwd"), "\(told)")
        try followMoving(told)
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=most").status == 0)
        #expect(try keySlot().hasPrefix("ok "))
        #expect(try Self.content(place) == own)
        #expect(try Self.content(place + ".other") == bytes)
    }

    @Test("V05 doctor without a PIN names both devices, and does not guess which is right")
    func withoutPIN() throws {
        try write(strange(generation: 2), to: home.vaultCopy)
        let told = try bench.bench.runWithoutPIN("doctor").output
        #expect(told.contains(Self.stranger) && told.contains(CommandBench.deviceId))
        #expect(!told.contains("'mv "))
    }

    @Test(
        "V05 passwd beside another device's file changes the PIN of what opened the database",
        arguments: [true, false], [1, 2])
    func passwd(isFirst: Bool, generation: Int) throws {
        let place = isFirst ? home.vault : home.vaultCopy
        let bytes = try strange(generation: generation)
        try write(bytes, to: place)
        let new = try newPIN()
        #expect(try bench.run("passwd", "--new-pin-file", new).status == 0)
        #expect(try Self.content(place) == bytes)
        #expect(try run(["list", "--pin-file", new]).status == 0)
        #expect(try bench.run("list").messages.contains("the PIN is wrong"))
        bench.bench.wait(seconds: 10)
        try followMoving(keySlot(new))
        let id = StoreBench.assigned.rawValue
        #expect(
            try bench.bench.runWithoutPIN("set", id, "notes=x", "--pin-file", new).status == 0)
        #expect(try keySlot(new).hasPrefix("ok "))
    }

    @Test(
        "V05 only another device's files: told as that, nothing is changed, and the right one helps"
    )
    func both() throws {
        let bytes = try strange(generation: 1)
        for path in [home.vault, home.vaultCopy] { try write(bytes, to: path) }
        let told = try bench.run("doctor")
        #expect(told.status == 6)
        #expect(
            told.output.contains(
                "wrong  key slot: \(home.vault) is of device \(Self.stranger), and its key opens"
                    + " neither"), "\(told.output)")
        #expect(told.output.contains("ok     database: not looked at"))
        #expect(!told.output.contains("--repair") && !told.output.contains("is not a database"))
        let new = try newPIN()
        for words in [
            ["list"], ["sync"], ["passwd", "--new-pin-file", new], ["doctor", "--repair"],
        ] {
            let outcome = try bench.bench.run(words)
            #expect(outcome.status == 6, "\(words)")
            #expect((outcome.output + outcome.messages).contains("of device \(Self.stranger)"))
        }
        for path in [home.vault, home.vaultCopy] { #expect(try Self.content(path) == bytes) }
        #expect(access(home.database, F_OK) == 0)
        #expect(told.output.contains("Put vault.json or vault.copy.json back"))
        try write(own, to: home.vault)
        #expect(try bench.document("status").integer("pending") == 1)
        try followMoving(keySlot())
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=x").status == 0)
        #expect(try keySlot().hasPrefix("ok "))
    }

    @Test(
        "V05 beside a damaged file the other may be of an earlier PIN, which is said and opens",
        arguments: [true, false])
    func damagedBesideOlder(isFirst: Bool) throws {
        let new = try newPIN()
        #expect(try bench.run("passwd", "--new-pin-file", new).status == 0)
        let (damaged, old) = isFirst ? (home.vault, home.vaultCopy) : (home.vaultCopy, home.vault)
        #expect(truncate(damaged, 40) == 0)
        try write(own, to: old)
        let refused = try run(["list", "--pin-file", new])
        #expect(refused.status == 6)
        #expect(refused.messages.contains("does not open \(old)"), "\(refused.messages)")
        #expect(refused.messages.contains("try the PIN of then too"))
        #expect(!refused.messages.contains("the PIN is wrong"))
        bench.bench.wait(seconds: 10)
        let told = try keySlot()
        #expect(told.contains("may be from before the last new PIN"), "\(told)")
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=x").status == 0)
        #expect(try keySlot().hasPrefix("ok "))
    }

    @Test(
        "V05 a folder that has the name of a key slot is taken away as doctor or passwd says",
        arguments: [true, false], [true, false])
    func folder(isFirst: Bool, isToldByDoctor: Bool) throws {
        let place = isFirst ? home.vault : home.vaultCopy
        #expect(unlink(place) == 0 && mkdir(place, 0o700) == 0)
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=x").status == 0)
        let refused = try bench.run("passwd", "--new-pin-file", newPIN())
        #expect(refused.status == 6 && refused.messages.contains("a folder has that name"))
        let told = try keySlot()
        #expect(told.contains("is a folder"), "\(told)")
        try followMoving(isToldByDoctor ? told : refused.messages)
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=y").status == 0)
        #expect(try keySlot().hasPrefix("ok "))
        #expect(try Self.content(place) == own)
        #expect(try bench.run("passwd", "--new-pin-file", newPIN()).status == 0)
    }

    @Test("V05 a damaged database without a journal leaves open whether the key is the right one")
    func undecided() throws {
        try FileManager.default.removeItem(atPath: home.journal)
        let file = try #require(FileHandle(forUpdatingAtPath: home.database))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 8192))
        try file.close()
        #expect(unlink(home.vaultCopy) == 0)
        let told = try bench.run("doctor").output
        #expect(told.contains("Nothing here shows that vault.json, of device"), "\(told)")
        #expect(!told.contains("no copy yet: the next command"), "\(told)")
        let refused = try bench.run("passwd", "--new-pin-file", newPIN())
        #expect(refused.status == 6 && refused.messages.contains("the PIN is not changed"))
        #expect(try Self.content(home.vault) == own)
        #expect(access(home.vaultCopy, F_OK) != 0)
    }

    @Test("V05 the key is judged by the journal where the database is gone, and the reverse")
    func witnesses() throws {
        let pin = Self.secret(CommandBench.pin)
        let key = try SealedVault.load(home).unlock(pin, now: bench.bench.surroundings.bootNow)
        let another = SecretBytes.random(count: 32)
        let witness = KeyWitness(of: home)
        #expect(witness.fit(key) == .opens && witness.fit(another) == .opensNeither)
        #expect(witness.deviceId(key) == CommandBench.deviceId)
        #expect(witness.deviceId(another) == nil)
        let aside = bench.bench.folder.path + "/aside"
        #expect(rename(home.database, aside) == 0)
        #expect(witness.fit(key) == .opens && witness.fit(another) == .opensNeither)
        #expect(rename(aside, home.database) == 0 && rename(home.journal, aside) == 0)
        #expect(witness.fit(key) == .opens && witness.fit(another) == .unknown)
        #expect(witness.deviceId(key) == CommandBench.deviceId)
        #expect(rename(home.database, aside + ".db") == 0)
        #expect(witness.fit(key) == .unknown)
    }
}
