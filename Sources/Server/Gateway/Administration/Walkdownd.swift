package import Arguments

#if canImport(Glibc)
    import Glibc
#endif

/// The program `walkdownd`: its table of commands, and its life but for `exit`.
package enum Walkdownd {
    /// - Parameter words: after the program's name.
    /// - Returns: the exit status.
    package static func run(_ words: [String], console: Console = Console()) -> Int32 {
        let source = FolderSource(words: words, environment: environment)
        return program(source).run(words, console: console, renderer: renderer)
    }

    static let environment: @Sendable (String) -> String? = { name in
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The commands, as they run in `source`. `init` and `serve` run where they are called.
    static func program(_ source: some SessionSource) -> Program {
        Program(
            root: Command(
                "walkdownd",
                summary: "The sync server of Walkdown.",
                subcommands: local + administration.map { $0.command(in: source) } + [
                    .completions { program(source) }
                ]),
            globalOptions: [
                Option(
                    "data", value: "DIR",
                    help: "The data folder; else $WALKDOWN_DATA, else $XDG_DATA_HOME/walkdownd."),
                Option("json", help: "One JSON document on standard output."),
            ])
    }

    private static let local =
        [
            Command(
                "init", summary: "Make an authority, a server certificate and an administrator.",
                discussion: "Never overwrites. Prints the administrator's one-time password.",
                options: Init.options
            ) { try Init.run($0, $1, environment: environment) },
            Command(
                "serve", summary: "Listen for devices until SIGTERM, SIGINT or SIGHUP.",
                discussion:
                    "The first line on standard output names the address; logs are JSON lines "
                    + "on standard error.",
                options: Serve.options
            ) { try Serve.run($0, $1, environment: environment) },
        ] + BackupCommands.all(environment)

    static let administration: [Administration] = [
        .group("team", "Teams.", TeamCommands.all),
        .group("device", "Devices: codes, list, revoke.", DeviceCommands.all),
        .group("form", "Forms: publish, list, compare, close, check, test.", FormCommands.all),
        .group(
            "import", "Sites, assets and assignments from CSV files; bundles of devices.",
            ImportCommands.all + [BundleImport.entry]),
        .group("review", "Values that wait for a person.", ReviewCommands.all),
        .group("finding", "What was found wrong: list, close.", FindingCommands.all),
        InspectionCommands.approve, InspectionCommands.sendBack, ExportCommand.entry,
        HistoryCommand.entry,
        StatusCommand.entry, PruneCommand.entry, DoctorCommand.entry,
    ]

    /// The files that a command line reads, so that they can travel with it.
    static func files(
        of invocation: Invocation
    ) -> (paths: [String], kind: Administration.FileKind) {
        var entries = administration
        var found: Administration?
        for name in invocation.path {
            found = entries.first { $0.name == name }
            entries = found?.children ?? []
        }
        guard let found, let operand = found.fileOperand else { return ([], .text) }
        return (invocation.operands(operand).filter(found.isFile), found.fileKind)
    }
}

/// An administration command, not yet bound to where it runs.
struct Administration: Sendable {
    typealias Perform = @Sendable (Session, Invocation, Console) throws -> ExitCode

    enum FileKind: Sendable {
        case text, bytes
    }

    var name: String
    var summary: String
    var positionals: [Positional] = []
    var options: [Option] = []
    /// The operand that names files to read.
    var fileOperand: String?
    var fileKind = FileKind.text
    /// How values of that operand end that name files; empty where all do.
    var fileEnds: [String] = []
    var children: [Administration] = []
    /// For what needs no store.
    var storeless: Storeless?
    var perform: Perform?

    /// Runs where it is called, without a data folder.
    struct Storeless: Sendable {
        var action: Command.Action
    }

    func isFile(_ operand: String) -> Bool {
        fileEnds.isEmpty || fileEnds.contains { operand.lowercased().hasSuffix($0) }
    }

    static func group(
        _ name: String, _ summary: String, _ children: [Administration]
    ) -> Administration {
        Administration(name: name, summary: summary, children: children)
    }

    func command(in source: some SessionSource) -> Command {
        return Command(
            name, summary: summary, positionals: positionals, options: options,
            subcommands: children.map { $0.command(in: source) }, action: action(in: source))
    }

    private func action(in source: some SessionSource) -> Command.Action? {
        guard let perform else { return storeless?.action }
        return { invocation, console in try source.run(invocation, console, perform) }
    }
}
