import FieldApp
import TerminalKit
import Testing

@testable import Commands

@Suite("Lines as wide as the terminal")
struct WrappedLineTests {
    @Test(
        "break between words and stay set in",
        arguments: [
            ("short", "short"), ("", ""), ("one two three four", "one two\nthree\nfour"),
            ("  one two three", "  one two\n  three"), ("a\n\nlong enough", "a\n\nlong\nenough"),
            ("1  x", "1  x"),
        ])
    func wraps(text: String, expected: String) {
        #expect(wrapped(text, to: 9) == expected)
    }

    @Test("what a key does stands below it where it does not fit beside")
    func narrowKeys() throws {
        var trace = KeyTrace()
        let entry = try #require(trace.feed(Array("\u{1B}[18~".utf8), at: 0).first)
        let deed = "Inspection: Go to the next unanswered question"
        let gap = { (count: Int) in String(repeating: " ", count: count) }
        let beside = "1b 5b 31 38 7e\(gap(12))F7\(gap(14))\(deed)\n"
        #expect(entry.line(OwnKeys()) == beside)
        #expect(entry.line(OwnKeys(), columns: 88) == beside)
        #expect(entry.line(OwnKeys(), columns: 87) == "1b 5b 31 38 7e  F7\n  \(deed)\n")
        #expect(
            entry.line(OwnKeys(), columns: 40)
                == "1b 5b 31 38 7e  F7\n  Inspection: Go to the next unanswered\n  question\n")
    }
}
