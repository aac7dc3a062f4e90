internal import Arguments
internal import Foundation
internal import TerminalKit

/// A file of keys that is played instead of what a person does, so that a fault can be shown again.
enum ScriptFile {
    static let option = Option(
        "script", value: "FILE",
        help: "Play keys from a file without a terminal: names of keys, ':text', ':paste', ':scan',"
            + " ':size', ':wait-for' and ':save-screen FILE', a step a line.")

    /// - Throws: what is wrong with it, before anything is opened.
    static func read(_ run: CommandRun) throws -> ScreenScript? {
        guard let path = run.invocation.value(option.name) else { return nil }
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw Failure(.usage, "the script \(path) cannot be read as text")
        }
        do throws(ScreenScript.Trouble) {
            return try ScreenScript(text)
        } catch {
            throw Failure(
                .usage, "line \(error.line) of the script \(path): \(error.words)",
                advice:
                    "Keys are named as the help of the screen names them; 'walkdown keys' shows them."
            )
        }
    }

    static let failure: Renderer.Translation = { error in
        switch error as? ScriptFault {
        case .neverShown(let line, let text, let screen):
            Failure(
                .failed, "line \(line) of the script: '\(text)' never stood on the screen",
                advice: screen)
        case .cannotWrite(let line, let path, let number):
            Failure(.failed, "line \(line) of the script: cannot write \(path) (errno \(number))")
        case nil: nil
        }
    }
}
