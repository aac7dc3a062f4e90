import TerminalKit
import Testing

@Suite("Cell widths")
struct CellWidthTests {
    @Test(
        "A character takes the columns that terminals agree on",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("漢", 2), ("⚠\u{FE0F}", 1), ("👩‍👩‍👧", 2), ("👍🏽", 2),
            ("ก็", 1), ("ｗ", 2), ("\u{7}", 0), ("\u{202E}", 0), ("가", 2),
        ])
    func width(text: String, expected: Int) {
        #expect(CellWidth.of(text) == expected)
    }

    @Test("A cluster is drawn as bases with their marks and without joiners")
    func groups() {
        #expect(
            CellGroup.groups(of: "e\u{301}") == [CellGroup(base: "e", marks: ["\u{301}"], width: 1)]
        )
        #expect(CellGroup.groups(of: "👩‍👩‍👧") == [CellGroup(base: "👩", marks: [], width: 2)])
        #expect(
            CellGroup.groups(of: "\u{301}")
                == [CellGroup(base: "\u{25CC}", marks: ["\u{301}"], width: 1)])
    }
}

@Suite("Text in columns")
struct TextFlowTests {
    @Test("Text that does not fit ends with the tier's ellipsis")
    func truncated() {
        #expect(TextFlow.truncated("compressor", to: 5, tier: .utf8) == "comp…")
        #expect(TextFlow.truncated("compressor", to: 5, tier: .ascii) == "comp~")
        #expect(TextFlow.truncated("漢字漢字", to: 5, tier: .utf8) == "漢字…")
        #expect(TextFlow.truncated("abc", to: 3, tier: .utf8) == "abc")
        #expect(TextFlow.truncated("abc", to: 0, tier: .utf8) == "")
    }

    @Test("U05 No line is cut in a word unless the word is longer than the line", arguments: 1...80)
    func wrapped(columns: Int) {
        let text =
            "Keys that work here: Enter opens, Esc goes back.\n\nUnexceptionable 漢字漢字 readings."
        let lines = TextFlow.wrapped(text, to: columns)
        for line in lines { #expect(CellWidth.of(line) <= max(2, columns), "\(line)") }
        let squeezed = { (text: String) in text.filter { !$0.isWhitespace } }
        #expect(squeezed(lines.joined()) == squeezed(text))
        guard columns >= 15 else { return }
        let words = Set(text.split { $0.isWhitespace })
        for word in lines.joined(separator: " ").split(separator: " ") {
            #expect(words.contains(word))
        }
    }
}
