import Phrases
import TerminalKit

extension AppState {
    /// Bytes of the longest PIN (6 to 128).
    private static let longestPIN = 128
    private static var notThePIN: String { say("That is not the PIN") }

    mutating func typePIN(_ key: KeyEvent) -> [Effect] {
        guard case .unlock(var screen) = layers.top, !screen.isChecking else { return [] }
        if key.key == .backspace {
            guard screen.typed > 0 else { return [] }
            screen.typed -= 1
            layers.top = .unlock(screen)
            return [.pin(.backspace)]
        }
        guard let scalar = key.typed, screen.typed < Self.longestPIN else { return [] }
        screen.typed += 1
        screen.problem = nil
        layers.top = .unlock(screen)
        return [.pin(.type(scalar))]
    }

    /// Line ends are dropped: a password manager's paste often ends with one.
    mutating func pastePIN(_ text: String) -> [Effect] {
        text.unicodeScalars.filter { $0.value >= 0x20 }
            .flatMap { typePIN(.character($0)) }
    }

    mutating func performUnlock(_ command: Command) -> [Effect] {
        guard case .unlock(var screen) = layers.top, !screen.isChecking else { return [] }
        switch command {
        case .clear:
            screen.typed = 0
            screen.problem = nil
            layers.top = .unlock(screen)
            return [.pin(.clear)]
        case .accept:
            guard screen.waitUntil == nil else { return [] }
            guard screen.typed > 0 else {
                screen.problem = say("Type the PIN, then Enter")
                layers.top = .unlock(screen)
                return []
            }
            screen.isChecking = true
            screen.problem = nil
            layers.top = .unlock(screen)
            return [.pin(.enter)]
        default: return []
        }
    }

    mutating func receiveUnlock(_ message: AppMessage) -> [Effect] {
        // Help may stand over it.
        guard case .unlock(var screen) = layers.layers[0] else { return [] }
        // A check that was called off by a demand to lock opens nothing.
        if screen.isCalledOff {
            screen.isCalledOff = false
            layers[0] = .unlock(screen)
            return []
        }
        screen.typed = 0
        screen.isChecking = false
        guard case .unlockRefused(let refusal) = message else { return enter() }
        switch refusal {
        case .wrongPIN: screen.problem = Self.notThePIN
        case .wrongPINAndWait(let seconds):
            screen.problem = say("\(Self.notThePIN); wait \(seconds) s")
            screen.problemAfterWait = Self.notThePIN
            screen.waitUntil = now.uptime + Int64(seconds) * 1_000
        case .wrongPINOfOne(let seconds):
            screen.problem = say("\(Self.notThePIN), or the key slot is old; wait \(seconds) s")
            screen.problemAfterWait = say("\(Self.notThePIN); try the PIN before it too")
            screen.waitUntil = now.uptime + Int64(seconds) * 1_000
        case .tooShort: screen.problem = say("A PIN has 6 to 128 characters")
        case .failed(let reason): screen.problem = reason
        case .delayed(let seconds):
            screen.waitUntil = now.uptime + Int64(seconds) * 1_000
            screen.problemAfterWait = say("Type the PIN again")
            screen.problem = say("Wait \(seconds) s before the next PIN")
        }
        layers[0] = .unlock(screen)
        return []
    }

    /// Opens the worklist, and over it what was open when the device locked.
    private mutating func enter() -> [Effect] {
        lastKey = now.uptime
        layers.replaceAll(with: .worklist)
        var effects: [Effect] = [.loadWorklist, .loadStatus]
        if let resume {
            let screen = InspectionScreen(id: resume.inspection, focus: resume.question)
            layers.push(.inspection(screen))
            effects.append(.loadInspection(resume.inspection))
        }
        resume = nil
        return effects
    }
}
