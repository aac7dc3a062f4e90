internal import Arguments
internal import Coding
internal import FieldApp
internal import Glibc
internal import TerminalKit
internal import Vault

/// What this terminal sends for a key, and what that is here.
enum KeysCommand {
    static let entry = Entry(
        name: "keys", summary: "Show what each key sends, its name and what it does.",
        discussion: """
            In the modes of the screen, for a key that does nothing or something else than its print. \
            Needs no PIN. Ctrl-C, or Esc three times in a row, ends it. What is pasted is counted and \
            not shown. With --bind the key that is pressed is bound, also one that nobody knows: \
            walkdown-config(5) says what is written.
            """, options: [bindOption] + ScreenCommand.mouseOptions
    ) { run in
        let action = run.invocation.value(bindOption.name).flatMap(FieldApp.Command.init)
        // Without a place for a home nobody has set anything.
        let home = action == nil ? try? run.home() : try run.home()
        let config = home.map { ConfigFile.read(of: $0.directory) } ?? ConfigFile("")
        var options = ScreenOptions(environment: run.surroundings.environment)
        options.mouse = !run.invocation.has("no-mouse")
        // What is told may go into a file.
        let terminal = try RawTerminal(
            input: STDIN_FILENO,
            output: run.console.outputIsTerminal ? STDOUT_FILENO : STDIN_FILENO,
            speech: STDERR_FILENO, options: options)
        defer { terminal.close() }
        if let action, let home {
            say("Press the key for \(action.rawValue). Ctrl-C or Esc leaves all as it is.", run)
            let pressed = try press(on: terminal, config)
            terminal.close()
            return try telling(run) {
                try KeyBinding(action: action, home: home, config: config).bind(pressed, run)
            }
        }
        say("Press keys. Ctrl-C, or Esc three times in a row, ends this.", run)
        let told = try listen(to: terminal, config, run)
        terminal.close()
        if run.wantsJSON {
            try run.console.writeDocument(JSON.array(told).serialized(pretty: true))
        }
        return .done
    }

    private static let bindOption = Option(
        "bind", value: "ACTION", allowed: FieldApp.Command.allCases.map(\.rawValue),
        help: "Bind the key that is pressed to this action.")

    /// Broken between words: who has pressed a key may stand before forty columns.
    private static func say(_ text: String, _ run: CommandRun) {
        let columns = TerminalWidth.columns(of: STDERR_FILENO)
        run.console.say(columns.map { wrapped(text, to: $0) } ?? text)
    }

    /// A document is the program's to write.
    private static func telling(
        _ run: CommandRun, _ work: () throws -> ExitCode
    ) throws -> ExitCode {
        do {
            return try work()
        } catch let failure as Failure where !run.wantsJSON {
            say(String(Walkdown.renderer.text(of: failure).dropLast()), run)
            return failure.exitCode
        }
    }

    /// The first key; nil where the person or the terminal left.
    private static func press(
        on terminal: RawTerminal, _ config: ConfigFile
    ) throws -> KeyTrace.Entry? {
        var trace = KeyTrace(learned: config.learned)
        while true {
            let wait = trace.deadline.map { $0 - BootClock.milliseconds() }
            guard let bytes = terminal.read(timeout: wait) else { return nil }
            let now = BootClock.milliseconds()
            let entries = bytes.isEmpty ? trace.expire(at: now) : trace.feed(bytes, at: now)
            guard let entry = entries.first else { continue }
            let leaves = [.key(.escape), .key(.control("c"))].contains { entry.events == [$0] }
            return leaves ? nil : entry
        }
    }

    /// Until the person or the terminal is done.
    private static func listen(
        to terminal: RawTerminal, _ config: ConfigFile, _ run: CommandRun
    ) throws -> [JSON] {
        var trace = KeyTrace(learned: config.learned)
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
                    told.append(entry.json(config.keys))
                } else {
                    let line = entry.line(
                        config.keys, columns: TerminalWidth.columns(of: STDOUT_FILENO))
                    try run.console.write(terminalSafe(line, keepingLines: true))
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
    /// - Parameter columns: of the terminal; what does not fit beside stands below.
    func line(_ own: OwnKeys, columns: Int? = nil) -> String {
        let parts = [(hex, 24), (name, 14)].map { text, width in
            text + String(repeating: " ", count: max(0, width - CellWidth.of(text)))
        }
        let line = parts.joined(separator: "  ") + "  " + deed(own)
        guard let columns, CellWidth.of(line) > columns else { return line + "\n" }
        return wrapped("\(hex)  \(name)\n  \(deed(own))", to: columns) + "\n"
    }

    func json(_ own: OwnKeys) -> JSON {
        [
            "bytes": .string(shownBytes.map(Self.hex).joined()),
            "name": events.isEmpty ? .null : .string(name), "does": .string(deed(own)),
        ]
    }

    /// In the places that a person is in most, in that order.
    private static let places: [Place] = [
        .inspection, .worklist, .editor, .marking, .ranking, .status,
    ]

    private func deed(_ own: OwnKeys) -> String {
        guard let event = events.first else {
            return "nothing: no key of it is known, nothing is typed"
        }
        guard case .key(let key) = event else { return "never a command" }
        for place in Self.places {
            let bindings = BindingTable.keymap(for: place, own: own).bindings
            let found = bindings.first { $0.keys.contains(key) }
            if let found { return "\(place.title): \(found.help)" }
        }
        if let binding = LineEditor.keymap.bindings.first(where: { $0.keys.contains(key) }) {
            return "in a text: \(binding.help)"
        }
        return key.typed == nil ? "nothing" : "text"
    }
}
