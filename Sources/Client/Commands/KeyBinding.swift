internal import Arguments
internal import Coding
internal import FieldApp
internal import Foundation
internal import Glibc
internal import TerminalKit
internal import Vault

/// A key that was pressed, put into the person's settings.
struct KeyBinding {
    let action: FieldApp.Command
    let home: Home
    let config: ConfigFile

    /// - Parameter pressed: nil where the person left instead.
    func bind(_ pressed: KeyTrace.Entry?, _ run: CommandRun) throws -> ExitCode {
        guard let pressed else {
            run.console.say("Nothing was bound.")
            return .failed
        }
        let lines = try lines(for: pressed)
        try write(lines)
        try run.emit(
            ["action": .string(action.rawValue), "lines": .array(lines.map { .string($0) })]
        ) {
            let head = "written to \(path):"
            // The lines are shown as they stand in the file.
            return (TerminalWidth.columns(of: STDOUT_FILENO).map { wrapped(head, to: $0) } ?? head)
                + "\n" + lines.map { "  \($0)\n" }.joined()
        }
        return .done
    }

    /// A key that nobody knows is given a name first.
    func lines(for pressed: KeyTrace.Entry) throws -> [String] {
        if pressed.isStranger {
            guard let free = freeName else {
                throw Failure(
                    .validation, "F13 to F24 are all in use",
                    advice: "Take a line out of \(path).")
            }
            return ["key \(free.name) = \(pressed.wholeHex)", line(free)]
        }
        guard pressed.events.count == 1, case .key(let key)? = pressed.events.first else {
            throw Failure(.validation, "what came is no key: \(pressed.name)")
        }
        return [line(key)]
    }

    private func line(_ key: KeyEvent) -> String { "bind \(action.rawValue) = \(key.name)" }

    /// No terminal that is known sends these. One that a line binds already, and none learns, would do
    /// what that line says.
    private var freeName: KeyEvent? {
        (13...24).map { KeyEvent(.function($0)) }.first {
            !config.learned.values.contains($0) && !config.expected.contains($0)
        }
    }

    private var path: String { home.directory + "/" + ConfigFile.name }

    /// Behind what is there, which stays as it is.
    func write(_ lines: [String]) throws {
        try ConfigFile.rewrite(in: home, undone: "Nothing was bound") { $0 += lines }
    }
}

extension KeyTrace.Entry {
    fileprivate var wholeHex: String { bytes.map(Self.hex).joined(separator: " ") }
}
