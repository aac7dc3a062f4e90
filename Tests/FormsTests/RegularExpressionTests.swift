import Testing

@testable import Forms

@Suite("Regular expressions of forms")
struct RegularExpressionTests {
    @Test(
        "the whole text has to fit",
        arguments: [
            ("[0-9]+", "12345", true), ("[0-9]+", "12345a", false), ("a|ab", "ab", true),
            ("^\\d{3}-\\d{4}$", "555-1234", true), ("\\d{3}", "1234", false), ("", "", true),
            ("(ab)?c*", "abccc", true), ("a{2,3}", "a", false), ("a{2,3}", "aaa", true),
            ("a{2,}", "aaaaaa", true), ("a{2,3}?", "aa", true), ("[^,;]+", "a;b", false),
            ("[\\w.+-]+@[\\w-]+\\.[a-z]{2,}", "ola.n+x@ex-1.no", true), ("[a-c-]+", "a-c", true),
            ("[]a]+", "]a", true), ("[\\]\\-a]+", "]-a", true), (".", "\n", false),
            (".", "é", true),
            ("(?i)abc", "aBC", true), ("(?i:a)b", "Ab", true), ("(?i:a)b", "AB", false),
            ("(?!0)\\d+", "012", false), ("(?!0)\\d+", "12", true),
            ("(?=.*\\d)[a-z\\d]+", "ab", false),
            ("(?=.*\\d)(?=.*[a-z])[a-z\\d]{4,}", "ab12", true), ("\\bab\\b cd", "ab cd", true),
            ("a\\Bb", "ab", true), ("\\p{L}+", "Ærø", true), ("\\p{Lu}\\p{Ll}+", "Oslo", true),
            ("\\P{L}+", "12", true), ("[\\p{L} ]+", "Å ø", true), ("\\x41\\u00e6", "Aæ", true),
            ("\\s*\\S+\\s*", "  x ", true), ("(?<name>a)b", "ab", true), ("\\d", "٣", false),
            ("a.c", "abc", true), ("a\\.c", "abc", false), ("[.]", "a", false),
            ("(a|)b", "b", true),
            ("()*a", "a", true), ("(a*)*", "aaa", true), ("\\Aa\\z", "a", true),
            ("a$b", "ab", false),
        ])
    func whole(pattern: String, text: String, fits: Bool) throws {
        #expect(try WholeMatcher(pattern).match(text).fits == fits)
    }

    @Test(
        "what cannot be followed is refused, with its place",
        arguments: [
            ("(a", 3, PatternError.Code.syntax), ("a)", 2, .syntax), ("[a", 3, .syntax),
            ("*a", 1, .syntax), ("a{2", 4, .syntax), ("a{3,2}", 7, .syntax), ("[z-a]", 5, .syntax),
            ("\\", 2, .syntax), ("(a)\\1", 6, .unsupported), ("(?<=a)b", 4, .unsupported),
            ("a++", 4, .unsupported), ("[a-z&&[^b]]", 6, .unsupported),
            ("\\p{Greek}", 10, .unsupported),
            ("\\q", 3, .unsupported),
        ])
    func refused(pattern: String, character: Int, code: PatternError.Code) {
        do {
            _ = try WholeMatcher(pattern)
            Issue.record("\(pattern) was read")
        } catch {
            #expect(error.code == code, "\(error)")
            #expect(abs(error.character - character) <= 1, "\(error)")
        }
    }
}
