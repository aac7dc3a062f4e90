internal import Arguments
internal import FieldApp
internal import Forms
internal import Glibc
internal import Inspections
internal import LocalStore
internal import Replication
internal import Sync
internal import TerminalKit
internal import Vault

/// The whole job line by line: for screen readers, serial lines and terminals that cannot place a cursor.
/// No line moves, nothing is drawn, and nothing is written while nobody types.
struct LineMode {
    static let option = Option(
        "a11y", help: "Work line by line, for screen readers: no screen is drawn, no cursor moved.")

    private let run: CommandRun
    private let store: DeviceStore
    private let dialogue: Dialogue
    private var filter = ""
    private var rows: [WorklistRow] = []

    private init(_ run: CommandRun, _ store: DeviceStore, _ dialogue: Dialogue) {
        self.run = run
        self.store = store
        self.dialogue = dialogue
    }

    /// Whether it is what the person wants, or all that the terminal can do.
    static func isWanted(_ run: CommandRun) -> Bool {
        let wish = run.surroundings.environment["ACCESSIBLE"] ?? ""
        return run.invocation.has(option.name) || !["", "0"].contains(wish) || cannotDraw(run)
    }

    private static func cannotDraw(_ run: CommandRun) -> Bool {
        run.surroundings.environment["TERM"] == "dumb" && run.surroundings.terminalPrompt.isTerminal
            && isatty(STDOUT_FILENO) == 1
    }

    static func open(_ run: CommandRun) throws -> ExitCode {
        guard !run.wantsJSON else {
            throw Failure(
                .usage, "the line mode has no JSON",
                advice: "'walkdown list --json' and others do.")
        }
        if cannotDraw(run) {
            run.console.say(
                "walkdown: the terminal (TERM=dumb) cannot place a cursor: line by line")
        }
        var isLocked = false
        while true {
            do {
                try run.typing(askingAnew: isLocked) { store, dialogue in
                    var mode = LineMode(run, store, dialogue)
                    try mode.work()
                }
                return .done
            } catch let end as TypingEnd {
                // Where nobody can be asked for the PIN it stays locked.
                guard end.isLock, run.surroundings.terminalPrompt.isTerminal else {
                    throw end.failure
                }
                run.console.say("walkdown: " + end.sentence)
                isLocked = true
            }
        }
    }

    // MARK: Worklist

    private mutating func work() throws {
        let dialogue = dialogue
        try showWorklist()
        while let line = try dialogue.ask("worklist>") {
            if line.trimmingSpaces.isEmpty {
                try showWorklist()
                continue
            }
            guard let typed = TypedWord(line, among: LineWord.worklist) else {
                try dialogue.say("That is no word here; ? says what can be typed")
                continue
            }
            if typed.deed == .leave { break }
            try dialogue.telling { try perform(typed) }
        }
        try sayGoodbye()
    }

    private mutating func perform(_ typed: TypedWord) throws {
        switch typed.deed {
        case .open: try row(typed.number).map { try open($0) }
        case .begin: try row(typed.number).map { try begin(like: $0) }
        case .filter:
            filter = typed.text
            try showWorklist()
        case .status:
            try StatusLines(run, store, dialogue).show()
            try showWorklist()
        case .findings: try showFindings(of: typed.number)
        case .sync: try synchronise(run, store, dialogue)
        case .help: try dialogue.sayHelp(LineWord.worklist)
        case .leave, .retry, .discard, .mine, .theirs, .edit, .say: break
        }
    }

