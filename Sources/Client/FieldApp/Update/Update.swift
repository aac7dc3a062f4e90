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
        for case .inspection(let screen) in layers.layers {
            if let draft = screen.editor?.draftDue { due.append(draft) }
        }
        return due.min()
    }

    mutating func receive(_ message: AppMessage) -> [Effect] {
        switch message {
        case .input(let event, let moment): return receive(event, at: moment)
        case .tick(let moment):
            now = moment
            return expire()
        case .resized(let size):
            self.size = size
            return []
        case .hangUp: return quit()
        case .suspending: return keepDrafts(dueBy: nil)
        case .lockDemanded: return isLocked ? [] : lockNow()
        case .unlocked, .unlockRefused: return receiveUnlock(message)
        default:
            // Results of a store that has been locked since tell nothing to whoever stands there.
            return isLocked ? [] : receiveResult(message)
        }
    }

    private mutating func receive(_ event: InputEvent, at moment: Moment) -> [Effect] {
        now = moment
        // The machine may have slept through the tick that would have locked it.
        let late = expire()
        lastKey = moment.uptime
        if late.contains(.lock) { return late }
        switch event {
        case .key(let key):
            notice = nil
            return late + press(key)
        case .paste(let text):
            notice = nil
            return late + paste(text)
        case .mouse(let mouse):
            return late + wheel(mouse)
        }
    }

    private mutating func wheel(_ mouse: MouseEvent) -> [Effect] {
        switch mouse.action {
        case .scrollUp: move(by: -3)
        case .scrollDown: move(by: 3)
        case .press, .drag, .release: break
        }
        return []
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

    /// Saves what is being typed, then forgets everything that was on the screen.
    mutating func lockNow() -> [Effect] {
        let drafts = keepDrafts(dueBy: nil) + layers.layers.flatMap(releaseHolds)
        resume = bookmark
        layers.replaceAll(with: .unlock(UnlockScreen()))
        worklist = Worklist()
        status = StatusPicture()
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
            screen.editor.map { [.release(screen.id, [$0.path])] } ?? []
        case .picker(let picker):
            if case .answer(let id) = picker.purpose {
                [.release(id, [picker.question.path])]
            } else {
                []
            }
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
        var effects: [Effect] = []
        for index in layers.layers.indices {
            guard case .inspection(var screen) = layers[index], let due = screen.editor?.draftDue,
                let editor = screen.editor, limit.map({ due <= $0 }) ?? true
            else { continue }
            screen.editor?.draftDue = nil
            layers[index] = .inspection(screen)
            effects.append(.draft(screen.id, path: editor.path, text: editor.line.text))
        }
        return effects
    }
}
