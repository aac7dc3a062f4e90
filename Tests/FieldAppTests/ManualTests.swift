import FieldApp
import Foundation
import TerminalKit
import Testing

/// The man pages' keys are the binding table's. `WALKDOWN_RECORD=1` writes them anew.
@Suite("Keys in the man pages")
struct ManualTests {
    private static let places: [Place] = [
        .worklist, .inspection, .editor, .range, .rows, .sections, .picker, .marking, .ranking,
        .finding, .findingText, .findings, .why, .history, .move, .status, .review, .help,
        .palette,
    ]

    @Test("The KEYS section says what the binding table says")
    func keys() throws { try compare("walkdown.1", section: "KEYS", with: Self.section) }

    @Test("Every action that can be bound is named, with what it does")
    func actions() throws {
        try compare("walkdown-config.5", section: "ACTIONS", with: Self.actionSection)
    }

    private func compare(_ page: String, section: String, with expected: String) throws {
        let manual = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("man/" + page)
        let text = try String(contentsOf: manual, encoding: .utf8)
        let head = ".SH \(section)\n"
        let parts = text.components(separatedBy: head)
        try #require(parts.count == 2)
        let end = try #require(parts[1].range(of: ".SH "))
        let found = String(parts[1][..<end.lowerBound])
        guard found != expected else { return }
        if ProcessInfo.processInfo.environment["WALKDOWN_RECORD"] == "1" {
            let renewed = parts[0] + head + expected + parts[1][end.lowerBound...]
            try renewed.write(to: manual, atomically: true, encoding: .utf8)
        } else {
            Issue.record("man/\(page) differs from the table; WALKDOWN_RECORD=1 renews it")
        }
    }

    /// With the words of the first place that has it.
    private static var actionSection: String {
        let bindings = Place.allCases.flatMap {
            BindingTable.keymap(for: $0, demo: true).bindings
        }
        return Command.allCases.compactMap { command in
            bindings.first { $0.command == command }.map { binding in
                ".TP\n.B \(command.rawValue)\n\(escaped(binding.help)).\n"
            }
        }.joined()
    }

    private static var section: String {
        places.map { place in
            ".SS \(place.title)\n" + rows(of: BindingTable.keymap(for: place, demo: true))
        }.joined() + ".SS While text is typed\n" + rows(of: LineEditor.keymap)
    }

    private static func rows<Command>(of keymap: Keymap<Command>) -> String {
        keymap.bindings.map { binding in
            ".TP\n.B \(escaped(binding.keyNames))\n\(escaped(binding.help)).\n"
        }.joined()
    }

    /// A line may not begin with a dot or an apostrophe, and `-` and `\` mean something to roff.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacingOccurrences(of: "\\", with: "\\e")
            .replacingOccurrences(of: "-", with: "\\-")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
