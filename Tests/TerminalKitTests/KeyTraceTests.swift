import TerminalKit
import TestSupport
import Testing

@Suite("What a key sends")
struct KeyTraceTests {
    private func entries(_ text: String) -> [(hex: String, name: String)] {
        var trace = KeyTrace()
        let entries = trace.feed(Array(text.utf8), at: 0) + trace.expire(at: 10_000)
        return entries.map { ($0.hex, $0.name) }
    }

    @Test(
        "Each key's bytes stand beside its name, also those that no key is known to send",
        arguments: [
            ("q", "71", "q"), ("é", "c3 a9", "é"), ("\u{1B}[A", "1b 5b 41", "Up"),
            ("\u{1B}Oq", "1b 4f 71", "1"), ("\u{1B}[18~", "1b 5b 31 38 7e", "F7"),
            ("\u{1B}", "1b", "Esc"), ("\u{1B}x", "1b 78", "Alt-x"), ("\u{C}", "0c", "Ctrl-L"),
            ("\u{1B}[99~", "1b 5b 39 39 7e", "unknown"), ("\u{1B}[12", "1b 5b 31 32", "unknown"),
            ("\u{1B}[<0;10;5M", "1b 5b 3c 30 3b 31 30 3b 35 4d", "tap at column 10, row 5"),
        ])
    func keys(typed: String, hex: String, name: String) {
        let found = entries(typed)
        #expect(found.map(\.hex) == [hex] && found.map(\.name) == [name])
    }

    @Test(
        "Only a whole sequence that means nothing can be learned, and is that key from then on",
        arguments: [
            ("\u{1B}[99~", true), ("\u{1B}Oz", true), ("\u{1B}[[Z", true), ("\u{1B}[1;99z", true),
            ("\u{1B}[A", false), ("\u{1B}[99", false), ("\u{1B}]0;title\u{7}", false),
            ("\u{1}", false), ("\u{1B}[200~a\u{1B}[201~", false),
            ("\u{1B}[" + String(repeating: "1", count: 40) + "~", false),
        ])
    func strangers(typed: String, isStranger: Bool) {
        let bytes = Array(typed.utf8)
        var trace = KeyTrace()
        let entries = trace.feed(bytes, at: 0) + trace.expire(at: 10_000)
        #expect(entries.map(\.isStranger) == [isStranger])
        guard isStranger else { return }
        var taught = KeyTrace(learned: [bytes: KeyEvent(.function(13))])
        #expect(taught.feed(bytes, at: 0).map(\.name) == ["F13"])
    }

    @Test("A key that ends another keeps its own bytes")
    func escapes() {
        let found = entries("\u{1B}\u{1B}[A\u{1B}\u{1B}")
        #expect(found.map(\.hex) == ["1b", "1b 5b 41", "1b", "1b"])
        #expect(found.map(\.name) == ["Esc", "Up", "Esc", "Esc"])
    }

    @Test("A paste is one entry that tells its length and not its text")
    func paste() {
        let found = entries("\u{1B}[200~open sesame\u{1B}[201~q")
        #expect(found.map(\.name) == ["paste of 11 characters", "q"])
        #expect(found.first?.hex == "1b 5b 32 30 30 7e and 17 more")
        var trace = KeyTrace()
        let pasted = trace.feed(Array("\u{1B}[200~135790\u{1B}[201~".utf8), at: 0)
        #expect(pasted.map(\.shownBytes) == [Array("\u{1B}[200~".utf8)])
    }

    @Test("However the bytes are split and whatever they are, none is lost and none told twice")
    func splits() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let pieces = [
            "\u{1B}", "[", "A", "O", "q", "é", "1", ";", "~", "\u{1B}[200~", "\u{1B}[201~",
        ]
        for _ in 0..<300 {
            let bytes = (0..<random.below(30)).flatMap { _ in Array(random.pick(pieces).utf8) }
            var trace = KeyTrace()
            var told: [UInt8] = []
            var now: Int64 = 0
            for byte in bytes {
                now += Int64(random.pick([0, 1, 40, 400]))
                told += trace.feed([byte], at: now).flatMap(\.bytes)
            }
            while let due = trace.deadline { told += trace.expire(at: due).flatMap(\.bytes) }
            #expect(told == bytes, "seed \(seed)")
        }
    }
}
