import Arguments
import Coding
import Commands
import Foundation
import LocalStore
import Replication
import TestSupport
import Testing
import Vault

@Suite("Commands about the home itself")
struct HomeCommandTests {
    @Test(
        "help and version need no home and say nothing on standard error",
        arguments: [
            ["--help"], ["--version"], ["lock", "--help"], ["-h"],
        ])
    func help(words: [String]) throws {
        let bench = try CommandBench(enrolled: false)
        let outcome = try bench.runWithoutPIN(words[0], words.count > 1 ? words[1] : "--help")
        #expect(outcome.status == 0)
        #expect(outcome.messages == "")
        #expect(!outcome.output.isEmpty)
        #expect(access(bench.home.directory, F_OK) != 0)
    }

    @Test("the man page and the program name the same commands and options")
    func manual() throws {
        let checkout = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: checkout.appendingPathComponent("man/walkdown.1"), encoding: .utf8)
        let program = Walkdown.program(in: try CommandBench(enrolled: false).surroundings)
        let hasDemo = program.root.subcommand(named: "demo") != nil
        let ahead = hasDemo ? [] : ["there is no option --keep", "there is no option --tour"]
        #expect(program.differences(fromManual: page) == ahead)
    }

    @Test("a command that does not exist is a usage error")
    func unknown() throws {
        let outcome = try CommandBench().run("report")
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.messages.contains("report"))
    }

    @Test(
        "with --json a wrong line is one document too",
        arguments: [
            ["show", "--json"], ["bogus", "--json"], ["--json", "list", "--nonsense"], ["--json"],
            ["demo", "--json"], ["demo", "--tour", "--json"], ["set", "a", "b", "--json"],
        ])
    func usageDocument(words: [String]) throws {
        let outcome = try CommandBench().run(words)
        #expect(outcome.status == 2, "\(outcome.messages)")
        #expect(try outcome.json?.object("error").integer("exitCode") == 2)
        #expect(try outcome.json?.object("error").string("message").isEmpty == false)
    }

    @Test("--color stands before and after every command")
    func colour() throws {
        for (path, command) in Walkdown.program(in: try CommandBench().surroundings).allCommands {
            let operands = command.positionals.filter(\.isRequired).map { _ in "x=1" }
            for words in [
                ["--color", "never"] + path + operands, path + operands + ["--color=always"],
            ] {
                let program = Walkdown.program(in: try CommandBench().surroundings)
                guard case .run(_, let line) = try program.parse(words) else { continue }
                #expect(line.has("color"), "\(words)")
            }
        }
        #expect(try CommandBench().run("lock", "--color", "blue").status == 2)
    }

    @Test("info tells the server's address where the PIN is given")
    func infoServer() throws {
        let bench = try StoreBench()
        try bench.withStore { store in
            try store.store(
                Enrolment(
                    serverURL: "https://server.example:8443", deviceID: CommandBench.deviceId,
                    token: "t", team: "x", caPem: "", pins: [], deviceKey: ""))
        }
        #expect(try bench.document("info").string("server") == "https://server.example:8443")
        #expect(try bench.run("info").output.contains("server    https://server.example:8443\n"))
        let closed = try bench.bench.runWithoutPIN("info", "--json")
        #expect(closed.status == 0)
        #expect(try closed.json?.required("server") == .null)
        #expect(try bench.bench.runWithoutPIN("info").output.contains("--pin-file"))
    }

    @Test("info tells where things are, without a PIN")
    func info() throws {
        let bench = try CommandBench()
        let outcome = try bench.runWithoutPIN("info", "--json")
        #expect(outcome.status == 0)
        #expect(try outcome.json?.string("deviceId") == CommandBench.deviceId)
        #expect(try outcome.json?.string("home") == bench.home.directory)
        #expect(try bench.runWithoutPIN("info").output.contains(CommandBench.deviceId))
    }

    @Test("info of a device that is not enrolled says so and makes nothing")
    func infoNotEnrolled() throws {
        let bench = try CommandBench(enrolled: false)
        let outcome = try bench.runWithoutPIN("info", "--json")
        #expect(outcome.status == 0)
        #expect(try outcome.json?.bool("enrolled") == false)
        #expect(access(bench.home.directory, F_OK) != 0)
    }

    @Test(
        "the screen has no JSON and is drawn in one way",
        arguments: [["--json"], ["--ascii", "--utf8"]])
    func noScreen(words: [String]) throws {
        let outcome = try CommandBench().run(words)
        #expect(outcome.status == 2)
        #expect(outcome.messages.contains("JSON") || outcome.messages.contains("one of"))
    }

    @Test("lock is done also when nothing is unlocked")
    func lockNothing() throws {
        let outcome = try CommandBench().runWithoutPIN("lock")
        #expect(outcome.status == 0)
        #expect(outcome.output == "nothing is unlocked\n")
    }

    @Test("passwd closes the key under the new PIN")
    func passwd() throws {
        let bench = try StoreBench().bench
        let new = try bench.folder.write("a longer passphrase\n", to: "new")
        #expect(chmod(new, 0o600) == 0)
        #expect(try bench.run("passwd", "--new-pin-file", new).status == 0)
        let old = try bench.run("passwd", "--new-pin-file", new)
        #expect(old.status == 6)
        #expect(old.messages.contains("the PIN is wrong (1 try in a row)"))
        #expect(old.messages.contains("in 1 second"))
    }

    @Test("a running delay is told with its seconds, and nothing waits or is tried")
    func delay() throws {
        let bench = try StoreBench().bench
        let wrong = try bench.folder.write("000000\n", to: "wrong")
        #expect(chmod(wrong, 0o600) == 0)
        #expect(try bench.runWithoutPIN("passwd", "--pin-file", wrong).status == 6)
        let early = try bench.run("passwd", "--new-pin-file", wrong)
        #expect(early.status == 6)
        #expect(early.messages.contains("1 second"))
        bench.wait(seconds: 1)
        #expect(try bench.run("passwd", "--new-pin-file", wrong).status == 0)
    }

    @Test("without a terminal and a file there is no PIN")
    func noPIN() throws {
        let outcome = try CommandBench().runWithoutPIN("passwd")
        #expect(outcome.status == 6)
        #expect(outcome.messages.contains("--pin-file"))
    }

    @Test("a home that another process holds is named with that process")
    func held() throws {
        let bench = try CommandBench()
        let lease = try HomeLease.acquire(bench.home)
        let outcome = try bench.run("passwd", "--json")
        #expect(outcome.status == 6)
        #expect(outcome.messages.contains("process \(getpid())"))
        #expect(try outcome.json?.object("error").integer("exitCode") == 6)
        withExtendedLifetime(lease) {}
    }

    @Test("who copies a home from a disk that can only be read hears what that copy is for")
    func readOnlyDisk() throws {
        let failure = Walkdown.renderer.failure(
            for: VaultError.system(operation: "open", path: "tries", code: EROFS))
        let advice = try #require(failure.advice)
        #expect(advice.contains("reading only"))
        #expect(advice.contains("Remove it afterwards"))
    }

    @Test("a PIN file that others may read gives a warning and works")
    func looseFile() throws {
        let bench = try StoreBench().bench
        #expect(chmod(bench.folder.file("pin"), 0o644) == 0)
        let new = try bench.folder.write("another pin\n", to: "new")
        #expect(chmod(new, 0o600) == 0)
        let outcome = try bench.run("passwd", "--new-pin-file", new)
        #expect(outcome.status == 0)
        #expect(outcome.messages.contains("other people may read"))
    }

    @Test("doctor names a damaged vault and does not call it a wrong PIN")
    func doctorDamage() throws {
        let bench = try CommandBench()
        #expect(truncate(bench.home.vault, 40) == 0)
        let told = try bench.run("doctor")
        #expect(told.output.contains("wrong  key slot: vault.json is damaged"))
        #expect(told.output.contains("its copy is whole"))
        #expect(truncate(bench.home.vaultCopy, 40) == 0)
        let outcome = try bench.run("doctor", "--json")
        #expect(outcome.status == 6)
        #expect(try outcome.json?.bool("ok") == false)
        #expect(outcome.output.contains("vault.json is damaged"))
    }

    /// - Returns: `vault.json` with the old PIN, and the new PIN.
    private func changedPIN(_ bench: StoreBench) throws -> (old: Data, pin: String) {
        let old = try #require(FileManager.default.contents(atPath: bench.bench.home.vault))
        let pin = try bench.bench.folder.write("a longer passphrase\n", to: "new")
        #expect(chmod(pin, 0o600) == 0)
        #expect(try bench.run("passwd", "--new-pin-file", pin).status == 0)
        return (old, pin)
    }

    @Test(
        "V05 an old vault.json that is put back after a new PIN opens nothing, and doctor says so")
    func oldVault() throws {
        let bench = try StoreBench()
        let (old, pin) = try changedPIN(bench)
        let home = bench.bench.home
        try old.write(to: URL(fileURLWithPath: home.vault))
        let told = try bench.bench.runWithoutPIN("doctor", "--pin-file", pin)
        #expect(told.status == 1)
        #expect(told.output.contains("wrong  key slot: vault.json is an older one"))
        let refused = try bench.run("set", StoreBench.assigned.rawValue, "notes=x")
        #expect(refused.status == 6 && refused.messages.contains("the PIN is wrong"))
        bench.bench.wait(seconds: 10)
        let mended = try bench.bench.runWithoutPIN("doctor", "--repair", "--pin-file", pin)
        #expect(mended.output.contains("ok     repair: vault.json is made anew"))
        #expect(mended.output.contains("ok     key slot"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: home.vault)) != old)
        #expect(try bench.run("list").status == 6)
    }

    @Test(
        "V05 a flipped version number in vault.json keeps nobody out, and doctor --repair mends it")
    func flippedVersion() throws {
        let bench = try StoreBench()
        let vault = URL(fileURLWithPath: bench.bench.home.vault)
        let whole = try Data(contentsOf: vault)
        let flipped = String(decoding: whole, as: UTF8.self)
            .replacingOccurrences(of: "\"version\": 1\n", with: "\"version\": 3\n")
        try #require(Data(flipped.utf8) != whole)
        try Data(flipped.utf8).write(to: vault)
        #expect(try bench.run("list").status == 0)
        let told = try bench.run("doctor")
        #expect(told.output.contains("wrong  key slot: vault.json is damaged: a version number"))
        let mended = try bench.run("doctor", "--repair")
        #expect(mended.output.contains("ok     repair: vault.json is made anew"))
        #expect(try Data(contentsOf: vault) == whole)
    }

    @Test("V05 a newer program's vault is named as such, and left as it is")
    func newerVault() throws {
        let bench = try StoreBench()
        let newer = Data(#"{"version":2,"slots":[]}"#.utf8)
        let paths = [bench.bench.home.vault, bench.bench.home.vaultCopy]
        for path in paths { try newer.write(to: URL(fileURLWithPath: path)) }
        for words in [["list"], ["sync"], ["doctor", "--repair"]] {
            let outcome = try bench.bench.run(words)
            #expect(outcome.status == 6, "\(words)")
            #expect((outcome.output + outcome.messages).contains("a newer walkdown has written"))
        }
        for path in paths { #expect(FileManager.default.contents(atPath: path) == newer) }
    }

    @Test("doctor finds files that are open to others")
    func doctorModes() throws {
        let bench = try StoreBench()
        #expect(chmod(bench.bench.home.vault, 0o644) == 0)
        let outcome = try bench.run("doctor")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains(bench.bench.home.vault))
    }

    @Test("doctor misses a database")
    func doctorWithoutDatabase() throws {
        let outcome = try CommandBench().run("doctor")
        #expect(outcome.status == 6)
        #expect(outcome.output.contains("wrong  database"))
    }
}
