import Arguments
import Coding
import Commands
import Crypto
import Forms
import Foundation
import Synchronization
import TestSupport
import Testing
import Vault

/// What a command left behind.
struct Outcome {
    let status: Int32
    let output: String
    let messages: String

    var json: JSON? { try? JSON.parse(Array(output.utf8)) }
}

/// A home of its own and a world that stands still, in which commands run in this process.
final class CommandBench: Sendable {
    static let pin = "246810"
    static let deviceId = "0f5cc0a1-7f5e-4b0a-9d7c-2f3f5a1c9b11"

    let folder: TemporaryFolder
    let home: Home
    let clock = FixedClock()
    private let boot = Mutex(BootInstant(boot: Array("boot".utf8), milliseconds: 1_000_000))

    init(enrolled: Bool = true) throws {
        folder = try TemporaryFolder("commands")
        home = Home(folder.path + "/home")
        _ = try folder.write(Self.pin + "\n", to: "pin")
        #expect(chmod(folder.file("pin"), 0o600) == 0)
        guard enrolled else { return }
        var bytes = Array(Self.pin.utf8)
        try NewVault.begin(
            lease: HomeLease.acquire(home), deviceId: Self.deviceId,
            pin: SecretBytes(moving: &bytes), cost: Self.cheap
        ).commit()
    }

    /// The day before the one that UTC says.
    static let today = CivilDate(year: 2026, month: 3, day: 1)

    static let cheap = Argon2id.Cost(passes: 1, memory: 8 << 10)

    var surroundings: Surroundings {
        Surroundings(
            environment: ["WALKDOWN_HOME": home.directory], terminal: -1, pinCost: Self.cheap,
            now: clock.reading, today: { Self.today },
            bootNow: { () throws(VaultError) in self.boot.withLock { $0 } })
    }

    func wait(seconds: Int64) {
        boot.withLock { $0.milliseconds += seconds * 1000 }
    }

    /// Runs a command with the right PIN.
    func run(_ words: String...) throws -> Outcome {
        try run(words)
    }

    func run(_ words: [String]) throws -> Outcome {
        try perform(words + ["--pin-file", folder.file("pin")])
    }

    /// With these lines on standard input.
    func run(_ words: [String], typing lines: String) throws -> Outcome {
        let file = try folder.write(lines, to: "typed")
        let input = open(file, O_RDONLY | O_CLOEXEC)
        try #require(input >= 0)
        defer { close(input) }
        var surroundings = surroundings
        surroundings.input = input
        return try perform(words + ["--pin-file", folder.file("pin")], in: surroundings)
    }

    /// With somebody who types.
    func run(_ words: [String], _ typing: ScriptedTyping) throws -> Outcome {
        var surroundings = surroundings
        surroundings.input = typing.input
        surroundings.watch = { typing }
        return try perform(words + ["--pin-file", folder.file("pin")], in: surroundings)
    }

    func runWithoutPIN(_ words: String...) throws -> Outcome {
        try perform(words)
    }

    private func perform(
        _ words: [String], in surroundings: Surroundings? = nil
    ) throws -> Outcome {
        let output = try Capture(folder)
        let messages = try Capture(folder)
        let status = Walkdown.program(in: surroundings ?? self.surroundings).run(
            words, console: Console(output: output.descriptor, messages: messages.descriptor),
            renderer: Walkdown.renderer)
        return Outcome(status: status, output: output.text(), messages: messages.text())
    }
}

/// A file that takes what a console writes.
private final class Capture {
    let descriptor: Int32

    init(_ folder: TemporaryFolder) throws {
        var name = Array((folder.path + "/console-XXXXXX").utf8CString)
        descriptor = mkstemp(&name)
        try #require(descriptor >= 0)
        unlink(name)
    }

    deinit {
        close(descriptor)
    }

    func text() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
