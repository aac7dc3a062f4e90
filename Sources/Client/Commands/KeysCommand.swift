internal import Arguments
internal import Coding
internal import FieldApp
internal import Glibc
internal import TerminalKit

/// What this terminal sends for a key, and what that is here.
enum KeysCommand {
    static let entry = Entry(
        name: "keys", summary: "Show what each key sends, its name and what it does.",
        discussion: """
            In the modes of the screen, for a key that does nothing or something else than its print. \
            Needs neither home nor PIN. Ctrl-C, or Esc three times in a row, ends it. What is pasted \
            is counted and not shown.
            """, options: ScreenCommand.mouseOptions
    ) { run in
        var options = ScreenOptions(environment: run.surroundings.environment)
        options.mouse = !run.invocation.has("no-mouse")
        // What is told may go into a file.
        let terminal = try RawTerminal(
            input: STDIN_FILENO,
            output: run.console.outputIsTerminal ? STDOUT_FILENO : STDIN_FILENO,
            speech: STDERR_FILENO, options: options)
        defer { terminal.close() }
        run.console.say("Press keys. Ctrl-C, or Esc three times in a row, ends this.")
        let told = try listen(to: terminal, run)
        terminal.close()
        if run.wantsJSON {
            try run.console.writeDocument(JSON.array(told).serialized(pretty: true))
        }
        return .done
    }

    /// Until the person or the terminal is done.
    private static func listen(
        to terminal: RawTerminal, _ run: CommandRun
    ) throws -> [JSON] {
        var trace = KeyTrace()
        var end = EndOfKeys()
        var told: [JSON] = []
        while !end.isReached {
            let wait = trace.deadline.map { $0 - BootClock.milliseconds() }
            guard let bytes = terminal.read(timeout: wait) else { break }
            let now = BootClock.milliseconds()
            let entries = bytes.isEmpty ? trace.expire(at: now) : trace.feed(bytes, at: now)
            for entry in entries {
                end.take(entry)
                if run.wantsJSON {
                    told.append(entry.json)
                } else {
                    try run.console.write(terminalSafe(entry.line, keepingLines: true))
                }
            }
        }
        return told
    }
}

/// Ctrl-C, or on a device whose keys cannot be pressed together Esc three times in a row.
struct EndOfKeys {
    private var escapes = 0
    private(set) var isReached = false

    mutating func take(_ entry: KeyTrace.Entry) {
        escapes = entry.events == [.key(.escape)] ? escapes + 1 : 0
        if escapes == 3 || entry.events.contains(.key(.control("c"))) { isReached = true }
    }
}

extension KeyTrace.Entry {
    var line: String {
        let columns = [(hex, 24), (name, 14)].map { text, width in
            text + String(repeating: " ", count: max(0, width - CellWidth.of(text)))
        }
        return columns.joined(separator: "  ") + "  \(deed)\n"
    }

    var json: JSON {
        [
            "bytes": .string(shownBytes.map(Self.hex).joined()),
            "name": events.isEmpty ? .null : .string(name), "does": .string(deed),
        ]
    }

    /// In the places that a person is in most, in that order.
    private static let places: [Place] = [
        .inspection, .worklist, .editor, .marking, .ranking, .status,
    ]

    private var deed: String {
        guard let event = events.first else {
            return "nothing: no key of it is known, nothing is typed"
        }
        guard case .key(let key) = event else { return "never a command" }
        for place in Self.places {
            let found = BindingTable.keymap(for: place).bindings.first { $0.keys.contains(key) }
            if let found { return "\(place.title): \(found.help)" }
        }
        if let binding = LineEditor.keymap.bindings.first(where: { $0.keys.contains(key) }) {
            return "in a text: \(binding.help)"
        }
        return key.typed == nil ? "nothing" : "text"
    }
}
