import Phrases
import TerminalKit

extension Frame {
    mutating func drawSettings(_ screen: SettingsScreen, in space: Rect) {
        let names = ScreenSetting.allCases.map(words)
        let items = zip(ScreenSetting.allCases, names).map { setting, name in
            line(
                setting, name, value(of: setting), among: names,
                isFocused: setting == screen.focus.focused, space.columns)
        }
        canvas.list(items, focused: screen.focus.focused, in: space, anchor: &scroll.settings)
    }

    private func words(of setting: ScreenSetting) -> String {
        switch setting {
        case .language: say("Language of the screen")
        case .theme: say("Colours")
        case .characters: say("Characters")
        case .mouse: say("Mouse")
        case .background: say("Send and fetch by itself")
        case .keys: say("Own keys")
        }
    }

    private func value(of setting: ScreenSetting) -> String {
        let settings = state.settings
        switch setting {
        case .language:
            return settings.languages.first { $0.code == settings.language }?.name
                ?? settings.language
        case .theme:
            return switch settings.theme {
            case .auto: say("as the terminal has them")
            case .mono: say("none")
            case .light: say("for light ground")
            case .dark: say("for dark ground")
            case .sun: say("for sunlight")
            }
        case .characters:
            return switch settings.tier {
            case nil: say("what the terminal says")
            case .ascii: "ASCII"
            case .utf8: "UTF-8"
            }
        case .mouse: return state.hasMouse ? say("on") : say("off")
        case .background: return state.status.isBackgroundOff ? say("off, s sends") : say("on")
        case .keys:
            let count = KeysScreen.commands.count { !state.ownKeys.keys(of: $0).isEmpty }
            return count == 0 ? say("none; Enter binds some") : say("\(count) bound")
        }
    }

    /// A name and its value, beside it where there is room, else below.
    /// - Parameter names: of all lines, which end in one column.
    private func line<ID: Hashable & Sendable>(
        _ id: ID, _ name: String, _ value: String, among names: [String], isFocused: Bool,
        _ width: Int, style: Style? = nil
    ) -> ListItem<ID> {
        let marker = marker(isFocused)
        let longest = names.map(CellWidth.of).max() ?? 0
        let column = min(longest + 5, width / 2)
        let isWide = width >= 60 && CellWidth.of(name) < column - 2
        let room = max(1, width - (isWide ? column : 4) - 2)
        let lines = TextFlow.wrapped(value, to: room)
        let shownStyle = style ?? theme.body
        return ListItem(id, rows: isWide ? lines.count : lines.count + 1) { [theme] canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            canvas.text(
                name, column: rect.column + 2, row: rect.row, limit: rect.columns - 3,
                style: theme.title)
            canvas.lines(
                lines,
                in: Rect(
                    column: rect.column + (isWide ? column : 4),
                    row: rect.row + (isWide ? 0 : 1), columns: room, rows: lines.count),
                style: shownStyle)
            if isFocused { Frame.highlight(&canvas, rect, theme) }
        }
    }

    // MARK: About

    mutating func drawAbout(_ screen: AboutScreen, in space: Rect) {
        guard let found = screen.lines else {
            drawEmpty(say("Looking at this device"), in: space)
            return
        }
        let names = found.map(\.name)
        let items = found.indices.map { index in
            line(
                index, names[index], (found[index].isTrouble ? "! " : "") + found[index].text,
                among: names, isFocused: index == screen.focus.focused, space.columns,
                style: found[index].isTrouble ? theme.error : nil)
        }
        canvas.list(items, focused: screen.focus.focused, in: space, anchor: &scroll.about)
    }

    // MARK: Keys

    mutating func drawKeys(_ screen: KeysScreen, in space: Rect) {
        var rest = space
        if let awaited = screen.awaiting {
            let words = TextFlow.wrapped(
                say("Press the key for: \(help(of: awaited)). Esc keeps all as it is."),
                to: max(1, space.columns - 2))
            let place = rest.cutTop(words.count + 1)
            canvas.lines(
                words,
                in: Rect(
                    column: place.column + 1, row: place.row, columns: place.columns - 2,
                    rows: words.count), style: theme.title)
        }
        let names = KeysScreen.commands.map(keys)
        let items = zip(KeysScreen.commands, names).map { command, name in
            line(
                command, name, help(of: command), among: names,
                isFocused: command == screen.focus.focused, space.columns)
        }
        canvas.list(items, focused: screen.focus.focused, in: rest, anchor: &scroll.keys)
    }

    private func binding(of command: Command) -> Binding<Command>? {
        Place.allCases.lazy
            .compactMap { place in
                BindingTable.keymap(for: place, own: state.ownKeys).bindings
                    .first { $0.command == command }
            }.first
    }

    private func keys(of command: Command) -> String {
        binding(of: command)?.keys.map(\.name).joined(separator: ", ") ?? ""
    }

    private func help(of command: Command) -> String { binding(of: command)?.shownHelp ?? "" }
}
