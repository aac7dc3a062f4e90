import Forms
import TerminalKit

/// The whole behaviour of the screen: what happened goes in, the state changes, and what the world
/// is to do comes out. Pure: no clock, no store, no terminal.
package func update(_ state: inout AppState, _ message: AppMessage) -> [Effect] {
    state.receive(message)
}

extension AppState {
    /// The device locks after this long without a key (ms).
    package static let lockDelay: Int64 = 5 * 60 * 1_000

    package var isLocked: Bool {
        if case .unlock = layers.layers[0] { true } else { false }
    }

    /// The uptime at which a tick is due, nil when the screen can sleep until something happens.
    package var deadline: Int64? {
        var due: [Int64] = []
        if isLocked {
            if case .unlock(let screen) = layers.top, let until = screen.waitUntil {
                due.append(until)
            }
        } else {
            due.append(lastKey + Self.lockDelay)
        }
        for layer in layers.layers {
            if let draft = layer.unkept?.due { due.append(draft) }
        }
        if let retry = unkept.due { due.append(retry) }
        return due.min()
    }

    mutating func receive(_ message: AppMessage) -> [Effect] {
        switch message {
        case .input(let event, let moment): return receive(event, at: moment)
        case .tap(let target, let moment): return receive(tap: target, at: moment)
        case .tick(let moment):
            now = moment
            return expire()
        case .resized(let size):
            self.size = size
            return []
        case .hangUp: return quit()
        case .suspending: return keepDrafts(dueBy: nil)
        case .lockDemanded: return isLocked ? lockAgain() : lockNow()
        case .unlocked, .unlockRefused: return receiveUnlock(message)
        default:
            guard isLocked else { return receiveResult(message) }
            tellOfLoss(message)
            return []
        }
    }

    /// A sign of the person. The machine may have slept through the tick that would have locked it.
    private mutating func wake(at moment: Moment) -> [Effect] {
        now = moment
        let late = expire()
        lastKey = moment.uptime
        return late
    }

    private mutating func receive(tap target: TapTarget?, at moment: Moment) -> [Effect] {
        let late = wake(at: moment)
        guard !late.contains(.lock), let target else { return late }
        notice = nil
        return late + tap(target)
    }

    private mutating func receive(_ event: InputEvent, at moment: Moment) -> [Effect] {
        let late = wake(at: moment)
        if late.contains(.lock) { return late }
        switch event {
        case .key(let key):
            notice = nil
            return late + press(key)
        case .paste(let text):
            notice = nil
            return late + paste(text)
        case .scan(let text):
            notice = nil
            return late + scan(text)
        case .mouse(let mouse):
            return late + wheel(mouse)
        }
    }

    /// The wheel goes to other items, so it leaves the field as the arrows do.
    private mutating func wheel(_ mouse: MouseEvent) -> [Effect] {
        let distance: Int
        switch mouse.action {
        case .scrollUp: distance = -3
        case .scrollDown: distance = 3
        case .press, .drag, .release: return []
        }
        let leaving = leaveEditor()
        move(by: distance)
        return leaving
    }

    /// What time alone brings about.
    private mutating func expire() -> [Effect] {
        if !isLocked, now.uptime >= lastKey + Self.lockDelay { return lockNow() }
        if case .unlock(var screen) = layers.top, let until = screen.waitUntil,
            now.uptime >= until
        {
            screen.waitUntil = nil
            screen.problem = screen.problemAfterWait
            layers.top = .unlock(screen)
        }
        return keepDrafts(dueBy: now.uptime)
    }

    /// Results of a store that has been locked since tell nothing to whoever stands there, but for
    /// what could not be kept.
    private mutating func tellOfLoss(_ message: AppMessage) {
        guard let loss = message.loss, case .unlock(var screen) = layers.layers[0] else { return }
        screen.problem = loss
        layers[0] = .unlock(screen)
    }

    /// A demand to lock while a PIN is being checked: whatever the check opens is closed behind it.
    private mutating func lockAgain() -> [Effect] {
        guard case .unlock(var screen) = layers.layers[0], screen.isChecking else { return [] }
        screen.isChecking = false
        screen.isCalledOff = true
        layers[0] = .unlock(screen)
        return [.lock]
    }

    /// Saves what is being typed, then forgets everything that was on the screen.
    mutating func lockNow() -> [Effect] {
        let drafts = keepDrafts(dueBy: nil) + layers.layers.flatMap(releaseHolds)
        resume = bookmark
        layers.replaceAll(with: .unlock(UnlockScreen()))
        worklist = Worklist(in: worklist.order)
        status = StatusPicture()
        unkept.removeAll()
        leftReviews = [:]
        cut = ""
        isSyncing = false
        cycleProgress = nil
        isSyncDemanded = false
        notice = nil
        warning = nil
        return drafts + [.lock]
    }

    /// Leaving saves what is being typed and asks nothing: nothing can be lost by it.
    mutating func quit() -> [Effect] {
        isQuitting = true
        return keepDrafts(dueBy: nil) + [.quit]
    }

    /// Lets go of the fields that a layer held while it showed them.
    func releaseHolds(of layer: Layer) -> [Effect] {
        switch layer {
        case .inspection(let screen):
            screen.editor.map { [.release($0.key.record(in: screen.id), [$0.key.path])] } ?? []
        case .picker(let picker):
            if case .answer(let id) = picker.purpose {
                [.release(picker.key.record(in: id), [picker.key.path])]
            } else {
                []
            }
        case .finding(let screen):
            screen.editor.map { [.release(screen.id, [$0.key.path])] } ?? []
        case .review(let screen):
            screen.paths.isEmpty ? [] : [.release(screen.id, screen.paths)]
        default: []
        }
    }

    private var bookmark: Bookmark? {
        for case .inspection(let screen) in layers.layers {
            return Bookmark(inspection: screen.id, question: screen.focus.focused)
        }
        return nil
    }

    /// Writes the text of open editors to the draft table: those that are due, or with nil all.
    private mutating func keepDrafts(dueBy limit: Int64?) -> [Effect] {
        var effects = unkept.tries(dueBy: limit)
        for index in layers.layers.indices {
            guard let unkept = layers[index].unkept, let id = layers[index].record,
                limit.map({ unkept.due <= $0 }) ?? true
            else { continue }
            layers[index].setDraftDue(nil)
            effects.append(.draft(id, unkept.key, text: unkept.text))
        }
        return effects
    }
}
