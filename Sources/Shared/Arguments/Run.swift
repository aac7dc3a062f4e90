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
        } catch let end as EndedBySignal {
            return ExitCode.status(ofSignal: end.number)
        } catch {
            return renderer.tell(error, on: console, asked: words)
        }
    }
}

/// A command that a signal ended, and that has put everything away: no failure, nothing to say.
package struct EndedBySignal: Error {
    package let number: Int32

    package init(number: Int32) { self.number = number }
}

extension Renderer {
    /// The end of a program that failed: a sentence for people, and a document where JSON was asked
    /// for and none was written.
    /// - Parameter words: the command line, which may be the very thing that is wrong.
    /// - Returns: the exit status.
    package func tell(_ error: any Error, on console: Console, asked words: [String]) -> Int32 {
        if let output = error as? OutputError, output.isBrokenPipe {
            return ExitCode.status(ofSignal: SIGPIPE)
        }
        let failure = failure(for: error)
        do throws(OutputError) {
            try writeDocument(of: failure, unless: error is OutputError, on: console, words)
        } catch {
            // The failure itself is the graver news, and standard error is still there for it.
            if error.isBrokenPipe { return ExitCode.status(ofSignal: SIGPIPE) }
        }
        console.say(String(text(of: failure).dropLast()))
        return failure.exitCode.rawValue
    }

    private func writeDocument(
        of failure: Failure, unless isMute: Bool, on console: Console, _ words: [String]
    ) throws(OutputError) {
        // A line that cannot be parsed still says what its writer wants to read.
        let wantsJSON = words.prefix(while: { $0 != "--" }).contains("--json")
        guard let document, wantsJSON, !isMute, !console.hasDocument else { return }
        try console.writeDocument(document(failure))
    }
}
