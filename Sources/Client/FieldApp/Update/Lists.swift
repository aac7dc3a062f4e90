import Coding
import Forms
package import TerminalKit

/// The lists that stand over a screen for a moment: sections, choices, help, commands.
extension AppState {
    // MARK: Sections

    mutating func openSections() -> [Effect] {
        let leaving = leaveEditor()
        guard case .inspection(let screen) = layers.top else { return leaving }
        var list = SectionsScreen(at: screen.focus.focused.flatMap { screen.section(of: $0) })
        list.focus.settle(sectionIDs)
        layers.push(.sections(list))
        return leaving
    }

    mutating func go(toSection index: Int?) -> [Effect] {
        layers.pop()
        guard case .inspection(var screen) = layers.top,
            let entry = screen.sections.first(where: { $0.index == index })
        else { return [] }
        screen.enter(row: nil)
        if let first = screen.firstKey(ofSection: entry.index) { screen.go(to: first) }
        layers.top = .inspection(screen)
        return []
    }

    // MARK: Help and commands

    /// A row of help or palette.
    package struct Entry: Equatable, Sendable {
        /// A command, or what a key does to the text that is being typed.
        package enum Subject: Hashable, Sendable {
            case command(Command)
            case text(LineEditor.Action)
        }

        package let subject: Subject
        package let keys: String
        package let label: String
        package let help: String
        /// Why it cannot be used just now.
        package let whyDisabled: String?

        package var command: Command? {
            if case .command(let command) = subject { command } else { nil }
        }
    }

    package func entries(of screen: HelpScreen) -> [Entry] {
        let keys = screen.place.takesText ? Self.textKeys : []
        return fitting(entries(for: screen.place) + keys, screen.filter.text)
    }

    /// The palette leaves out what acts on the palette itself or only moves.
    package func entries(of screen: PaletteScreen) -> [Entry] {
        let left: Set<Command> = [
            .palette, .back, .up, .down, .pageUp, .pageDown, .first, .last, .next, .previous,
            .accept, .newLine,
        ]
        return fitting(entries(for: screen.place), screen.filter.text)
            .filter { entry in entry.command.map { !left.contains($0) } ?? false }
    }

    private static var textKeys: [Entry] {
        LineEditor.keymap.bindings.map { binding in
            Entry(
                subject: .text(binding.command), keys: binding.shownKeys, label: "",
                help: binding.shownHelp, whyDisabled: nil)
        }
    }

    private func entries(for place: Place) -> [Entry] {
        var beneath = self
        beneath.layers.pop()
        let keymap = BindingTable.keymap(for: place, demo: demo != nil, own: ownKeys)
        return keymap.bindings.map { binding in
            Entry(
                subject: .command(binding.command), keys: binding.shownKeys,
                label: binding.shownLabel, help: binding.shownHelp,
                whyDisabled: beneath.whyDisabled(binding.command))
        }
    }

    private func fitting(_ entries: [Entry], _ filter: String) -> [Entry] {
        let words = filter.lowercased().split(separator: " ")
        return entries.filter { entry in
            let text = "\(entry.keys) \(entry.label) \(entry.help)".lowercased()
            return words.allSatisfy(text.contains)
        }
    }

    mutating func settleCommands() {
        switch layers.top {
        case .help(var screen):
            screen.focus.settle(entries(of: screen).map(\.subject))
            layers.top = .help(screen)
        case .palette(var screen):
            screen.focus.settle(entries(of: screen).map(\.subject))
            layers.top = .palette(screen)
        default: break
        }
    }

    mutating func run(_ palette: PaletteScreen) -> [Effect] {
        guard case .command(let command)? = palette.focus.focused else { return [] }
        layers.pop()
        return perform(command)
    }
}

extension InspectionScreen {
    fileprivate func firstKey(ofSection index: Int) -> AnswerKey? {
        guard let start = items.firstIndex(where: { $0.kind == .section(index) }) else {
            return nil
        }
        return items[start...].lazy.compactMap(\.key).first
    }
}
