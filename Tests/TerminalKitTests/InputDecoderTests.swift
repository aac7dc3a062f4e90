import TerminalKit
import TestSupport
import Testing

@Suite("Input decoder")
struct InputDecoderTests {
    /// All events of the bytes, given in one piece, and what the passing of time adds.
    private func events(_ text: String) -> [InputEvent] { events(Array(text.utf8)) }

    private func events(_ bytes: [UInt8]) -> [InputEvent] {
        var decoder = InputDecoder()
        return decoder.feed(bytes, at: 0) + decoder.expire(at: 10_000)
    }

    @Test(
        "A key's bytes give that key, under every terminal that sends them",
        arguments: [
            ("\u{1B}[A", KeyEvent(.up)), ("\u{1B}OA", KeyEvent(.up)),
            ("\u{1B}O5A", KeyEvent(.up, .control)),
            ("\u{1B}[1;5D", KeyEvent(.left, .control)), ("\u{1B}[1;2B", KeyEvent(.down, .shift)),
            ("\u{1B}[Z", .backTab), ("\t", .tab), ("\r", .enter), ("\n", .enter),
            ("\u{7F}", KeyEvent(.backspace)), ("\u{8}", KeyEvent(.backspace)),
            ("\u{1B}OP", KeyEvent(.function(1))), ("\u{1B}[11~", KeyEvent(.function(1))),
            ("\u{1B}[[A", KeyEvent(.function(1))), ("\u{1B}[17~", KeyEvent(.function(6))),
            ("\u{1B}[21~", KeyEvent(.function(10))), ("\u{1B}[24~", KeyEvent(.function(12))),
            ("\u{1B}[H", KeyEvent(.home)), ("\u{1B}[1~", KeyEvent(.home)),
            ("\u{1B}[4~", KeyEvent(.end)),
            ("\u{1B}[5~", KeyEvent(.pageUp)), ("\u{1B}[6~", KeyEvent(.pageDown)),
            ("\u{1B}[3~", KeyEvent(.delete)), ("\u{1B}[3;5~", KeyEvent(.delete, .control)),
            ("\u{C}", .control("l")), ("\u{1F}", .control("_")), ("\u{13}", .control("s")),
            ("\u{3}", .control("c")), ("\u{1A}", .control("z")), ("\0", .control(" ")),
            ("q", .character("q")), ("漢", .character("漢")),
            ("\u{1B}x", KeyEvent(.character("x"), .alt)),
            ("\u{1B}ü", KeyEvent(.character("ü"), .alt)), ("\u{1B}\r", KeyEvent(.enter, .alt)),
        ])
    func keys(bytes: String, key: KeyEvent) {
        #expect(events(bytes) == [.key(key)])
    }

    @Test("U26 Keypad digits, point and Enter are what is printed on them")
    func keypad() {
        let typed = "\u{1B}Oq\u{1B}Or\u{1B}On\u{1B}Ou\u{1B}OM"
        #expect(
            events(typed) == [
                .key(.character("1")), .key(.character("2")), .key(.character(".")),
                .key(.character("5")), .key(.enter),
            ])
    }

    @Test(
        "U24 What is not a key is swallowed whole and never typed",
        arguments: [
            "\u{1B}[I", "\u{1B}[O", "\u{1B}[97;5u", "\u{1B}[?62;c", "\u{1B}[24;80R", "\u{1B}[M !!",
            "\u{1B}]11;rgb:0000/0000/0000\u{7}", "\u{1B}]11;rgb:00/00/00\u{1B}\\",
            "\u{1B}P1$r0m\u{1B}\\", "\u{1B}[99~", "\u{1B}[1;2;3;4A", "\u{1B}Oz", "\u{1B}[>0;276;0c",
            "\u{1B}[", "\u{1B}[12", "\u{1B}O", "\u{1B}]", "\u{1B}[201~", "\u{80}", "\u{9B}",
        ])
    func swallowed(bytes: String) {
        #expect(events(bytes) == [])
        #expect(events(bytes + "\u{18}").filter { $0 != .key(.control("x")) } == [])
    }

    @Test("U24 SGR mouse is mouse under any TERM")
    func mouse() {
        #expect(
            events("\u{1B}[<0;10;5M\u{1B}[<32;11;5M\u{1B}[<0;11;5m\u{1B}[<65;1;1M") == [
                .mouse(MouseEvent(.press, at: Position(column: 9, row: 4))),
                .mouse(MouseEvent(.drag, at: Position(column: 10, row: 4))),
                .mouse(MouseEvent(.release, at: Position(column: 10, row: 4))),
                .mouse(MouseEvent(.scrollDown, at: Position(column: 0, row: 0))),
            ])
    }

    @Test("U23 A stroke keeps its press, each of its points and its release, in one write or many")
    func stroke() {
        let points = (0..<60).map { Position(column: 10 + $0, row: 4 + $0 % 7) }
        let drags = points.map { "\u{1B}[<32;\($0.column + 1);\($0.row + 1)M" }.joined()
        let bytes = Array("\u{1B}[<0;10;5M\(drags)\u{1B}[<0;70;8m".utf8)
        let expected =
            [MouseEvent(.press, at: Position(column: 9, row: 4))]
            + points.map { MouseEvent(.drag, at: $0) }
            + [MouseEvent(.release, at: Position(column: 69, row: 7))]
        for size in [bytes.count, 1, 7] {
            var decoder = InputDecoder()
            var burst = BurstCollector()
            var events: [InputEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = bytes[start..<min(bytes.count, start + size)]
                for event in decoder.feed(piece, at: 0) {
                    events += burst.take(event, at: 0, isText: false)
                }
            }
            #expect(events == expected.map { .mouse($0) }, "in pieces of \(size)")
        }
    }

    @Test("A lone ESC is the Esc key after 25 ms by the caller's clock, not before")
    func loneEscape() {
        var decoder = InputDecoder()
        #expect(decoder.feed([0x1B], at: 100).isEmpty)
        #expect(decoder.deadline == 125)
        #expect(decoder.expire(at: 124).isEmpty)
        #expect(decoder.expire(at: 125) == [.key(.escape)])
        #expect(decoder.isIdle)
    }

    @Test("U17 The late rest of an arrow key on a slow line is never typed")
    func lateSequence() {
        var decoder = InputDecoder()
        var events = decoder.feed([0x1B], at: 0)
        events += decoder.expire(at: 60)
        events += decoder.feed(Array("[A".utf8), at: 60)
        #expect(events == [.key(.escape)])
        var slow = InputDecoder(escapeDelay: 200)
        #expect(slow.feed([0x1B], at: 0).isEmpty)
        #expect(slow.feed(Array("[A".utf8), at: 60) == [.key(KeyEvent(.up))])
    }

    @Test("A bracket that is typed after Esc arrives")
    func typedBracket() {
        var decoder = InputDecoder()
        var events = decoder.feed([0x1B], at: 0)
        events += decoder.expire(at: 30)
        events += decoder.feed([UInt8(ascii: "[")], at: 200)
        events += decoder.expire(at: 500)
        #expect(events == [.key(.escape), .key(.character("["))])
    }

    @Test("U20 A paste is one event without control characters")
    func paste() {
        let bytes = Array("\u{1B}[200~a\u{3}b\u{1B}[31mc\r\nd\re\u{9B}f\tg\0\u{1B}[201~x".utf8)
        #expect(events(bytes) == [.paste("ab[31mc\nd\nef\tg"), .key(.character("x"))])
    }

    @Test("A paste whose end is lost is delivered after a silence and keys work again")
    func endlessPaste() {
        var decoder = InputDecoder()
        #expect(decoder.feed(Array("\u{1B}[200~abc".utf8), at: 0).isEmpty)
        #expect(decoder.expire(at: 1_999).isEmpty)
        #expect(decoder.expire(at: 2_000) == [.paste("abc")])
        #expect(decoder.feed([UInt8(ascii: "q")], at: 2_001) == [.key(.character("q"))])
    }

    @Test("Broken UTF-8 types nothing and loses nothing after it")
    func brokenText() {
        #expect(events([0xC3, 0x41]) == [.key(.character("A"))])
        #expect(events([0xE6, 0xBC, 0xC3, 0xA9]) == [.key(.character("é"))])
        #expect(events([0xED, 0xA0, 0x80, 0x42]) == [.key(.character("B"))])
        #expect(events([0xC0, 0x80, 0xF5, 0x43]) == [.key(.character("C"))])
        #expect(events([0xE6, 0x1B, 0x5B, 0x41]) == [.key(KeyEvent(.up))])
    }
}

