import Arguments
import Glibc
import Testing

@Suite("Words at the edge of a program")
struct ConsoleTests {
    /// Runs the program with one command's action and returns its status and both outputs.
    private func run(
        _ words: [String] = ["act"], action: @escaping Command.Action = { _, _ in .done },
        output: Int32? = nil, document: (@Sendable (Failure) -> [UInt8])? = nil
    ) throws -> (status: Int32, output: String, messages: String) {
        let program = Program(
            root: Command(
                "act", summary: "Acts.",
                subcommands: [Command("act", summary: "Act.", action: action)]),
            version: "9", globalOptions: [Option("json", help: "JSON.")])
        let out = try Pipe()
        let messages = try Pipe()
        let console = Console(output: output ?? out.writer, messages: messages.writer)
        let status = program.run(
            words, console: console, renderer: Renderer(program: "act", document: document))
        return (status, out.finish(), messages.finish())
    }

    private static let document: @Sendable (Failure) -> [UInt8] = { failure in
        Array("{\(failure.exitCode.rawValue)}".utf8)
    }

    @Test(
        "with --json a failure is one document, also where the line is wrong",
        arguments: [
            (["act", "--json"], "{3}\n"), (["--json", "act", "--nonsense"], "{2}\n"),
            (["--json"], "{2}\n"), (["nonsense", "--json"], "{2}\n"), (["act"], ""),
            (["act", "x", "--", "--json"], ""),
        ])
    func failureDocument(words: [String], expected: String) throws {
        let result = try run(
            words, action: { _, _ in throw Failure(.validation, "no") }, document: Self.document)
        #expect(result.output == expected)
        #expect(result.messages.hasPrefix("act: "))
    }

    @Test("a command that fails after its document adds no second one")
    func oneDocument() throws {
        let result = try run(
            ["act", "--json"],
            action: { _, console in
                try console.writeDocument(Array("{}".utf8))
                throw Failure(.failed, "late")
            }, document: Self.document)
        #expect(result.output == "{}\n" && result.status == 1)
    }

    @Test("a document that nobody can read does not hide the failure")
    func documentOnFullDisk() throws {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let result = try run(["nonsense", "--json"], output: full, document: Self.document)
        #expect(result.status == 2 && result.messages.contains("nonsense"))
    }

    @Test(
        "a word that is not UTF-8 refuses the line instead of becoming another word",
        arguments: [
            [0x62, 0xFF], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
        ] as [[UInt8]])
    func notUTF8(word: [UInt8]) throws {
        let out = try Pipe()
        let messages = try Pipe()
        let words = RawWords([Array("set".utf8), word, Array("--json".utf8)])
        let status = words.run(
            Renderer(program: "act", document: Self.document),
            console: Console(output: out.writer, messages: messages.writer)
        ) { _ in
            Issue.record("it ran")
            return 0
        }
        #expect(status == 2)
        #expect(out.finish() == "{2}\n")
        #expect(messages.finish().hasPrefix("act: word 2 of the command line is not UTF-8\n"))
    }

    @Test("words that are text arrive as they are")
    func rawWords() {
        let given = ["", "é", "e\u{301}", "👩‍🔧", "a\u{1B}b", "\u{FFFD}"]
        let status = RawWords(given.map { Array($0.utf8) }).run(Renderer(program: "act")) { words in
            #expect(words.map { Array($0.utf8) } == given.map { Array($0.utf8) })
            return 7
        }
        #expect(status == 7)
    }

    @Test("a value stays on its line and in its column")
    func escaped() {
        #expect(escapingLines("a\nb\tc\r\nd\\n é") == #"a\nb\tc\r\nd\\n é"#)
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
        let long = String(repeating: "x", count: 5000)
        table.append([long, "complete"])
        let lines = table.text.split(separator: "\n")
        #expect(lines[3] == long + "  complete")
        #expect(lines[2] == "b" + String(repeating: " ", count: 41) + "in progress")
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
