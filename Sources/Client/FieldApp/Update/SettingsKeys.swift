import Phrases
import TerminalKit

/// The settings: each change holds at once, and is kept for the next time.
extension AppState {
    mutating func openSettings() -> [Effect] {
        let isOpen = layers.layers.contains { if case .settings = $0 { true } else { false } }
        guard !isOpen else { return [] }
        layers.push(.settings(SettingsScreen()))
        return []
    }

    mutating func openAbout() -> [Effect] {
        if case .about = layers.top { return [.examine] }
        layers.push(.about(AboutScreen()))
        return [.examine]
    }

    mutating func receive(about lines: [AboutLine]) {
        for index in layers.layers.indices {
            guard case .about(var screen) = layers[index] else { continue }
            screen.lines = lines
            layers[index] = .about(screen)
        }
    }

    mutating func performSettings(_ command: Command, _ screen: SettingsScreen) -> [Effect] {
        guard let setting = screen.focus.focused else { return [] }
        let step = command == .lower ? -1 : 1
        switch setting {
        case .language: return setLanguage(by: step)
        case .theme: return setTheme(by: step)
        case .characters: return setTier(by: step)
        case .mouse:
            let asked = switchMouse()
            notice = nil
            return asked + [.keepSetting(.mouse, hasMouse ? "on" : "off")]
        case .background:
            status.isBackgroundOff.toggle()
            return [.setBackground(on: !status.isBackgroundOff)]
        case .keys:
            if command == .open { layers.push(.keys(KeysScreen())) }
            return []
        }
    }

    private mutating func setLanguage(by step: Int) -> [Effect] {
        let codes = settings.languages.map(\.code)
        guard codes.count > 1 else { return [] }
        let next = Self.next(after: settings.language, by: step, in: codes)
        return [.speak(next), .keepSetting(.language, next)]
    }

    private mutating func setTheme(by step: Int) -> [Effect] {
        settings.theme = Self.next(after: settings.theme, by: step, in: Theme.Name.allCases)
        return [
            .setLook(settings.theme, settings.tier), .keepSetting(.theme, settings.theme.rawValue),
        ]
    }

    /// As the terminal says is no word of the file: the line goes.
    private mutating func setTier(by step: Int) -> [Effect] {
        settings.tier = Self.next(after: settings.tier, by: step, in: [nil, .ascii, .utf8])
        let word = settings.tier.map { $0 == .ascii ? "ascii" : "utf8" }
        return [.setLook(settings.theme, settings.tier), .keepSetting(.characters, word)]
    }

    private static func next<Value: Equatable>(
        after value: Value, by step: Int, in values: [Value]
    ) -> Value {
        let place = values.firstIndex(of: value) ?? 0
        return values[(place + step + values.count) % values.count]
    }

    /// The sentences are in force: what stands on the screen is said anew.
    mutating func receive(spoken language: String) {
        settings.language = language
        for index in layers.layers.indices {
            guard case .inspection(var screen) = layers[index], let form = screen.picture?.form
            else { continue }
            screen.show(in: surroundings(for: form))
            layers[index] = .inspection(screen)
        }
    }

    // MARK: Keys

    mutating func performKeys(_ command: Command, _ screen: KeysScreen) -> [Effect] {
        guard let focused = screen.focus.focused else { return [] }
        if command == .clear {
            guard !ownKeys.keys(of: focused).isEmpty else {
                notice = Notice(say("No key was bound to this here"))
                return []
            }
            ownKeys.unbind(focused)
            return [.unbind(focused)]
        }
        var screen = screen
        screen.awaiting = focused
        layers.top = .keys(screen)
        return []
    }

    /// A key that was asked for. Esc takes the question back.
    mutating func bind(_ key: KeyEvent, to command: Command, _ screen: KeysScreen) -> [Effect] {
        var screen = screen
        screen.awaiting = nil
        layers.top = .keys(screen)
        guard key != .escape else { return [] }
        do throws(OwnKeys.Trouble) {
            try ownKeys.bind(command, to: key)
        } catch {
            notice = Notice(error.sentence, .bad)
            return []
        }
        notice = Notice(say("\(key.name) is bound"), .good)
        return [.bind(key, command)]
    }
}

extension OwnKeys.Trouble {
    /// What is in the way, and what to do.
    var sentence: String {
        switch self {
        case .notSent(let key):
            say("No terminal sends \(key.name) as such; press another key")
        case .reserved(let key):
            say("\(key.name) keeps its meaning everywhere; press another key")
        case .taken(let key, _, let place):
            say("\(key.name) does something else in: \(place.title); press another key")
        case .isText(let key): say("\(key.name) is text there; press another key")
        }
    }
}
