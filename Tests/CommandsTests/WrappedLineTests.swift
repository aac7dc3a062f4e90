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
}