    private mutating func showWorklist() throws {
        let words = filter.lowercased().split(separator: " ")
        rows = try store.worklistRows().filter { row in
            let text = [row.name, row.recordName, row.site, row.form, row.due ?? ""]
                .joined(separator: "\n").lowercased()
            return words.allSatisfy(text.contains)
        }.sorted(by: WorklistOrder.site.precedes)
        guard !rows.isEmpty else {
            return try dialogue.say(
                filter.isEmpty
                    ? "No inspection is on this device yet; s fetches what is assigned"
                    : "No inspection has '\(filter)' in it; / shows all")
        }
        var site: String?
        for (index, row) in rows.enumerated() {
            if row.site != site {
                try dialogue.say("\n" + (row.site.isEmpty ? "Without a site" : row.site))
                site = row.site
            }
            try dialogue.say("\(index + 1)  " + row.line)
        }
        try dialogue.say("A number opens an inspection; ? says what else can be typed")
    }

    private func row(_ number: Int?) throws -> WorklistRow? {
        guard let number, rows.indices.contains(number - 1) else {
            try dialogue.say("There is no line of that number")
            return nil
        }
        return rows[number - 1]
    }

    private mutating func open(_ row: WorklistRow?) throws {
        guard let row else { return }
        try FillCommand.ask(row.id, language: nil, store, dialogue)
        try showWorklist()
    }

    /// Of the inspection in that line, or of all.
    private mutating func showFindings(of number: Int?) throws {
        var id: RecordID?
        if let number {
            guard let row = try row(number) else { return }
            id = row.id
        }
        try FindingLines(of: id, store, dialogue).show()
        try showWorklist()
    }

    private mutating func begin(like row: WorklistRow) throws {
        let offered = try store.beginnings()
        guard let form = offered.forms.first(where: { $0.id == row.formID }) else {
            return try dialogue.say("The form of that one is closed: nothing new begins with it")
        }
        let equipment = offered.equipment.first { $0.name == row.name && $0.site == row.site }
        let id = try store.createInspection(
            form: form.id, version: form.version, asset: equipment?.id)
        try FillCommand.ask(id, language: nil, store, dialogue)
        try showWorklist()
    }

    private func sayGoodbye() throws {
        let waiting = try store.status().unsynced
        guard waiting > 0 else { return }
        let changes = counted(waiting, "change is", "changes are")
        run.console.say("walkdown: \(changes) kept on this device and not at the server yet")
    }
}

extension WorklistRow {
    /// All of it in words.
    fileprivate var line: String {
        [
            name, form, due.map { "due \($0)" }, state.label, "\(answered) of \(total) answered",
            badge.sentence, hasDraft ? "something typed is not accepted" : nil,
        ].compactMap(\.self).joined(separator: ", ")
    }
}

extension Badge {
    /// Where it stands, in words that need no shape.
    var sentence: String {
        switch self {
        case .synced: "at the server"
        case .pending: "saved here, not sent yet"
        case .failed: "failed"
        case .conflict: "in conflict"
        case .inReview: "in review"
        }
    }
}

extension Dialogue {
    /// What goes wrong is said, and the work goes on.
    func telling(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch let end as TypingEnd {
            throw end
        } catch {
            let failure = Walkdown.renderer.failure(for: error)
            try say(failure.sentence.sentence + (failure.advice.map { ". \($0)" } ?? ""))
        }
    }

    func sayHelp(_ words: [LineWord]) throws {
        let width = words.map(\.form.count).max() ?? 0
        for word in words {
            let form = word.form + String(repeating: " ", count: width - word.form.count)
            try say("  \(form)  \(word.help)")
        }
    }
}

/// One cycle, told in a line when it begins and one when it has ended.
func synchronise(_ run: CommandRun, _ store: DeviceStore, _ dialogue: Dialogue) throws {
    try dialogue.say("Synchronising")
    let transport = try store.transport()
    let report = try dialogue.interruptible {
        try run.synchronise(store, by: transport)
    } by: {
        transport.cancel()
    }
    if let failure = report.failure {
        return try dialogue.say("Not synchronised: \(failure.sentence)")
    }
    var words = "Synchronised: \(report.pushed) sent, \(report.pulled) fetched"
    if report.needsPerson { words += "; t shows what needs you" }
    try dialogue.say(words)
}
