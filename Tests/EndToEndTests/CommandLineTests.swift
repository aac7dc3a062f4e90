import Coding
import Foundation
import TestSupport
import Testing

/// The built `walkdown` as a script meets it, without a server.
@Suite("walkdown as a process")
struct CommandLineTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("command-line")
    }

    private func walkdown(_ words: String..., input: String = "") throws -> ProgramRun {
        try ProgramRun.run(
            "walkdown", words, input: input,
            environment: ["WALKDOWN_HOME": folder.file("home")], folder: folder)
    }

    private var homeIsUntouched: Bool {
        !FileManager.default.fileExists(atPath: folder.file("home"))
    }

    @Test("help and version are results and need no home")
    func help() throws {
        for words in [["--help"], ["--version"], ["set", "--help"]] {
            let run = try ProgramRun.run("walkdown", words, folder: folder)
            #expect(run.status == 0, "\(words)")
            #expect(run.messages == "", "\(words)")
            #expect(run.output.contains("walkdown"), "\(words)")
        }
        #expect(homeIsUntouched)
    }

    @Test("a wrong command line exits 2 with a sentence on standard error")
    func usage() throws {
        for words in [
            ["nonsense"], ["list", "--nonsense"], ["show"], ["show", "a", "b"], ["set", "a"],
            ["list", "--home"], ["new"], ["resolve", "a"], ["retry"], ["enroll", "https://x"],
            ["report", "a", "-o", "f"], ["fill"], ["export", "a"], ["keys"], ["attach", "a"],
        ] {
            let run = try ProgramRun.run("walkdown", words, folder: folder)
            #expect(run.status == 2, "\(words): \(run.messages)")
            #expect(run.output == "", "\(words)")
            #expect(run.messages.hasPrefix("walkdown: "), "\(words)")
        }
    }

    @Test("every command that opens the store exits 6 where no device is enrolled")
    func notEnrolled() throws {
        for words in [
            ["list"], ["show", "a"], ["new", "f"], ["set", "a", "q=1"], ["complete", "a"],
            ["reopen", "a"], ["delete", "a"], ["sync"], ["status"], ["outbox"], ["retry", "m"],
            ["discard", "m", "--yes"], ["resolve", "a", "--mine"], ["sql", "SELECT 1"],
            ["passwd"], ["fill", "a"], ["export"],
        ] {
            let run = try ProgramRun.run(
                "walkdown", words + ["--home", folder.file("home"), "--pin-file", "-"],
                input: "246810\n", folder: folder)
            #expect(run.status == 6, "\(words): \(run.messages)")
            #expect(run.messages.contains("not enrolled"), "\(words)")
            #expect(run.output == "", "\(words)")
        }
        #expect(homeIsUntouched)
    }

    @Test("with --json a failure is one document too")
    func failureDocument() throws {
        let run = try walkdown("status", "--json")
        #expect(run.status == 6)
        #expect(try run.json?.object("error").integer("exitCode") == 6)
    }

    @Test("enrolment refuses a bad address or code before it makes or sends anything")
    func badEnrolment() throws {
        let code = "0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000"
        for words in [
            ["enroll", "ftp://x", code], ["enroll", "http://example.org:1", code],
            ["enroll", "https://", code], ["enroll", "https://localhost:99999", code],
            ["enroll", "https://localhost:1", "not a code"],
        ] {
            let run = try ProgramRun.run(
                "walkdown", words + ["--home", folder.file("home"), "--pin-file", "-"],
                input: "246810\n", folder: folder)
            #expect(run.status == 2, "\(words): \(run.messages)")
            #expect(run.output == "", "\(words)")
        }
        #expect(homeIsUntouched)
    }

    @Test("a PIN that cannot be one exits 6 before the code is spent")
    func badPIN() throws {
        let code = "0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000"
        for pin in ["", "12345\n", String(repeating: "9", count: 129)] {
            let run = try walkdown(
                "enroll", "http://127.0.0.1:1", code, "--pin-file", "-", input: pin)
            #expect(run.status == 6, "\(run.messages)")
            #expect(run.messages.contains("PIN"))
        }
        #expect(try walkdown("enroll", "http://127.0.0.1:1", code).status == 6)
    }

    @Test("an unreachable server exits 4 and leaves the device not enrolled")
    func unreachable() throws {
        let code = "0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000"
        let run = try walkdown(
            "enroll", "http://127.0.0.1:1", code, "--pin-file", "-", input: "246810\n")
        #expect(run.status == 4, "\(run.messages)")
        #expect(try walkdown("info", "--json").json?.bool("enrolled") == false)
    }

    @Test("a reader that goes away ends the program as SIGPIPE would")
    func brokenPipe() throws {
        let program = try Binaries.path(of: "walkdown")
        let output = folder.file("out")
        let status = try Spawn.run(
            ["bash", "-c", "'\(program)' --help | true; exit ${PIPESTATUS[0]}"],
            output: output, errors: folder.file("err"))
        // The reader may also have been quick enough to take all of it.
        #expect(status == 0 || status == 141)
    }
}
