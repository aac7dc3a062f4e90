internal import Arguments
internal import TerminalKit

/// One command of `walkdown`: its line in the table and what it does. A command whose parts are
/// not built has no entry, so it is neither in the help nor accepted.
struct Entry: Sendable {
    typealias Action = @Sendable (CommandRun) throws -> ExitCode

    let name: String
    let summary: String
    var discussion = ""
    var positionals: [Positional] = []
    var options: [Option] = []
    let action: Action

    func command(in surroundings: Surroundings) -> Command {
        Command(
            name, summary: summary, discussion: discussion, positionals: positionals,
            options: options
        ) { [action] invocation, console in
            let run = CommandRun(
                invocation: invocation, console: console, surroundings: surroundings)
            return try action(run)
        }
    }
}

/// The operands and options that several commands share.
extension Positional {
    static let inspection = Positional(
        "ID", help: "An inspection, as 'list' shows it; the first characters suffice.")
    static let mutation = Positional(
        "MUTATION", help: "A row of the queue, as 'outbox' shows it; the first characters suffice.")
}

enum GlobalOption {
    static let home = Option(
        "home", value: "DIR",
        help: "The device's home; else $WALKDOWN_HOME, else the XDG data folder.")
    static let pinFile = Option(
        "pin-file", value: "FILE",
        help: "Read the PIN from the first line of FILE ('-' is standard input).")
    static let json = Option(
        "json", help: "One JSON document on standard output.")
    static let colour = Option(
        "color", value: "WHEN", allowed: ScreenOptions.ColourChoice.allCases.map(\.rawValue),
        help: "Colour on the screen: auto (unless NO_COLOR is set), always or never.")

    static let all = [home, pinFile, json, colour]
}
