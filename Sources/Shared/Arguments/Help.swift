extension Program {
    static let helpWidth = 80

    /// The help of the command at the end of the path; the path begins with the root.
    func help(for path: [Command]) -> String {
        let command = path[path.count - 1]
        var parts = [usage(of: path), wrapped(command.summary)]
        if !command.discussion.isEmpty {
            parts.append(wrapped(command.discussion))
        }
        parts += [
            section("Commands", command.subcommands.map { ($0.name, $0.summary) }),
            section(
                "Arguments",
                command.positionals.filter { !$0.help.isEmpty }.map { ($0.name, $0.help) }),
            section("Options", command.options.map { ($0.synopsis, $0.help) }),
            section("Everywhere", globalOptions.map { ($0.synopsis, $0.help) }),
        ]
        if path.count == 1 {
            parts.append(
                section("Exit status", ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }))
        }
        if !command.subcommands.isEmpty {
            let names = path.map(\.name).joined(separator: " ")
            parts.append("'\(names) COMMAND --help' says more about one command.\n")
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func usage(of path: [Command]) -> String {
        let command = path[path.count - 1]
        var words = path.map(\.name)
        if !command.subcommands.isEmpty {
            words.append(command.action == nil ? "COMMAND" : "[COMMAND]")
        }
        if !command.options.isEmpty {
            words.append("[OPTION ...]")
        }
        words += command.positionals.map(\.synopsis)
        let lines = wrap(words.joined(separator: " "), to: Program.helpWidth - 7)
        return lines.enumerated().map { index, line in
            (index == 0 ? "Usage: " : "       ") + line + "\n"
        }.joined()
    }

    private func wrapped(_ text: String) -> String {
        let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false)
        return paragraphs.map { paragraph in
            wrap(String(paragraph), to: Program.helpWidth).joined(separator: "\n") + "\n"
        }.joined()
    }

    /// Terms on the left, their meaning in a column on the right; a long term has its own line.
    private func section(_ title: String, _ entries: [(term: String, meaning: String)]) -> String {
        guard !entries.isEmpty else { return "" }
        let longest = entries.map(\.term.count).filter { $0 <= 24 }.max() ?? 0
        let column = 2 + max(longest, 8) + 2
        var lines = [title + ":"]
        for entry in entries {
            let meaning = wrap(entry.meaning, to: Program.helpWidth - column)
            let fits = 2 + entry.term.count + 2 <= column
            let indent = String(repeating: " ", count: column)
            var rest = meaning[...]
            var first = "  " + entry.term
            if fits, let start = rest.popFirst() {
                first += String(repeating: " ", count: column - first.count) + start
            }
            lines.append(first)
            lines += rest.map { indent + $0 }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Breaks a paragraph at blanks; a word longer than the width stands alone.
func wrap(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if !line.isEmpty, line.count + 1 + word.count > width {
            lines.append(line)
            line = ""
        }
        line += line.isEmpty ? String(word) : " " + word
    }
    return lines + [line]
}
