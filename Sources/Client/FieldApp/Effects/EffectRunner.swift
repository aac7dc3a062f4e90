import Crypto
import Dispatch
import Forms
import Replication
import Synchronization
package import TerminalKit

/// What an effect asks of the terminal itself; the run loop does it.
package enum TerminalRequest: Equatable, Sendable {
    case flushInput
    case mouse(on: Bool)
    case redraw
    case suspend
    case speak(String)
    case look(Theme.Name, Tier?)
    case quit
}

/// Performs effects: in order, on one queue of its own, so that the screen never waits for a disk.
/// Results go through the mailbox.
package final class EffectRunner: Sendable {
    private let fieldwork: any Fieldwork
    private let queue = DispatchQueue(label: "walkdown.fieldwork")
    private let pad = Mutex(PINPad())
    /// Loads that are queued and have not begun: a second one would show the same.
    private let waiting = Mutex<[Effect]>([])
    private let deliver: @Sendable (AppMessage?) -> Void
    /// Effects that were begun and have not ended.
    private let underWay = Mutex(0)

    /// Whether an effect is under way. An effect's end and its message become visible in one step:
    /// a screen that is not busy and has an empty mailbox has nothing to wait for.
    package var isBusy: Bool { underWay.withLock { $0 > 0 } }

    package init(fieldwork: any Fieldwork, post: @escaping @Sendable (AppMessage) -> Void) {
        self.fieldwork = fieldwork
        deliver = { message in if let message { post(message) } }
    }

    package init(fieldwork: any Fieldwork, mailbox: Mailbox<AppMessage>) {
        self.fieldwork = fieldwork
        deliver = { message in
            if let message { mailbox.post(message) } else { mailbox.wake() }
        }
    }

    /// Begins the effects and returns at once with what is for the terminal.
    package func run(_ effects: [Effect]) -> [TerminalRequest] {
        effects.compactMap(begin)
    }

    /// Waits until everything that was begun is on the disk: before the process ends.
    package func drain() { queue.sync {} }

    private func begin(_ effect: Effect) -> TerminalRequest? {
        switch effect {
        case .flushInput: return .flushInput
        case .setMouse(let on): return .mouse(on: on)
        case .redraw: return .redraw
        case .suspend: return .suspend
        case .quit: return .quit
        case .speak(let language): return .speak(language)
        case .setLook(let theme, let tier): return .look(theme, tier)
        case .pin(let key): press(key)
        case .syncNow: fieldwork.syncNow()
        case .setNetwork(let on): fieldwork.setNetwork(on: on)
        case .loadWorklist, .loadStatus, .loadInspection, .loadConflict, .loadHistory,
            .loadBeginnings:
            load(effect)
        default: begin { self.perform(effect) }
        }
        return nil
    }

    /// PIN keys act at once: the pad is touched by the screen's thread only.
    private func press(_ key: PINKey) {
        let pin: SecretBytes? = pad.withLock { pad in
            switch key {
            case .type(let scalar): pad.type(scalar)
            case .backspace: pad.backspace()
            case .clear: pad.clear()
            case .enter:
                guard pad.isLongEnough else {
                    pad.clear()
                    deliver(.unlockRefused(.tooShort))
                    return nil
                }
                return pad.take()
            }
            return nil
        }
        guard let pin else { return }
        begin {
            defer { pin.erase() }
            do throws(UnlockRefusal) {
                try self.fieldwork.unlock(pin)
                return .unlocked
            } catch {
                return .unlockRefused(error)
            }
        }
    }

    /// Puts work on the queue; its message and its end become visible together.
    private func begin(_ work: @escaping @Sendable () -> AppMessage?) {
        underWay.withLock { $0 += 1 }
        queue.async {
            CrashGuard.protectThread()
            let message = work()
            self.underWay.withLock { count in
                count -= 1
                self.deliver(message)
            }
        }
    }

    private func load(_ effect: Effect) {
        let isNew = waiting.withLock { waiting in
            guard !waiting.contains(effect) else { return false }
            waiting.append(effect)
            return true
        }
        guard isNew else { return }
        begin {
            self.waiting.withLock { $0.removeAll { $0 == effect } }
            return self.perform(effect)
        }
    }

    private func perform(_ effect: Effect) -> AppMessage? {
        do throws(StoreRefusal) {
            return try result(of: effect)
        } catch {
            return failure(of: effect, error)
        }
    }

    /// The message with which an effect ends; nil where there is nothing to tell.
    private func result(of effect: Effect) throws(StoreRefusal) -> AppMessage? {
        switch effect {
        case .loadWorklist: return .worklist(try fieldwork.worklist())
        case .loadStatus: return .status(try fieldwork.status())
        case .loadInspection(let id): return .inspection(try fieldwork.inspection(id))
        case .loadConflict(let id):
            guard let picture = try fieldwork.conflict(id) else { return .noConflict(id) }
            return .conflict(picture)
        case .loadHistory(let id): return .history(id, try fieldwork.visits(before: id))
        case .loadBeginnings: return .beginnings(try fieldwork.beginnings())
        case .begin(let form, let version, let equipment):
            return .begun(
                try fieldwork.begin(form: form, version: version, equipment: equipment))
        case .answer(let edit, let id, let key, let value, _, let agreed):
            return .saved(edit, id, try fieldwork.answer(key, value, on: id, agreed: agreed))
        case .addRow(let id, let path, let parent):
            let added = try fieldwork.addRow(of: path, in: parent, on: id)
            return .rowAdded(id, row: added.row, added.picture)
        case .deleteRow(let id, let row):
            return .rowDeleted(id, row: row, try fieldwork.deleteRow(row, on: id))
        case .raiseFinding, .changeFinding, .removeFinding: return try onFinding(effect)
        case .draft(let id, let key, let text):
            try fieldwork.keepDraft(text, of: key, on: id)
            return .draftSaved(id, key, text: text)
        case .hold(let id, let paths): try fieldwork.hold(paths, of: id)
        case .release(let id, let paths): try fieldwork.release(paths, of: id)
        case .complete(let id): try fieldwork.complete(id)
        case .reopen(let id): try fieldwork.reopen(id)
        case .planMove(let id): return .movePlanned(id, try fieldwork.plannedMove(of: id))
        case .move(let id, let version): try fieldwork.move(id, to: version)
        case .resolve(let id, let decisions, let shown):
            try fieldwork.resolve(id, decisions, shown: shown)
        case .retry(let id): try fieldwork.retry(id)
        case .discard(let id): try fieldwork.discard(id)
        case .lock: fieldwork.lock()
        case .keepSetting(let setting, let value): try fieldwork.keep(setting, value)
        case .bind(let key, let command): try fieldwork.keep(key, for: command)
        case .unbind(let command): try fieldwork.forgetKeys(of: command)
        case .setBackground(let isOn): try fieldwork.setBackground(on: isOn)
        case .examine: return .about(try fieldwork.examine())
        case .pin, .syncNow, .setNetwork, .flushInput, .setMouse, .redraw, .suspend, .speak,
            .setLook, .quit:
            break
        }
        return deed(of: effect).map { .done($0) }
    }

    private func onFinding(_ effect: Effect) throws(StoreRefusal) -> AppMessage? {
        switch effect {
        case .raiseFinding(let id, let key):
            let raised = try fieldwork.raiseFinding(on: key, of: id)
            return .findingRaised(id, finding: raised.finding, raised.picture)
        case .changeFinding(let id, let finding, let change):
            let picture = try fieldwork.changeFinding(finding, by: change, of: id)
            return .findingChanged(id, finding: finding, picture)
        case .removeFinding(let id, let finding):
            let picture = try fieldwork.removeFinding(finding, of: id)
            return .findingRemoved(id, finding: finding, picture)
        default: return nil
        }
    }

    private func failure(of effect: Effect, _ refusal: StoreRefusal) -> AppMessage {
        switch effect {
        case .answer(let edit, let id, let key, _, let text, _):
            // The draft at once, on this queue: the screen that asked may be gone before the answer
            // comes.
            .notSaved(
                UnsavedAnswer(
                    edit: edit, inspection: id, key: key, text: text, refusal: refusal,
                    isDraftKept: keep(text, of: key, on: id)))
        case .draft(let id, let key, let text):
            .draftNotSaved(id, key, text: text, refusal)
        case .loadInspection(let id), .loadConflict(let id): .refused(.open(id), refusal)
        default: .refused(deed(of: effect) ?? .refresh, refusal)
        }
    }

    /// Whether what was typed could be kept as a draft.
    private func keep(_ text: String?, of key: AnswerKey, on id: RecordID) -> Bool {
        guard let text else { return false }
        do throws(StoreRefusal) {
            try fieldwork.keepDraft(text, of: key, on: id)
            return true
        } catch {
            // Told with the refusal of the answer itself.
            return false
        }
    }

    private func deed(of effect: Effect) -> Deed? {
        switch effect {
        case .complete(let id): .complete(id)
        case .reopen(let id): .reopen(id)
        case .planMove(let id): .planMove(id)
        case .loadHistory(let id): .readHistory(id)
        case .loadBeginnings, .begin: .begin
        case .move(let id, _): .move(id)
        case .resolve(let id, _, _): .resolve(id)
        case .addRow(let id, _, _): .addRow(id)
        case .deleteRow(let id, _): .deleteRow(id)
        case .raiseFinding(let id, _), .changeFinding(let id, _, _), .removeFinding(let id, _):
            .finding(id)
        case .retry(let id): .retry(id)
        case .discard(let id): .discard(id)
        case .keepSetting, .bind, .unbind: .keepSetting
        case .setBackground(let isOn): .setBackground(on: isOn)
        default: nil
        }
    }
}
