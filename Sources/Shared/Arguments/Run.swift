internal import Glibc

extension Program {
    /// Parses, runs, and says what went wrong: the whole life of a program but for `exit`.
    ///
    /// - Returns: the exit status.
    package func run(_ words: [String], console: Console, renderer: Renderer) -> Int32 {
        // A reader that goes away must be an error of write(2), not a death in mid-transaction.
        signal(SIGPIPE, SIG_IGN)
        do {
            switch try parse(words) {
            case .help(let text), .version(let text):
                try console.write(text)
                return ExitCode.done.rawValue
            case .run(let command, let invocation):
                guard let action = command.action else {
                    preconditionFailure("the parser only lets a command run that does something")
                }
                return try action(invocation, console).rawValue
            }
        } catch let error as OutputError where error.isBrokenPipe {
            return ExitCode.status(ofSignal: SIGPIPE)
        } catch {
            let failure = renderer.failure(for: error)
            console.say(String(renderer.text(of: failure).dropLast()))
            return failure.exitCode.rawValue
        }
    }
}
