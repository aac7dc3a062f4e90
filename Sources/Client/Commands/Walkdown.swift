package import Arguments
internal import Coding
internal import Vault

/// The program: its table of commands, and its life from the first word to the exit status.
package enum Walkdown {
    static let entries: [Entry] = [
        DemoCommand.entry, EnrollCommand.entry, ListCommand.entry, ShowCommand.entry,
        NewCommand.entry, SetCommand.entry, FillCommand.entry, FindingsCommand.entry,
        FindingCommand.entry, CompleteCommand.entry, ReopenCommand.entry, MoveCommand.entry,
        DeleteCommand.entry, SyncCommand.entry, StatusCommand.entry, OutboxCommand.entry,
        DraftsCommand.entry, BundleCommand.entry, RetryCommand.entry, DiscardCommand.entry,
        ResolveCommand.entry,
        ExportCommand.entry, SQLCommand.entry, LockCommand.entry, PasswdCommand.entry,
        InfoCommand.entry,
        DoctorCommand.entry, KeysCommand.entry,
    ]

    package static func program(in surroundings: Surroundings) -> Program {
        let root = Command(
            "walkdown",
            summary: "Fill inspections where there is no signal; synchronise when there is.",
            discussion: "Without a command: the application, on this terminal.",
            options: ScreenCommand.ownOptions,
            subcommands: entries.map { $0.command(in: surroundings) } + [
                .completions { program(in: surroundings) }
            ]
        ) { invocation, console in
            let run = CommandRun(
                invocation: invocation, console: console, surroundings: surroundings)
            return try ScreenCommand.open(run)
        }
        return Program(root: root, globalOptions: GlobalOption.all)
    }

    package static let renderer = Renderer(
        program: "walkdown",
        translations: [
            VaultWords.failure, StoreWords.failure, SyncWords.failure, TerminalWords.failure,
            ScriptFile.failure,
        ],
        document: { failure in
            let document: JSON = [
                "error": [
                    "exitCode": .integer(Int64(failure.exitCode.rawValue)),
                    "message": .string(failure.sentence),
                ]
            ]
            return document.serialized(pretty: true)
        })

    /// The program with the words of this process.
    /// - Returns: the exit status.
    package static func runProcess() -> Int32 {
        RawWords.ofThisProcess.run(renderer) { run($0) }
    }

    /// - Parameter words: the arguments without the program's name.
    /// - Returns: the exit status.
    package static func run(
        _ words: [String], console: Console = Console(),
        in surroundings: Surroundings = .ofThisProcess
    ) -> Int32 {
        // Before any lease is taken: 'walkdown lock' must not end a command that will be over in a
        // moment; what goes on for longer takes the signal later. What weakens the protection of memory is told by 'doctor'.
        LockSignal.ignore()
        _ = ProcessHardening.apply()
        return program(in: surroundings).run(words, console: console, renderer: renderer)
    }
}
