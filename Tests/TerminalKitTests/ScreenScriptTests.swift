import TerminalKit
import Testing

@Suite("Scripts of keys")
struct ScreenScriptTests {
    @Test("a key has one name, which reads back as the key")
    func names() {
        var keys: [KeyEvent] = [
            .enter, .tab, .backTab, .escape, .control("l"), .control("_"), .character("q"),
            .character(" "), .character("ø"), .character("-"), KeyEvent(.enter, .alt),
            KeyEvent(.pageUp), KeyEvent(.delete), KeyEvent(.left, [.control, .shift]),
        ]
        keys += (1...12).map { KeyEvent(.function($0)) }
        for key in keys { #expect(KeyEvent(named: key.name) == key, "\(key.name)") }
        #expect(KeyEvent(named: "ctrl-L") == .control("l") && KeyEvent(named: "ENTER") == .enter)
        for text in ["", "Entr", "F0", "F25", "Ctrl-", "Hyper-x", "ab"] {
            #expect(KeyEvent(named: text) == nil, "\(text)")
        }
    }

    @Test("a line has keys, or a word with the rest of the line")
    func steps() throws {
        let script = try ScreenScript(
            """
            # how it came about
            Enter Down q

            :text  two blanks
            :size 40x20
            :save-screen /tmp/a b.txt
              :wait-for FRZ-1
            """)
        #expect(script.steps.map(\.line) == [2, 2, 2, 4, 5, 6, 7])
        #expect(
            script.steps.map(\.step) == [
                .key(.enter), .key(KeyEvent(.down)), .key(.character("q")), .text(" two blanks"),
                .resize(Size(columns: 40, rows: 20)), .save("/tmp/a b.txt"), .wait("FRZ-1"),
            ])
    }

    @Test(
        "a line that means nothing is named",
        arguments: [
            ("Enter\nEntr", 2, "'Entr' is no key"),
            (":text", 1, "':text' needs something behind it"),
            (":size 0x4", 1, "':size' needs something behind it"),
            (":nothing x", 1, "':nothing' is none of"),
        ])
    func troubles(text: String, line: Int, words: String) {
        do {
            _ = try ScreenScript(text)
            Issue.record("nothing was wrong with it")
        } catch {
            #expect(error.line == line && error.words.hasPrefix(words), "\(error)")
        }
    }
}
