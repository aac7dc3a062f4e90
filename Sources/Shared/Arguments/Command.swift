/// One command, or a group of commands, as data. A command that is not built yet is simply absent,
/// so the help never promises what does not exist.
package struct Command: Sendable {
    package typealias Action = @Sendable (Invocation, Console) throws -> ExitCode

    package let name: String
    /// One line for the list of commands.
    package let summary: String
    /// Further sentences for the command's own help.
    package let discussion: String
    package let positionals: [Positional]
    package let options: [Option]
    package let subcommands: [Command]
    /// What the command does; nil for a group, which only holds sub-commands.
    package let action: Action?

    package init(
        _ name: String,
        summary: String,
        discussion: String = "",
        positionals: [Positional] = [],
        options: [Option] = [],
        subcommands: [Command] = [],
        action: Action? = nil
    ) {
        precondition(
            positionals.dropLast().allSatisfy { !$0.isRepeatable },
            "only the last operand of \(name) may be repeated")
        precondition(action != nil || !subcommands.isEmpty, "\(name) does nothing")
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.positionals = positionals
        self.options = options
        self.subcommands = subcommands
        self.action = action
    }

    package func subcommand(named name: String) -> Command? {
        subcommands.first { $0.name == name }
    }
}

/// A whole program: its commands, and the options that stand before or after any of them.
package struct Program: Sendable {
    /// The command without a name given: its action is what the bare program does, its options are
    /// accepted before a sub-command only where that sub-command has them too.
    package let root: Command
    package let version: String
    package let globalOptions: [Option]

    package static let help = Option("help", letter: "h", help: "Show this help and exit.")
    package static let version = Option("version", help: "Show the version and exit.")

    package init(root: Command, version: String = Release.version, globalOptions: [Option]) {
        self.root = root
        self.version = version
        self.globalOptions = globalOptions + [Program.help, Program.version]
    }

    package var name: String { root.name }

    /// Every command with the path that leads to it (without the program's name), groups included.
    package var allCommands: [(path: [String], command: Command)] {
        var found: [(path: [String], command: Command)] = []
        func visit(_ command: Command, _ path: [String]) {
            for child in command.subcommands {
                found.append((path + [child.name], child))
                visit(child, path + [child.name])
            }
        }
        visit(root, [])
        return found
    }
}

package enum Release {
    /// The one place that says which Walkdown this is.
    package static let version = "0.1.0"
}
