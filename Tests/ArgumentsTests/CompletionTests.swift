import Foundation
import Testing

@testable import Arguments

struct CompletionLine: Sendable, CustomTestStringConvertible {
    var words: [String]
    var expected: [String]
    var testDescription: String { words.joined(separator: " ") }

    init(_ words: String..., gives expected: [String]) {
        self.words = words
        self.expected = expected
    }
}

let completionLines = [
    CompletionLine("", gives: ["demo", "form", "list", "report", "set"]),
    CompletionLine("re", gives: ["report"]),
    CompletionLine("form", "", gives: ["list", "publish"]),
    CompletionLine("form", "p", gives: ["publish"]),
    CompletionLine("list", "--f", gives: ["--form"]),
    CompletionLine("--color", "a", gives: ["always", "auto"]),
    CompletionLine("list", "--color", "n", gives: ["never"]),
    // A value that reads like a command is none.
    CompletionLine("--home", "form", "", gives: ["demo", "form", "list", "report", "set"]),
    CompletionLine("set", "--form", gives: []),
    CompletionLine("list", "--form", "", gives: []),
]

private let fishShell = ["/usr/bin/fish", "/bin/fish"].first(where: isProgram)
private let zshShell = ["/usr/bin/zsh", "/bin/zsh"].first(where: isProgram)

private func isProgram(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
}

/// The trial program's completions, asked for in the shells themselves as a person's Tab would.
@Suite("Completions")
struct CompletionTests {
    @Test("bash completes commands, options and values", arguments: completionLines)
    func inBash(_ line: CompletionLine) throws {
        let words = (["trial"] + line.words).map { shellQuoted($0) }.joined(separator: " ")
        let script = """
            \(trial.completions(for: .bash))
            COMP_WORDS=(\(words))
            COMP_CWORD=\(line.words.count)
            _trial
            [ ${#COMPREPLY[@]} -gt 0 ] && printf '%s\\n' "${COMPREPLY[@]}"
            exit 0
            """
        #expect(try answer(of: "/bin/bash", ["-u", "-c", script]).sorted() == line.expected)
    }

    @Test("bash reads --option=VALUE, which it breaks in three")
    func joined() throws {
        let script = """
            \(trial.completions(for: .bash))
            COMP_WORDS=(trial list --color = al)
            COMP_CWORD=4
            _trial
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try answer(of: "/bin/bash", ["-u", "-c", script]) == ["always"])
    }

    @Test(
        "fish completes the same", .enabled(if: fishShell != nil, "no fish here"),
        arguments: completionLines)
    func inFish(_ line: CompletionLine) throws {
        let text = (["trial"] + line.words).joined(separator: " ")
        let script = """
            \(trial.completions(for: .fish))
            complete -C \(shellQuoted(text, quote: #"\'"#))
            """
        let found = try answer(of: #require(fishShell), ["-N", "-c", script])
            .compactMap { $0.split(separator: "\t").first.map(String.init) }
        #expect(found == line.expected)
    }

    @Test("zsh reads its script", .enabled(if: zshShell != nil, "no zsh here"))
    func inZsh() throws {
        let script = """
            autoload -Uz compinit && compinit -u -D
            source =(cat <<'SCRIPT'
            \(trial.completions(for: .zsh))
            SCRIPT
            )
            print -l ${(ok)functions[(I)_trial*]} ${_comps[trial]}
            """
        let found = try answer(of: #require(zshShell), ["-f", "-c", script])
        #expect(
            found == [
                "_trial", "_trial_demo", "_trial_form", "_trial_form_list",
                "_trial_form_publish", "_trial_list", "_trial_report", "_trial_set", "_trial",
            ])
    }

    @Test(
        "every command and option of the tables is in each script",
        arguments: CompletingShell.allCases)
    func complete(shell: CompletingShell) {
        let script = trial.completions(for: shell)
        for (_, command) in trial.allCommands {
            #expect(script.contains(command.name))
            for option in command.options { #expect(script.contains(option.name)) }
        }
    }

    /// The sorted lines that a shell prints; it must end well and complain of nothing.
    private func answer(of shell: String, _ arguments: [String]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = arguments
        let output = Pipe()
        let complaints = Pipe()
        process.standardOutput = output
        process.standardError = complaints
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errors = complaints.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(errors.isEmpty && process.terminationStatus == 0)
        return text.split(separator: "\n").map(String.init)
    }
}
