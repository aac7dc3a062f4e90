internal import Arguments
internal import Coding
internal import LocalStore

/// Whether cycles begin by themselves: a setting of the home that outlives restarts.
enum BackgroundSync {
    static let option = Option(
        "background", value: "WHEN", allowed: ["on", "off"],
        help: "Let the application send and fetch by itself (on), or only when asked (off).")

    static let off =
        "background sync is off: only 'walkdown sync' and the screen's 's' send and fetch"
    static let askedFor = "background sync is off; this one goes because it was asked for"

    static func set(_ wanted: String, _ run: CommandRun) throws -> ExitCode {
        guard !run.invocation.has("watch") else {
            throw Failure(
                .usage, "'--background' and '--watch' cannot be said at once",
                advice: "'--watch' goes also while background sync is off.")
        }
        let isOn = wanted == "on"
        try run.withStore(for: .writing) { try $0.setBackgroundSync(on: isOn) }
        try run.emit(["backgroundSync": .bool(isOn)]) {
            (isOn ? "background sync is on" : off) + "\n"
        }
        return .done
    }
}
