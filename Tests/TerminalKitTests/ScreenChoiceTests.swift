import TerminalKit
import Testing

@Suite("Which terminal, which colours")
struct ScreenChoiceTests {
    private func knows(_ term: String) -> TerminalChoice.Knowledge {
        switch term {
        case "xterm-256color", "xterm", "vt100", "screen", "linux": .canDraw
        case "dumb": .cannotDraw
        default: .unknown
        }
    }

    @Test(
        "U15 An unknown terminal is drawn as its nearest relative, and that is said",
        arguments: [
            ("xterm-kitty", "xterm"), ("foot-256color", "xterm-256color"), ("nonsense", "vt100"),
            ("vt220", "vt100"), ("tmux-256color", "screen"), ("", "vt100"),
        ])
    func fallback(term: String, expected: String) throws {
        let choice = try TerminalChoice.choose(term, knows: knows)
        #expect(choice.term == expected)
        #expect(choice.notice?.contains("drawing as \(expected)") == true)
    }

    @Test("A known terminal is used as it is, without a word")
    func known() throws {
        #expect(
            try TerminalChoice.choose("xterm-256color", knows: knows)
                == TerminalChoice(term: "xterm-256color", notice: nil))
    }

    @Test("U15 A terminal that cannot place a cursor, and a system without terminfo, are refused")
    func refused() {
        #expect(throws: TerminalError.cannotDraw(term: "dumb")) {
            try TerminalChoice.choose("dumb", knows: knows)
        }
        #expect(throws: TerminalError.unknownTerminal(term: "xterm")) {
            try TerminalChoice.choose("xterm", knows: { _ in .unknown })
        }
    }

    @Test("NO_COLOR, --color and the terminal decide about colour")
    func colour() {
        var options = ScreenOptions(environment: [:])
        #expect(options.usesColour(available: 256))
        #expect(!options.usesColour(available: 0))
        options = ScreenOptions(environment: ["NO_COLOR": "1"])
        #expect(!options.usesColour(available: 256))
        options.colour = .always
        #expect(options.usesColour(available: 8))
        #expect(ScreenOptions(environment: ["NO_COLOR": ""]).usesColour(available: 8))
    }

    @Test("U41 No theme draws on its own colour or uses blue, and mono uses no colour at all")
    func themes() {
        for name in Theme.Name.allCases {
            for colour in [true, false] {
                let theme = Theme.named(name, colour: colour)
                let styles = [
                    theme.body, theme.title, theme.muted, theme.bar, theme.focus, theme.field,
                    theme.good, theme.pending, theme.warning, theme.error, theme.accent,
                    theme.border,
                ]
                for style in styles {
                    #expect(style.foreground == nil || style.foreground != style.background)
                    #expect(style.foreground != .blue)
                    if !colour { #expect(style.foreground == nil && style.background == nil) }
                }
            }
        }
    }

    @Test("U09 The restore string ends mouse and paste modes before it leaves the second screen")
    func restore() {
        let capabilities = [
            "cup": "\u{1B}[%i%p1%d;%p2%dH", "sgr0": "\u{1B}[m$<2>", "cnorm": "\u{1B}[?25h",
            "rmcup": "\u{1B}[?1049l", "rmkx": "\u{1B}[?1l",
        ]
        #expect(
            RestoreString.make { capabilities[$0] }
                == "\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1006l\u{1B}[?2004l\u{1B}[m\u{1B}[?1l"
                + "\u{1B}[?25h\u{1B}[?1049l")
        #expect(RestoreString.make { _ in nil } == "\r\n")
        #expect(
            RestoreString.make { ["cup": "\u{1B}[%dH", "sgr0": "a$b$<5/>c"][$0] }
                .hasSuffix("a$bc\u{1B}[r\u{1B}[999;1H\r\n"))
    }

    @Test("A frame as text says what stands where and in which style")
    func golden() {
        var canvas = Canvas(size: Size(columns: 8, rows: 2))
        canvas.text("漢 ok", column: 1, row: 1, style: Style(.green, on: nil, .bold))
        canvas.cursor = Position(column: 3, row: 1)
        #expect(
            TextFrame.golden(canvas)
                == "8x2 utf8\ncursor column 3 row 1 hidden\n\n\n 漢 ok\n\n1: 1-5 green bold\n")
    }
}

@Suite("Bindings")
struct KeymapTests {
    @Test("A key leads to its command, and collisions are found")
    func lookup() {
        let keymap = Keymap([
            Binding(
                [KeyEvent(.function(9)), .character(":")], "palette", label: "palette", help: "."),
            Binding([.control("l"), .character(":")], "redraw", label: "redraw", help: "."),
        ])
        #expect(keymap.command(for: .character(":")) == "palette")
        #expect(keymap.command(for: .control("l")) == "redraw")
        #expect(keymap.command(for: .enter) == nil)
        #expect(keymap.collisions == [.character(":")])
        #expect(keymap.bindings[0].keyNames == "F9 or :")
        #expect(KeyEvent.control("l").name == "Ctrl-L")
        #expect(KeyEvent.backTab.name == "Shift-Tab")
    }
}
