/// The shells that can complete our command lines.
package enum CompletingShell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

extension Program {
    /// What the shell reads to complete this program's command lines, made from the same tables as
    /// parser and help. It completes words of the tables and file names; it never runs the program,
    /// because a store may be locked and a key press must not wait for it.
    package func completions(for shell: CompletingShell) -> String {
        let table = CompletionTable(self)
        return switch shell {
        case .bash: table.bash
        case .zsh: table.zsh
        case .fish: table.fish
        }
    }
}

/// The program's tables as a shell asks for them: what may come next, at each command.
struct CompletionTable {
    /// A command by the words that lead to it, the program's own name left out.
    struct Place {
        let path: [String]
        let subcommands: [(name: String, summary: String)]
        let options: [Option]
        /// Whether one of its operands is the name of a file.
        let takesFiles: Bool

        /// As the scripts write it: ` form publish`, empty for the program itself.
        var key: String { path.map { " " + $0 }.joined() }
    }

    enum Value: Equatable {
        case oneOf([String])
        case file
        case folder
        /// Something that only a person knows.
        case other
    }

    let program: String
    let places: [Place]
    let globals: [Option]

    init(_ program: Program) {
        self.program = program.name
        globals = program.globalOptions
        places =
            [Self.place([], program.root)]
            + program.allCommands.map { Self.place($0.path, $0.command) }
    }

    private static func place(_ path: [String], _ command: Command) -> Place {
        Place(
            path: path, subcommands: command.subcommands.map { ($0.name, $0.summary) },
            options: command.options,
            takesFiles: command.positionals.contains { ["FILE", "CASES"].contains($0.name) })
    }

    func options(at place: Place) -> [Option] { place.options + globals }

    /// Every option that takes a value, wherever it may stand.
    var valued: [Option] {
        (globals + places.flatMap(\.options)).filter(\.takesValue)
    }
}

extension Option {
    var completedValue: CompletionTable.Value {
        if !allowed.isEmpty { return .oneOf(allowed) }
        return switch placeholder {
        case "FILE", "PATH": .file
        case "DIR": .folder
        default: .other
        }
    }

    /// As it is typed: `-o` and `--output`.
    var spellings: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--" + name] }
}

/// A word in single quotes, as every one of the shells reads it.
func shellQuoted(_ text: String, quote: String = #"'\''"#) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: quote)
        + "'"
}
