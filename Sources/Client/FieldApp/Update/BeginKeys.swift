import Phrases
import Replication
import TerminalKit

/// Beginning an inspection that nobody assigned.
extension AppState {
    mutating func openBeginnings() -> [Effect] {
        layers.push(.begin(BeginScreen(like: worklist.focused)))
        return [.loadBeginnings]
    }

    mutating func receive(beginnings: Beginnings) {
        guard case .begin(var screen) = layers.top else { return }
        screen.show(beginnings)
        layers.top = .begin(screen)
    }

    mutating func performBegin(_ command: Command) -> [Effect] {
        guard command == .accept, case .begin(var screen) = layers.top, !screen.isBeginning,
            let beginnings = screen.beginnings
        else { return [] }
        switch screen.focus.focused {
        case .form(let id):
            guard let form = beginnings.forms.first(where: { $0.id == id }) else { return [] }
            screen.choose(form: form)
            layers.top = .begin(screen)
            return []
        case .equipment(let id): return begin(&screen, on: id)
        case .nothing: return begin(&screen, on: nil)
        case nil:
            notice = Notice(say("Nothing fits what was typed"), .bad)
            return []
        }
    }

    private mutating func begin(_ screen: inout BeginScreen, on equipment: RecordID?) -> [Effect] {
        guard let form = screen.form else { return [] }
        screen.isBeginning = true
        layers.top = .begin(screen)
        return [.begin(form: form.id, version: form.version, equipment: equipment)]
    }

    /// Esc: from the equipment to the forms, and from there to the worklist.
    mutating func leaveBeginnings() -> [Effect] {
        guard case .begin(var screen) = layers.top, screen.form != nil else {
            layers.pop()
            return []
        }
        screen.unchooseForm()
        layers.top = .begin(screen)
        return []
    }

    mutating func receive(begun id: RecordID) -> [Effect] {
        let isAwaited = closeBeginnings()
        notice = Notice(
            isAwaited ? say("Begun") : say("The new inspection is in the worklist"), .good)
        // Whoever has gone on meanwhile is not taken from what he does.
        return (isAwaited ? open(id) : []) + [.loadWorklist, .loadStatus]
    }

    /// The store refused: what was chosen stands there still.
    mutating func receive(notBegun refusal: StoreRefusal) {
        if refusal.cause == .queueFull || refusal.cause == .disk { warning = refusal.text.sentence }
        guard case .begin(var screen) = layers.top else { return }
        if screen.beginnings == nil {
            layers.pop()
        } else {
            screen.isBeginning = false
            layers.top = .begin(screen)
        }
    }

    /// With whatever stands over it.
    /// - Returns: whether it was open still.
    private mutating func closeBeginnings() -> Bool {
        let isBegin: (Layer) -> Bool = { if case .begin = $0 { true } else { false } }
        guard layers.layers.contains(where: isBegin) else { return false }
        while let layer = layers.pop(), !isBegin(layer) {}
        return true
    }
}
