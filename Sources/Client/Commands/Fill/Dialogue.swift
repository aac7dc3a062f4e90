internal import Arguments
internal import Crypto
internal import Glibc
internal import LocalStore
internal import Vault

/// Lines out, lines in. With `--json` the lines go where messages go, because standard output is the
/// document's.
struct Dialogue {
    private let run: CommandRun
    private let lines: LineReader
    private let watch: any TypingWatch
    /// Of the terminal that is written to; nil where that is none, and lines stay whole.
    private let columns: Int?

    init(_ run: CommandRun, _ watch: any TypingWatch) throws {
        self.run = run
        self.watch = watch
        lines = try LineReader(run.surroundings, watch)
        columns = TerminalWidth.columns(of: STDOUT_FILENO)
    }

    var surroundings: Surroundings { run.surroundings }

    func say(_ text: String) throws {
        guard !run.wantsJSON else { return run.console.say(text) }
        let safe = terminalSafe(text, keepingLines: true)
        try run.console.write((columns.map { wrapped(safe, to: $0) } ?? safe) + "\n")
    }

    /// The line that is typed behind a prompt; nil at the end of the input.
    /// - Throws: `TypingEnd` where a signal or the time ends the wait.
    func ask(_ prompt: String) throws -> String? {
        if run.wantsJSON {
            run.console.say(prompt)
        } else {
            try run.console.write(terminalSafe(prompt) + " ")
        }
        do {
            return try lines.next()
        } catch let end as TypingEnd {
            // Behind the prompt and what was typed. A terminal that has gone needs no line end.
            if !run.wantsJSON { try? run.console.write("\n") }
            throw end
        }
    }

    /// The same where a text is typed: what there is of it when the wait is ended is kept.
    func ask(_ prompt: String, keeping keep: (String) throws -> Void) throws -> String? {
        do {
            return try ask(prompt)
        } catch let end as TypingEnd {
            if !end.half.trimmingSpaces.isEmpty { try keep(end.half) }
            throw end
        }
    }

    /// No unless it is yes.
    func agrees(_ question: String) throws -> Bool {
        let answer = try ask(question + " [y/N]")?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Work that takes long; a signal meanwhile interrupts it, and ends the next question.
    func interruptible<Result>(
        _ work: () throws -> Result, by interrupt: @escaping @Sendable () -> Void
    ) throws -> Result {
        try watch.during(work, interrupt: interrupt)
    }
}

extension CommandRun {
    /// An unlocked store and somebody who types, until a signal or the time ends it: the key has left
    /// memory then.
    /// - Parameter isAnew: whether the home was locked since the command began, so that only a person can
    ///   open it again.
    /// - Throws: `TypingEnd`.
    func typing<Result>(
        askingAnew isAnew: Bool = false, _ work: (DeviceStore, Dialogue) throws -> Result
    ) throws -> Result {
        var watch: (any TypingWatch)?
        defer { watch?.stop() }
        let pin = { () throws -> SecretBytes in
            let pin =
                try isAnew ? surroundings.terminalPrompt.ask("PIN: ") : readPIN("PIN: ")
            // Not before, because the prompt takes the signals itself; not later, because the key is next.
            watch = try surroundings.watch()
            return pin
        }
        return try withStore(for: .writing, pin: pin) { store in
            guard let watch else { preconditionFailure("opened without a PIN") }
            return try work(store, Dialogue(self, watch))
        }
    }
}
