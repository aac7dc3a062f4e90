import Commands
import Crypto
import Foundation
import Replication
import TestSupport
import Testing
import Vault

/// Another process changes the PIN after a command has looked at `vault.json` and before it has the home
/// for itself.
@Suite("A PIN that changes under a command")
struct ChangedPINTests {
    private static let code = EnrollmentCode(secret: Array(1...16), caCertificate: [1, 2, 3]).text
    private let bench: CommandBench
    private let old: Data
    private let new: Data

    init() throws {
        bench = try CommandBench()
        let home = bench.home
        old = try Data(contentsOf: URL(fileURLWithPath: home.vault))
        let vault = try SealedVault.load(home)
        let opened = try vault.open(
            Self.secret(CommandBench.pin), beside: KeyWitness(fit: { _ in .opens }),
            now: bench.surroundings.bootNow)
        try opened.changePIN(
            to: Self.secret("a longer passphrase"), cost: CommandBench.cheap,
            lease: HomeLease.acquire(home))
        // It would say that it is newer.
        #expect(unlink(home.vaultCopy) == 0)
        new = try Data(contentsOf: URL(fileURLWithPath: home.vault))
    }

    private static func secret(_ text: String) -> SecretBytes {
        var bytes = Array(text.utf8)
        return SecretBytes(moving: &bytes)
    }

    /// Whoever opens `vault.json` now finds the new one in its place when it has read the old one.
    private func showOldOnce() throws {
        let path = bench.home.vault
        let aside = bench.folder.file("new.json")
        #expect(rename(path, aside) == 0)
        #expect(mkfifo(path, 0o600) == 0)
        let old = old
        Thread {
            let pipe = open(path, O_WRONLY)
            rename(aside, path)
            old.withUnsafeBytes { _ = write(pipe, $0.baseAddress, $0.count) }
            close(pipe)
        }.start()
    }

    @Test(
        "the old PIN opens nothing any more, and its slot does not come back",
        arguments: [["passwd"], ["enroll", "--again", "http://127.0.0.1:9", code]])
    func staleVault(words: [String]) throws {
        try showOldOnce()
        let outcome = try bench.run(words)
        #expect(outcome.status == 6)
        #expect(outcome.messages.contains("the PIN is wrong"), "\(outcome.messages)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: bench.home.vault)) == new)
        #expect(access(bench.home.vaultCopy, F_OK) != 0)
    }
}
