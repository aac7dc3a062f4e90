import FieldApp
import Foundation
import TerminalKit
import Testing

/// The man page's keys are the binding table's. `WALKDOWN_RECORD=1` writes them anew.
@Suite("Keys in the man page")
struct ManualTests {
    private static let manual = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("man/walkdown.1")

    private static let places: [Place] = [
        .worklist, .inspection, .editor, .range, .rows, .sections, .picker, .marking, .ranking,
        .finding, .findingText, .findings, .why, .history, .move, .status, .review, .help,
        .palette,
    ]

    @Test("The KEYS section says what the binding table says")
    func keys() throws {
        let text = try String(contentsOf: Self.manual, encoding: .utf8)
        let parts = text.components(separatedBy: ".SH KEYS\n")
        try #require(parts.count == 2)
        let end = try #require(parts[1].range(of: ".SH "))
        let found = String(parts[1][..<end.lowerBound])
        let expected = Self.section
        guard found != expected else { return }
        if ProcessInfo.processInfo.environment["WALKDOWN_RECORD"] == "1" {
            let renewed = parts[0] + ".SH KEYS\n" + expected + parts[1][end.lowerBound...]
            try renewed.write(to: Self.manual, atomically: true, encoding: .utf8)
        } else {
            Issue.record("man/walkdown.1 differs from the table; WALKDOWN_RECORD=1 renews it")
        }
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
