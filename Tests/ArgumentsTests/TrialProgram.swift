import Arguments

/// A small program with everything that the real ones have: globals, a group, operands, choices.
let trial = Program(
    root: Command(
        "trial", summary: "Tries the parser.", options: [Option("ascii", help: "Draw in ASCII.")],
        subcommands: [
            Command(
                "list", summary: "List inspections.",
                options: [Option("form", value: "FORM", help: "Only this form.")],
                action: { _, _ in .done }),
            Command(
                "set", summary: "Answer questions.",
                positionals: [
                    Positional("ID", help: "The inspection."),
                    Positional("QUESTION=VALUE", isRepeatable: true),
                ], action: { _, _ in .done }),
            Command(
                "demo", summary: "Try it.", options: [Option("ascii", help: "Draw in ASCII.")],
                action: { _, _ in .done }),
            Command(
                "form", summary: "Forms.",
                subcommands: [
                    Command(
                        "publish", summary: "Publish forms.",
                        positionals: [Positional("FILE", isRepeatable: true)],
                        action: { _, _ in .done }),
                    Command("list", summary: "List forms.", action: { _, _ in .done }),
                ]),
            Command(
                "report", summary: "Write a report.",
                discussion: "One page for each inspection, with answers, findings and signature, "
                    + "long enough to be broken at a blank.",
                positionals: [Positional("ID"), Positional("NOTE", isRequired: false)],
                options: [
                    Option("output", letter: "o", value: "FILE", help: "Where to write."),
                    Option("host", value: "NAME", isRepeatable: true, help: "A name, or several."),
                    Option(
                        "valid-for-a-very-long-time", value: "DURATION",
                        help: "A name that is too long for the column beside its meaning."),
                ], action: { _, _ in .done }),
        ], action: { _, _ in .done }),
    version: "1.2.3",
    globalOptions: [
        Option("home", value: "DIR", help: "Where the device's files are."),
        Option("json", help: "Answer with one JSON document."),
        Option("color", allowed: ["auto", "always", "never"], help: "Colours."),
    ])

/// The invocation of a line that must parse to a command.
func invocation(_ words: String...) throws -> Invocation {
    guard case .run(_, let invocation) = try trial.parse(words) else {
        throw Failure(.failed, "\(words) asked for help or version")
    }
    return invocation
}

func helpText(_ words: String...) throws -> String {
    guard case .help(let text) = try trial.parse(words) else {
        throw Failure(.failed, "\(words) did not ask for help")
    }
    return text
}
