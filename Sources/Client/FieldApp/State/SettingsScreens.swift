package import TerminalKit

/// What a person has set for the screen, as it is in force.
package struct ScreenSettings: Equatable, Sendable {
    /// A language that the screen can speak.
    package struct Language: Equatable, Sendable {
        /// Such as `es`.
        package var code: String
        /// What its speakers call it.
        package var name: String

        package init(code: String, name: String) {
            self.code = code
            self.name = name
        }
    }

    package var languages = [Language(code: "en", name: "English")]
    package var language = "en"
    package var theme = Theme.Name.auto
    /// nil: what the terminal says.
    package var tier: Tier?

    package init() {}
}

/// A line of the settings, in their order. The raw values of what stands in the config file are its words.
package enum ScreenSetting: String, Hashable, Sendable, CaseIterable {
    case language, theme, characters, mouse
    /// Whether the application sends and fetches by itself.
    case background
    case keys
}

package struct SettingsScreen: Equatable, Sendable {
    package var focus = ListFocus<ScreenSetting>(.language)

    package init() {}
}

/// All that keys can do, to bind one more of them.
package struct KeysScreen: Equatable, Sendable {
    package var focus = ListFocus<Command>(KeysScreen.commands.first)
    /// The next key is for this one.
    package var awaiting: Command?

    package init() {}

    /// In the order of the table; what every keyboard has is left out.
    package static let commands: [Command] = {
        let fixed: Set<Command> = [
            .up, .down, .pageUp, .pageDown, .first, .last, .next, .previous, .back, .accept,
            .networkSwitch,
        ]
        let bound = Place.allCases.flatMap {
            BindingTable.keymap(for: $0).bindings.map(\.command)
        }
        return Command.allCases.filter { !fixed.contains($0) && bound.contains($0) }
    }()
}

/// What this device is, and what is wrong with it.
package struct AboutScreen: Equatable, Sendable {
    /// nil while it is being looked at.
    package var lines: [AboutLine]?
    package var focus = ListFocus<Int>(0)

    package init() {}
}

package struct AboutLine: Equatable, Sendable {
    package var name: String
    package var text: String
    package var isTrouble: Bool

    package init(_ name: String, _ text: String, isTrouble: Bool = false) {
        self.name = name
        self.text = text
        self.isTrouble = isTrouble
    }
}
