import TerminalKit
import Testing

/// A barcode wedge and a paste without brackets type like a keyboard, only faster.
@Suite("Bursts of keys")
struct BurstTests {
    /// Types where printable keys are commands.
    private func type(
        _ text: String, every gap: Int64, isText: Bool = false, then wait: Int64 = 30
    ) -> [InputEvent] {
        var burst = BurstCollector()
        var now: Int64 = 1_000
        var events: [InputEvent] = []
        for scalar in text.unicodeScalars {
            let key: KeyEvent = scalar == "\r" ? .enter : scalar == "\t" ? .tab : .character(scalar)
            events += burst.take(.key(key), at: now, isText: isText)
            now += gap
        }
        events += burst.expire(at: now - gap + wait)
        return events
    }

    private func keys(_ text: String) -> [InputEvent] {
        text.unicodeScalars.map { .key($0 == "\r" ? .enter : .character($0)) }
    }

    @Test("U50 at least six keys with gaps under 30 ms, ended by Enter or Tab, are one scan")
    func scan() {
        for gap: Int64 in [0, 1, 10, 29] {
            #expect(type("*00315\r", every: gap) == [.scan("*00315")])
            #expect(type("*00315\t", every: gap) == [.scan("*00315")])
        }
    }

    @Test("a burst without an end is pasted text, never commands")
    func burst() {
        #expect(type("hello q n t s world", every: 2) == [.paste("hello q n t s world")])
    }

    @Test("a person's keys count, each after the gap, in order", arguments: [30, 80, 400])
    func person(gap: Int64) {
        #expect(type("qnts12\r", every: gap) == keys("qnts12\r"))
    }

    @Test("a few keys together are keys: a fast hand, or a slow line", arguments: 1...5)
    func few(count: Int) {
        let text = String("160.5".prefix(count)) + "\r"
        #expect(type(text, every: 0) == keys(text))
    }

    @Test("where keys are text they pass at once, however fast")
    func text() {
        var burst = BurstCollector()
        for scalar in "a long answer".unicodeScalars {
            #expect(
                burst.take(.key(.character(scalar)), at: 5, isText: true) == [
                    .key(.character(scalar))
                ])
            #expect(burst.isIdle)
        }
    }

    @Test("the rest of a burst that began as text is no command in the list that follows")
    func acrossPlaces() {
        var burst = BurstCollector()
        var events: [InputEvent] = []
        for scalar in "a note".unicodeScalars {
            events += burst.take(.key(.character(scalar)), at: 5, isText: true)
        }
        events += burst.take(.key(.enter), at: 6, isText: true)
        #expect(events == keys("a note\r"))
        for scalar in "qns".unicodeScalars {
            #expect(burst.take(.key(.character(scalar)), at: 7, isText: false).isEmpty)
        }
        #expect(burst.expire(at: 40) == [.paste("qns")])
    }

    @Test("words that a script sends one by one are keys, though the pauses between are short")
    func script() {
        var burst = BurstCollector()
        var events: [InputEvent] = []
        var now: Int64 = 100
        for word in ["2", "142.5", "\r", "1", "p", "-21", "\r"] {
            now += 8
            for scalar in word.unicodeScalars {
                let key: KeyEvent = scalar == "\r" ? .enter : .character(scalar)
                events += burst.take(.key(key), at: now, isText: false)
            }
        }
        events += burst.expire(at: now + 30)
        #expect(events == keys("2142.5\r1p-21\r"))
    }

    @Test("a scanner's pace may waver")
    func unevenScan() {
        var burst = BurstCollector()
        var events: [InputEvent] = []
        var now: Int64 = 100
        for (scalar, gap) in zip(
            "0123456789\r".unicodeScalars, [0, 8, 16, 7, 9, 24, 8, 8, 12, 8, 16])
        {
            now += Int64(gap)
            let key: KeyEvent = scalar == "\r" ? .enter : .character(scalar)
            events += burst.take(.key(key), at: now, isText: false)
        }
        #expect(events == [.scan("0123456789")])
    }

    @Test("an arrow among the keys lets go of those before it")
    func arrow() {
        var burst = BurstCollector()
        #expect(burst.take(.key(.character("u")), at: 5, isText: false).isEmpty)
        #expect(!burst.isIdle && burst.deadline == 35)
        #expect(
            burst.take(.key(KeyEvent(.down)), at: 9, isText: false)
                == [.key(.character("u")), .key(KeyEvent(.down))])
        #expect(burst.isIdle)
    }
}
