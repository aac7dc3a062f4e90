import Arguments
import Glibc
import Testing

@Suite("Words at the edge of a program")
struct ConsoleTests {
    /// Runs the program with one command's action and returns its status and both outputs.
    private func run(
        _ words: [String] = ["act"], action: @escaping Command.Action = { _, _ in .done },
        output: Int32? = nil
    ) throws -> (status: Int32, output: String, messages: String) {
        let program = Program(
            root: Command(
                "act", summary: "Acts.",
                subcommands: [Command("act", summary: "Act.", action: action)]),
            version: "9", globalOptions: [])
        let out = try Pipe()
        let messages = try Pipe()
        let console = Console(output: output ?? out.writer, messages: messages.writer)
        let status = program.run(
            words, console: console, renderer: Renderer(program: "act"))
        return (status, out.finish(), messages.finish())
    }

    @Test("help and version go to standard output with exit code 0")
    func helpToOutput() throws {
        let help = try run(["--help"])
        #expect(help.status == 0)
        #expect(help.output.hasPrefix("Usage: act"))
        #expect(help.messages == "")
        let version = try run(["--version"])
        #expect(version.status == 0 && version.output == "act 9\n")
    }

    @Test("a usage error goes to standard error with exit code 2 and a suggestion")
    func usage() throws {
        let result = try run(["atc"])
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(
            result.messages
                == "act: there is no command 'atc'\n"
                + "Did you mean 'act'? 'act --help' says what there is.\n")
    }

    @Test("what an argument carried in cannot command the terminal")
    func controlCharacters() throws {
        let result = try run(["\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}x\n"])
        #expect(result.messages.hasPrefix("act: there is no command ']0;owned2Jx '\n"))
        #expect(terminalSafe("a\tb\r\nc\u{0}é👩‍🔧ش") == "a b  cé👩‍🔧ش")
        #expect(terminalSafe("a\nb", keepingLines: true) == "a\nb")
    }

    @Test("a failure chooses the exit code and says what to do")
    func failure() throws {
        let result = try run(action: { _, _ in
            throw Failure(.locked, "the home is held by process 12", advice: "Close it first.")
        })
        #expect(result.status == 6)
        #expect(result.messages == "act: the home is held by process 12\nClose it first.\n")
    }

    @Test("an error of another module is said by its translation")
    func translated() {
        struct Strange: Error { let place = "here" }
        let renderer = Renderer(
            program: "act",
            translations: [
                { error in (error as? Strange).map { Failure(.validation, "strange \($0.place)") } }
            ])
        #expect(renderer.failure(for: Strange()) == Failure(.validation, "strange here"))
    }

    @Test("a reader that went away ends the program quietly, as the signal would have")
    func brokenPipe() throws {
        let gone = try Pipe()
        close(gone.reader)
        let result = try run(
            action: { _, console in
                try console.writeLine("nobody hears this")
                return .done
            }, output: gone.writer)
        #expect(result.status == 141)
        #expect(result.messages == "")
    }

    @Test("a full disk behind standard output is an error, not silence")
    func fullDisk() throws {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let result = try run(["--help"], output: full)
        #expect(result.status == 1)
        #expect(result.messages.hasPrefix("act: standard output could not be written:"))
    }

    @Test("the gravest exit code wins")
    func gravest() {
        #expect(ExitCode.gravest([.failed, .validation, .needsPerson]) == .needsPerson)
        #expect(ExitCode.gravest([.revoked, .locked]) == .revoked)
        #expect(ExitCode.gravest([]) == .done)
    }

    @Test("a table aligns its columns and lets no cell break a line")
    func table() {
        var table = TextTable(["id", "state"])
        table.append(["a-long-id", "assigned"])
        table.append(["b", "in\nprogress"])
        #expect(table.text == "id         state\na-long-id  assigned\nb          in progress\n")
    }
}

/// pipe(2), closed when its reader has read all.
private struct Pipe {
    let reader: Int32
    let writer: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(.failed, "no pipe: \(errno)") }
        reader = ends[0]
        writer = ends[1]
    }

    /// What was written; no more than a pipe holds, so nothing blocks.
    func finish() -> String {
        close(writer)
        defer { close(reader) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(reader, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
