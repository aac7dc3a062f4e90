import Forms
import Phrases
import Replication
import TerminalKit

extension AppState {
    mutating func settleStatus() {
        guard case .status(var screen) = layers.top else { return }
        screen.focus.settle(status.rows.map(\.id))
        layers.top = .status(screen)
    }

    mutating func performStatus(_ command: Command) -> [Effect] {
        guard case .status(let screen) = layers.top, let row = status.row(screen.focus.focused)
        else { return [] }
        switch command {
        case .open: return open(row)
        case .copy: return copy(row)
        case .retry: return [.retry(row.id)]
        case .discard:
            layers.push(
                .confirm(
                    row.stranded.map { confirmation(toDiscard: $0) }
                        ?? confirmation(toDiscard: row)))
            return [.flushInput]
        default: return []
        }
    }

    private mutating func open(_ row: QueueRow) -> [Effect] {
        if row.badge == .conflict { return openReview(row.record) }
        // Its own place is gone: the inspection, to type it elsewhere.
        if let stranded = row.stranded, let inspection = row.inspection {
            return open(inspection, at: stranded.question)
        }
        if let inspection = row.inspection {
            let key = row.fields.first.map { AnswerKey(row: row.record.rawValue, $0) }
            return open(inspection, at: key)
        }
        guard row.isInspection else {
            notice = Notice(say("Only inspections can be opened here"))
            return []
        }
        return open(row.record, at: row.fields.first.map { AnswerKey($0) })
    }

    /// Takes the text along to where it shall stand now. Here it stays until somebody discards it.
    private mutating func copy(_ row: QueueRow) -> [Effect] {
        guard let stranded = row.stranded else { return [] }
        cut = stranded.text
        let effects = row.inspection.map { open($0, at: stranded.question) } ?? []
        notice = Notice(
            stranded.question == nil
                ? say("Ctrl-Y puts the text where you type next")
                : say("m raises a finding here; Ctrl-Y puts the text where you type next"), .good)
        return effects
    }

    private func confirmation(toDiscard stranded: StrandedText) -> Confirmation {
        Confirmation(
            deed: .discardDraft(stranded.record, AnswerKey(stranded.field)),
            title: say("Discard this text?"),
            consequence: stranded.isOnlyNotAsked
                ? say("The present version of the form does not ask for it; nothing else shows it.")
                : say("It was typed in what was deleted since; nothing else shows it."),
            way: .key("y"), now: now)
    }

    /// The name itself, where every keyboard can type it in reasonable time.
    private static func word(for name: String) -> String {
        name.utf8.count <= 24 && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            ? name : say("discard")
    }

    /// To discard what creates an inspection is to discard all of its answers: that asks for the
    /// name, which is the equipment's tag. Any other row asks for a key.
    private func confirmation(toDiscard row: QueueRow) -> Confirmation {
        let consequence =
            row.createsRecord
            ? say("\(row.name) was never accepted: all of its answers go.")
            : say("The values of \(row.name) go back to those that the server confirmed.")
        let bundle =
            row.isInBundle
            ? " " + say("It may stand in a bundle: imported later, that brings it back.") : ""
        return Confirmation(
            deed: .discardMutation(row.id), title: say("Discard this change?"),
            consequence: consequence + bundle,
            way: row.createsRecord ? .word(Self.word(for: row.name)) : .key("y"), now: now)
    }
}

/// A confirmation and its keys.
extension AppState {
    mutating func answer(_ confirmation: Confirmation, with key: KeyEvent) -> [Effect] {
        var confirmation = confirmation
        if key == .escape { return keepAll() }
        if let common = commonInConfirmation(key) { return common }
        // Typed ahead: the pause begins anew with each key, so that no burst gets through.
        if now.uptime < confirmation.quietUntil {
            confirmation.quietUntil = now.uptime + Confirmation.quiet
            layers.top = .confirm(confirmation)
            return []
        }
        switch confirmation.way {
        case .key(let wanted):
            return key.typed == wanted ? carryOut(confirmation.deed) : keepAll()
        case .word(let wanted):
            guard key == .enter else {
                confirmation.quietUntil = 0
                confirmation.line.handle(key)
                layers.top = .confirm(confirmation)
                return []
            }
            let isSame = confirmation.line.text.lowercased() == wanted.lowercased()
            return isSame ? carryOut(confirmation.deed) : keepAll()
        }
    }

    /// Keys that mean the same before a question as elsewhere.
    private mutating func commonInConfirmation(_ key: KeyEvent) -> [Effect]? {
        switch keymap.command(for: key) {
        case .help: perform(.help)
        case .quit: perform(.quit)
        case .redraw: perform(.redraw)
        default: nil
        }
    }

    private mutating func keepAll() -> [Effect] {
        layers.pop()
        notice = Notice(say("Kept: nothing was discarded"), .good)
        return []
    }

    private mutating func carryOut(_ deed: Confirmation.Deed) -> [Effect] {
        layers.pop()
        switch deed {
        case .discardMutation(let id): return [.discard(id)]
        case .discardDraft(let id, let key):
            changeInspection(id) { screen in
                screen.keepDraft(nil, of: key)
                screen.recovered.remove(key)
            }
            return [.draft(id, key, text: nil), .loadStatus]
        case .deleteRow(let id, let row): return [.deleteRow(id, row)]
        case .removeFinding(let id, let finding): return [.removeFinding(id, finding: finding)]
        case .removeRows(_, let key, let value, let text):
            let effects = write(value, at: key, text: text, agreed: true)
            advance()
            return effects
        }
    }
}
