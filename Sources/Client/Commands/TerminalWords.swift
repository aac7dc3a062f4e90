internal import Arguments
internal import TerminalKit

/// What a person is told where there is no screen.
enum TerminalWords {
    static let failure: Renderer.Translation = { error in
        guard let error = error as? TerminalError else { return nil }
        let advice = "The commands in 'walkdown --help' need no screen."
        return switch error {
        case .notATerminal:
            Failure(
                .usage, "the application needs a terminal for its input and its output",
                advice: advice)
        case .cannotDraw(let term):
            Failure(
                .usage, "the terminal (TERM=\(term)) cannot place a cursor, so nothing is drawn",
                advice: advice)
        case .unknownTerminal(let term):
            Failure(
                .usage, "this system describes no terminal like TERM=\(term)", advice: advice)
        case .noDescriptor: Failure(.failed, "there is no file descriptor left")
        case .poll(let code): Failure(.failed, "waiting for the terminal failed (errno \(code))")
        }
    }
}
