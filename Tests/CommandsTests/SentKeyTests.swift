import FieldApp
import TerminalKit
import Testing

@testable import Commands

/// What a line binds has to come from a terminal, or the help would show a key that does nothing.
@Suite("Keys that are bound are keys that terminals send")
struct SentKeyTests {
    /// All that the decoder makes of the bytes of ASCII and UTF-8, Alt as ESC before them, and the
    /// sequences of xterm, VT220, rxvt and the Linux console. Not those of a keypad with Ctrl: what is
    /// printed on its keys stands on others, too.
    private static let sent: Set<KeyEvent> = {
        let characters = (0...0x7E).map { [UInt8($0)] } + scalars.map { Array(String($0).utf8) }
        let modifiers = [""] + (1...8).map { ";\($0)" }
        let numbered = (1...34).flatMap { number in modifiers.map { "[\(number)\($0)~" } }
        let lettered = "ABCDEFHPQRS".flatMap { letter in
            ["[\(letter)", "O\(letter)"] + modifiers.dropFirst().map { "[1\($0)\(letter)" }
        }
        let console = "ABCDE".map { "[[\($0)" }
        let sequences = (numbered + lettered + console + ["[Z", "OM"]).map { Array($0.utf8) }
        let escaped = (characters + sequences).map { [0x1B] + $0 }
        return Set((characters + [[0x7F]] + escaped + [[0x1B, 0x7F]]).compactMap(key))
    }()

    private static let scalars: [Unicode.Scalar] = [
        "\u{80}", "\u{9B}", "\u{A0}", "ä", "Ä", "ß", "é", "É", "İ", "я", "Я", "€", "中", "\u{1F600}",
    ]

    private static func key(_ bytes: [UInt8]) -> KeyEvent? {
        var decoder = InputDecoder()
        let events = decoder.feed(bytes, at: 0) + decoder.expire(at: 10_000)
        guard events.count == 1, case .key(let key)? = events.first else { return nil }
        return key
    }

    private static let everyKey: [KeyEvent] = {
        let functions = (1...24).map { Key.function($0) }
        let named: [Key] = [
            .enter, .tab, .escape, .backspace, .delete, .insert, .up, .down, .left, .right, .home,
            .end, .pageUp, .pageDown,
        ]
        let characters = ((0...0x7F).compactMap { Unicode.Scalar($0) } + scalars).map {
            Key.character($0)
        }
        return (functions + named + characters).flatMap { key in
            (0...7).map { KeyEvent(key, Modifiers(rawValue: $0)) }
        }
    }()

    @Test("what is told of a key is what the decoder makes of bytes")
    func sending() {
        for key in Self.everyKey {
            if case .function(let number) = key.key, number > 12 { continue }
            if case .character(let scalar) = key.key, scalar.properties.isUppercase,
                key.modifiers.contains(.control)
            {
                // No name means it: with Ctrl a letter is a small one.
                continue
            }
            // Named first: a failure would else print the whole set.
            let isSent = Self.sent.contains(key)
            #expect((key.sending == .asItself) == isSent, "\(key.name)")
            switch key.sending {
            case .always(let other), .mostly(let other):
                let isOtherSent = Self.sent.contains(other)
                #expect(isOtherSent, "\(key.name) as \(other.name)")
            case .asItself, .shifted, .asBeginning, .never: break
            }
        }
    }

    @Test("each name that a line may bind is that of a key that comes from bytes")
    func accepted() throws {
        var count = 0
        for key in Self.everyKey {
            let config = ConfigFile("bind sort = \(key.name)")
            guard config.troubles.isEmpty else { continue }
            count += 1
            let keymap = BindingTable.keymap(for: .worklist, own: config.keys)
            let bound = try #require(keymap.bindings.first { $0.command == .sort }?.keys.first)
            let isSent = Self.sent.contains(bound)
            #expect(isSent, "\(key.name)")
        }
        #expect(count > 300, "few are refused")
    }

    @Test(
        "a line with another key is refused, and told what comes instead",
        arguments: [
            ("Ctrl-J", "a terminal sends Ctrl-J as Enter, which keeps its meaning everywhere;"),
            ("Ctrl-M", "a terminal sends Ctrl-M as Enter,"),
            ("Ctrl-I", "a terminal sends Ctrl-I as Tab,"),
            ("Ctrl-H", "a terminal sends Ctrl-H as Backspace,"),
            ("Ctrl-[", "a terminal sends Ctrl-[ as Esc,"),
            ("Ctrl-@", "a terminal sends Ctrl-@ as Ctrl-Space; bind that or another key"),
            ("Ctrl-Shift-G", "a terminal sends Ctrl-Shift-G as Ctrl-G; bind that or another key"),
            ("Ctrl-Shift-J", "a terminal sends Ctrl-Shift-J as Enter,"),
            ("Ctrl-Alt-I", "a terminal sends Ctrl-Alt-I as Alt-Tab; bind that or another key"),
            ("Ctrl-Alt-[", "most terminals send Ctrl-Alt-[ as Esc,"),
            ("Ctrl-/", "most terminals send Ctrl-/ as Ctrl-_; bind that or another key"),
            ("Ctrl-6", "most terminals send Ctrl-6 as Ctrl-^; bind that or another key"),
            ("Ctrl-1", "most terminals send Ctrl-1 as 1, which keeps its meaning everywhere;"),
            ("Ctrl-;", "most terminals send Ctrl-; as ;; bind that or another key"),
            ("Ctrl-Enter", "most terminals send Ctrl-Enter as Enter,"),
            ("Ctrl-Alt-Enter", "most terminals send Ctrl-Alt-Enter as Alt-Enter; bind that"),
            ("Ctrl-Tab", "most terminals send Ctrl-Tab as Tab,"),
            ("Alt-Esc", "most terminals send Alt-Esc as Esc,"),
            ("Shift-A", "a terminal sends Shift-A as A; bind that or another key"),
            ("Shift-ä", "a terminal sends Shift-ä as Ä; bind that or another key"),
            ("Alt-Shift-x", "a terminal sends Alt-Shift-x as Alt-X; bind that or another key"),
            ("Shift-Space", "a terminal sends Shift-Space as Space,"),
            ("Shift-/", "a terminal sends Shift-/ as the character that Shift makes of it; bind"),
            ("Alt-O", "a terminal begins other keys with what it sends for Alt-O; bind another"),
            ("Shift-F13", "no terminal is known to send Shift-F13; 'walkdown keys --bind sort'"),
            ("F13", "no line 'key F13 = BYTES' says what F13 sends; 'walkdown keys --bind sort'"),
            ("Alt-", "'Alt-' is no key"),
        ])
    func refused(name: String, sentence: String) throws {
        let config = ConfigFile("bind sort = \(name)")
        let trouble = try #require(config.told.first)
        #expect(trouble.hasPrefix("config, line 1: " + sentence), "\(trouble)")
        #expect(config.keys == OwnKeys())
    }

    @Test("a learned key may be bound before the line that learns it")
    func learned() {
        let config = ConfigFile("bind sort = F13\ntheme = pink\nkey F13 = 1b 5b 39 39 7e")
        #expect(config.troubles.count == 1)
        let keymap = BindingTable.keymap(for: .worklist, own: config.keys)
        #expect(keymap.command(for: KeyEvent(.function(13))) == .sort)
    }

    @Test("troubles are told in the order of their lines")
    func order() {
        let config = ConfigFile("theme = pink\nkey Up = 1b\nmouse = maybe\nbind sort = Ctrl-J")
        #expect(config.troubles.map(\.line) == [1, 2, 3, 4])
    }
}