@Suite("Input decoder, properties")
struct InputDecoderPropertyTests {
    private static let pieces: [[UInt8]] = [
        "a", "é", "漢", "👩‍👩‍👧", "\u{1B}[A", "\u{1B}OP", "\u{1B}[1;5D", "\u{1B}[<0;10;5M", "\u{1B}x",
        "\u{1B}[200~p\u{1B}[20a\r\n\u{1B}[201~", "\u{1B}]0;t\u{1B}\\", "\u{1B}[97;5u", "\r",
        "\u{3}",
        "\u{1B}Oq", "\u{1B}\u{1B}[B", "\u{1B}[[C", "\u{1B}[M abc", "\u{1B}P q\u{1B}[D",
    ].map { Array($0.utf8) }

    /// Known sequences between random bytes: half of the mass is what terminals really send.
    private static func bytes(_ random: inout SeededRandom) -> [UInt8] {
        (0..<12).flatMap { _ -> [UInt8] in
            random.oneIn(3) ? random.bytes(1) : random.pick(pieces)
        }
    }

    @Test("Any split of the bytes gives the same events")
    func splits() {
        let start = UInt64.random(in: 0...UInt64.max)
        for seed in (0..<3_000).map({ start &+ $0 }) {
            var random = SeededRandom(seed: seed)
            let bytes = InputDecoderPropertyTests.bytes(&random)
            var whole = InputDecoder()
            let expected = whole.feed(bytes, at: 0) + whole.expire(at: 60_000)
            var split = InputDecoder()
            var events: [InputEvent] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = random.below(4) + 1
                events += split.feed(rest.prefix(count), at: 0)
                rest = rest.dropFirst(count)
            }
            events += split.expire(at: 60_000)
            guard events == expected else {
                Issue.record("seed \(seed): \(events) instead of \(expected)")
                return
            }
        }
    }

    @Test("No bytes, in any order and at any time, type a control character or leave it stuck")
    func hostile() {
        let start = UInt64.random(in: 0...UInt64.max)
        for seed in (0..<3_000).map({ start &+ $0 }) {
            var random = SeededRandom(seed: seed)
            var decoder = InputDecoder()
            var now: Int64 = 0
            var events: [InputEvent] = []
            for byte in InputDecoderPropertyTests.bytes(&random) {
                events += decoder.feed([byte], at: now)
                now += Int64(random.below(40))
                events += decoder.expire(at: now)
            }
            for event in events {
                if case .key(let key) = event, let typed = key.typed {
                    #expect(
                        typed.value >= 0x20 && !(0x7F..<0xA0).contains(typed.value), "seed \(seed)")
                }
            }
            _ = decoder.expire(at: now + 10_000)
            #expect(
                decoder.feed([UInt8(ascii: "q")], at: now + 20_000).last == .key(.character("q")),
                "seed \(seed)")
        }
    }
}
