import Coding
import FieldApp
import Forms
import Foundation
import Phrases
import TerminalKit
import TestSupport
import Testing

/// Every sentence of the screens comes from the phrasebook. The stretched language has no ASCII letter: what is
/// English under it is the scene's own, or has bypassed the book.
@Suite("Languages of the screen")
struct LanguageTests {
    /// As they stand on keys and in commands.
    private static let names: Set<String> = [
        "Enter", "Esc", "Ctrl", "Shift", "Alt", "Tab", "Space", "Backspace", "Delete", "Insert",
        "Home", "End", "PgUp", "PgDn", "Left", "Right", "Up", "Down", "Walkdown", "walkdown",
        "doctor", "PIN",
    ]

    /// The words of all that the scenes are made of.
    private static let ofTheScenes: Set<String> = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        var found: Set<String> = []
        for file in [
            "SceneData", "Scenes", "FindingScenes", "PumpScenes", "RowScenes",
            "HistoryScenes", "WorklistScenes",
        ] {
            let text = try? String(
                contentsOf: folder.appending(path: file + ".swift"), encoding: .utf8)
            found.formUnion(words(of: text ?? ""))
        }
        return found
    }()

    private static func words(of text: String) -> [String] {
        text.split { !$0.isASCII || !$0.isLetter }.map { String($0) }.filter { $0.count > 1 }
    }

    private func frame(_ state: AppState, _ size: Size) -> Canvas {
        var state = state
        _ = update(&state, .resized(size))
        var scroll = Scroll()
        return render(
            state, size: size, look: Look(tier: .utf8, theme: .mono), scroll: &scroll)
    }

    @Test("No sentence on any screen bypasses the phrasebook", arguments: [40, 80, 120])
    func nothingBypasses(columns: Int) throws {
        try Phrasebook.stretched.whileInForce {
            for scene in try Scenes.all() {
                let text = TextFrame.text(frame(scene.state, Size(columns: columns, rows: 60)))
                // A word may be cut at the edge of its place.
                let strangers = Self.words(of: text).filter { word in
                    !Self.names.contains(word)
                        && !Self.ofTheScenes.contains { $0.hasPrefix(word) }
                }
                #expect(strangers.isEmpty, "\(scene.name): \(Set(strangers).sorted())")
            }
        }
    }

    @Test("The longest language fits every size, with the cursor on the screen")
    func everySize() throws {
        try Phrasebook.stretched.whileInForce {
            for scene in try Scenes.all() {
                for columns in [1, 5, 20, 33, 40, 59, 80, 100, 200] {
                    for rows in [1, 4, 5, 11, 20, 24, 60] {
                        let size = Size(columns: columns, rows: rows)
                        let canvas = frame(scene.state, size)
                        #expect(
                            Rect(size).contains(canvas.cursor), "\(scene.name) \(columns)x\(rows)")
                    }
                }
            }
        }
    }

    // MARK: Translations

    /// What the program can say on its screens, by where it stands.
    private static func sentences() throws -> [String: String] {
        var all = try PhraseKeys.inSources()
        for place in Place.allCases {
            for binding in BindingTable.keymap(for: place, demo: true).bindings {
                all[binding.label] = "BindingTable"
                all[binding.help] = "BindingTable"
            }
        }
        for binding in LineEditor.keymap.bindings { all[binding.help] = "LineEditorKeys" }
        for choice in Choice.standardVerdicts { all[choice.label] = "standardVerdicts" }
        // Of signs alone there is nothing to translate.
        return all.filter { key, _ in
            key.replacing(/%[0-9]/, with: "").contains(where: \.isLetter)
        }
    }

    private static func translations(into language: String) throws -> [String: String] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Resources/messages/\(language).json")
        guard case .object(let members) = try JSON.parse(Array(Data(contentsOf: file))) else {
            return [:]
        }
        return members.compactMapValues { member in
            guard case .string(let text) = member else { return nil }
            return text
        }
    }

    @Test("Each sentence is translated, and nothing that is not said any more", arguments: ["es"])
    func complete(language: String) throws {
        let sentences = try Self.sentences()
        let translations = try Self.translations(into: language)
        #expect(sentences.count > 500, "or the sources were not read")
        for (key, place) in sentences where translations[key] == nil {
            Issue.record("\(place) says '\(key)', which \(language) does not have")
        }
        #expect(Set(translations.keys).subtracting(sentences.keys).sorted() == [])
    }

    @Test("What is put into a sentence is put into its translation", arguments: ["es"])
    func placeholders(language: String) throws {
        func numbers(_ text: String) -> [Substring] {
            text.matches(of: /%[0-9]/).map { text[$0.range] }.sorted()
        }
        for (key, text) in try Self.translations(into: language) {
            #expect(numbers(key) == numbers(text), "\(key)")
            #expect(text.first?.isWhitespace == key.first?.isWhitespace, "\(key)")
        }
    }

    @Test("The keys that a sentence names stand in its translation too", arguments: ["es"])
    func keyNames(language: String) throws {
        func keys(_ text: String) -> [Substring] {
            text.matches(of: /\b(Enter|Esc|Ctrl-.|F[0-9]+|Shift|Delete)\b/).map { text[$0.range] }
                .sorted()
        }
        for (key, text) in try Self.translations(into: language) where key != "Delete" {
            if key.hasPrefix("Delete ") { continue }
            #expect(keys(key) == keys(text), "\(key)")
        }
    }

    @Test("Every screen can be drawn in each language at every size", arguments: ["es"])
    func drawn(language: String) throws {
        let book = Phrasebook(
            language: language, sentences: try Self.translations(into: language))
        try book.whileInForce {
            for scene in try Scenes.all() {
                for (columns, rows) in [(40, 20), (80, 24), (120, 40)] {
                    let size = Size(columns: columns, rows: rows)
                    #expect(Rect(size).contains(frame(scene.state, size).cursor), "\(scene.name)")
                }
            }
        }
    }
}
