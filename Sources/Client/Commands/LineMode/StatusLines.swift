internal import FieldApp
internal import Forms
internal import LocalStore
internal import Replication
internal import TerminalKit

/// What has still to go, a line each, and what can be done about it.
struct StatusLines {
    private let run: CommandRun
    private let store: DeviceStore
    private let dialogue: Dialogue

    init(_ run: CommandRun, _ store: DeviceStore, _ dialogue: Dialogue) {
        self.run = run
        self.store = store
        self.dialogue = dialogue
    }

    func show() throws {
        var rows = try list()
        while let line = try dialogue.ask("status>") {
            guard let typed = TypedWord(line, among: LineWord.status) else {
                try dialogue.say("That is no word here; ? says what can be typed")
                continue
            }
            switch typed.deed {
            case .leave: return
            case .help: try dialogue.sayHelp(LineWord.status)
            case .sync:
                try dialogue.telling { try synchronise(run, store, dialogue) }
                rows = try list()
            default:
                guard let number = typed.number, rows.indices.contains(number - 1) else {
                    try dialogue.say("There is no line of that number")
                    continue
                }
                try dialogue.telling { try perform(typed.deed, on: rows[number - 1]) }
                rows = try list()
            }
        }
    }

    private func list() throws -> [QueueRow] {
        let rows = try store.statusPicture().rows
        if rows.isEmpty { try dialogue.say("Nothing waits: the server has everything") }
        for (index, row) in rows.enumerated() {
            try dialogue.say("\(index + 1)  " + words(for: row))
        }
        return rows
    }

    private func words(for row: QueueRow) -> String {
        let labels = row.labels.map { $0.plain(in: nil) }.joined(separator: ", ")
        return [
            row.name + (row.place.map { ", \($0)" } ?? ""), labels.isEmpty ? nil : labels,
            row.stranded == nil ? row.badge.sentence : "typed, and has no place any more",
            row.reason, row.tries > 0 ? counted(row.tries, "try", "tries") : nil,
        ].compactMap(\.self).joined(separator: "; ")
    }

    private func perform(_ deed: LineWord.Deed, on row: QueueRow) throws {
        switch deed {
        case .open: try open(row)
        case .retry where row.badge == .failed && row.stranded == nil:
            _ = try store.retry(row.id)
            try dialogue.say("It waits to be sent again")
        case .discard where row.badge == .failed && row.stranded == nil: try discard(row)
        default: try dialogue.say("Only a failed change is retried or discarded")
        }
    }

    private func open(_ row: QueueRow) throws {
        if row.badge == .conflict {
            return try ConflictLines(of: row.record, store, dialogue).settle()
        }
        let id = row.inspection ?? row.record
        try FillCommand.ask(id, language: nil, store, dialogue)
    }

    private func discard(_ row: QueueRow) throws {
        let removed = try store.recordsRemoved(byDiscarding: row.id).count
        let below = removed > 1 ? ", with \(removed - 1) records below it" : ""
        if row.isInBundle { try dialogue.say(BundleCommand.warning) }
        let answer = try dialogue.ask(
            "Give this change of \(row.name) up\(below)? It cannot be taken back. Type 'yes':")
        guard answer?.trimmingSpaces == "yes" else { return try dialogue.say("It is kept") }
        try store.discard(row.id)
        try dialogue.say("Discarded; the confirmed values are back")
    }
}
