import FieldApp
import Foundation
import TerminalKit
import TestSupport
import Testing
import Vault

@testable import Commands

@Suite("What a person has set for the screen")
struct ConfigFileTests {
    @Test("its lines hold, whatever stands between them")
    func good() throws {
        let config = ConfigFile(
            """
            # The side button of the handheld.
            bind nextUnanswered = F11
              bind syncNow=Insert

            theme = sun
            mouse = off
            characters = ascii
            bind help = #
            key F13 = 1b 5b 39 39 7e
            key F14=1B 4F 7A
            """)
        #expect(config.troubles == [])
        #expect(
            config.learned == [
                Array("\u{1B}[99~".utf8): KeyEvent(.function(13)),
                Array("\u{1B}Oz".utf8): KeyEvent(.function(14)),
            ])
        #expect(config.theme == .sun && config.mouse == false && config.tier == .ascii)
        for (name, command) in [
            ("F11", Command.nextUnanswered), ("#", .help), ("Insert", .syncNow),
        ] {
            let key = try #require(KeyEvent(named: name))
            let keymap = BindingTable.keymap(for: .inspection, own: config.keys)
            #expect(keymap.command(for: key) == command)
        }
    }

    @Test(
        "a line that means nothing is told with its number, and the others hold",
        arguments: [
            ("theme", "a line has a name, = and a value; write it so, or # before a remark"),
            (
                "theme = pink",
                "'pink' is no value of theme; write one of auto, mono, light, dark, sun"
            ),
            ("mouse = yes", "'yes' is no value of mouse; write one of on, off"),
            ("characters =", "'' is no value of characters; write one of ascii, utf8"),
            (
                "colour = red",
                "'colour' is no setting; write one of theme, mouse, characters, language, bind ACTION, key"
            ),
            ("bind fly = F11", "'fly' is no action; write one that walkdown-config(5) names"),
            ("bind = F11", "'bind' is no setting; write one of"),
            ("bind help = F99", "'F99' is no key; write a name that 'walkdown keys' shows"),
            ("bind help =", "'' is no key; write"),
            ("bind help = Enter", "Enter keeps its meaning everywhere; bind another key"),
            ("bind syncNow = /", "/ is filter in 'Worklist' already; bind another key"),
            (
                "bind syncNow = F12",
                "F12 is sort in 'Worklist' by another line; bind another key, or take that line"
            ),
            (
                "bind newLine = g",
                "g is text wherever newLine is; bind a key that types nothing, such as F11"
            ),
            (
                "key Up = 1b 5b 39 39 7e",
                "a key that is learned is called F1 to F24, not 'Up'; give it one of these names"
            ),
            ("key F13 =", "after = stand the bytes of the key, as '1b 5b 39 39 7e'; write those"),
            ("key F13 = 1b 5b 39 39 7", "after = stand the bytes of the key"),
            ("key F13 = 1b 5b 41", "these bytes are Up in every terminal; take the line out"),
            ("key F13 = 1b 5b 39 39", "these bytes are no whole sequence; write all that"),
            ("key F13 = 71", "these bytes are q in every terminal; take the line out"),
            ("key F13 = 01", "these bytes are Ctrl-A in every terminal; take the line out"),
            (
                "key F13 = 1b 5b 39 39 7e 1b 5b 39 38 7e",
                "these bytes are 2 keys; write those of one"
            ),
            ("key F13 = 1b 5b 32 30 30 7e", "these bytes are no whole sequence; write all that"),
            ("key F13 = 1b 5d 30 07", "these bytes are no sequence that a key sends; take the"),
        ])
    func bad(line: String, sentence: String) throws {
        let config = ConfigFile("bind sort = F12\n\(line)\nmouse = on\n")
        #expect(config.troubles.count == 1)
        let trouble = try #require(config.told.first)
        #expect(trouble.hasPrefix("config, line 2: " + sentence), "\(trouble)")
        #expect(trouble.contains("; "), "what to do about it")
        #expect(config.mouse == true && config.theme == nil && config.tier == nil)
        var keys = OwnKeys()
        try keys.bind(.sort, to: KeyEvent(.function(12)))
        #expect(config.keys == keys)
    }

    @Test("the lines of an editor of another system are lines")
    func otherLineEnds() {
        let config = ConfigFile("\u{FEFF}# mine\r\ntheme = sun\r\nmouse = maybe\r\n")
        #expect(config.theme == .sun)
        #expect(
            config.told == [
                "config, line 3: 'maybe' is no value of mouse; write one of on, off"
            ])
    }

    @Test("the last of two lines of one name holds")
    func twice() {
        #expect(ConfigFile("theme = dark\ntheme = light").theme == .light)
    }

    @Test("no file is no trouble, and one that is no text is told and changes nothing")
    func files() throws {
        let bench = try CommandBench()
        let home = bench.home.directory
        #expect(ConfigFile.read(of: home) == ConfigFile(""))
        try Data([0xFF, 0xFE, 0xC0]).write(to: URL(fileURLWithPath: home + "/config"))
        let config = ConfigFile.read(of: home)
        #expect(
            config.told == [
                "\(home)/config cannot be read as text, so nothing of it holds; write it anew as UTF-8"
            ])
        #expect(config.keys == OwnKeys())
    }

    @Test("what is no file is not waited for")
    func noFile() throws {
        for make in [{ mkfifo($0, 0o600) }, { mkdir($0, 0o700) }] as [(String) -> Int32] {
            let bench = try CommandBench()
            #expect(make(bench.home.directory + "/config") == 0)
            let told = ConfigFile.read(of: bench.home.directory).told
            #expect(told.count == 1 && told[0].contains("/config cannot be read as a file, so"))
        }
    }

    @Test("64 KiB are read, and more is told and changes nothing")
    func longest() throws {
        let bench = try CommandBench()
        let path = bench.home.directory + "/config"
        let line = "theme = sun\n"
        let filler = String(repeating: "#", count: (64 << 10) - line.utf8.count)
        try (line + filler).write(toFile: path, atomically: true, encoding: .utf8)
        let most = ConfigFile.read(of: bench.home.directory)
        #expect(most.theme == .sun && most.troubles == [])
        try (line + filler + "#").write(toFile: path, atomically: true, encoding: .utf8)
        let more = ConfigFile.read(of: bench.home.directory)
        #expect(more.theme == nil)
        #expect(
            more.told == [
                "\(path) is longer than 64 KiB, so nothing of it holds; take out what no setting needs"
            ])
    }

    @Test("twenty troubles are told, and how many more there are")
    func manyTroubles() {
        let lines = { (count: Int) in String(repeating: "theme = pink\n", count: count) }
        #expect(ConfigFile(lines(20)).told.count == 20)
        let told = ConfigFile(lines(9_000)).told
        #expect(told.count == 21 && told.last == "config: and 8980 more")
    }

    @Test("a long word is not told whole")
    func longWords() {
        let word = String(repeating: "x", count: 2_000)
        let config = ConfigFile(
            "\(word) = 1\nbind \(word) = F11\nbind sort = \(word)\nkey \(word) = 1b")
        #expect(config.told.count == 4 && config.told.allSatisfy { $0.count < 200 })
    }

    @Test("the screen obeys it, says what is wrong in it, and so does the end of the run")
    func screen() throws {
        let bench = try StoreBench()
        let path = bench.bench.home.directory + "/config"
        try "bind filter = F11\ntheme = pink".write(
            toFile: path, atomically: true, encoding: .utf8)
        let shot = bench.bench.folder.file("shot")
        let script = try bench.bench.folder.write(
            """
            :wait-for config, line 2
            F11
            :text zebra
            :wait-for zebra
            :save-screen \(shot)
            """, to: "script")
        let outcome = try bench.run("--script", script)
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(outcome.messages.contains("walkdown: config, line 2: 'pink' is no value"))
        #expect(try String(contentsOfFile: shot, encoding: .utf8).contains("zebra"))
    }

    @Test("the screen says how much more is wrong, and the command that it names tells all of it")
    func moreTroubles() throws {
        let bench = try StoreBench()
        let path = bench.bench.home.directory + "/config"
        let lines = ["theme = pink", "mouse = on", "bind sort = Ctrl-J", "bind fly = F11"]
        try lines[1].write(toFile: path, atomically: true, encoding: .utf8)
        let sound = try bench.run("doctor")
        #expect(sound.output.contains("ok     settings: in order"))
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        let script = try bench.bench.folder.write(
            ":wait-for config, line 1 (and 2 more: walkdown doctor): ", to: "script")
        let outcome = try bench.run("--script", script)
        #expect(outcome.status == 0, "\(outcome.messages)")
        let told = try bench.run("doctor")
        #expect(told.status == 1 && told.output.contains("wrong  settings: 3 things are wrong in"))
        let troubles = ConfigFile.read(of: bench.bench.home.directory).told
        #expect(troubles.count == 3)
        for trouble in troubles { #expect(told.output.contains(trouble)) }
        #expect(ConfigFile(lines[0]).notice == troubles[0])
        #expect(ConfigFile("").notice == nil)
    }

    @Test("bytes are learned once")
    func learnedTwice() {
        let config = ConfigFile("key F13 = 1b 5b 39 39 7e\nkey F14 = 1b 5b 39 39 7e")
        #expect(
            config.told == [
                "config, line 2: another line learns these bytes; take one of the two out"
            ])
        #expect(config.learned.values.map(\.name) == ["F13"])
    }

    @Test("the manual names each setting")
    func manual() throws {
        let page = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("man/walkdown-config.5")
        let text = try String(contentsOf: page, encoding: .utf8)
        for setting in ConfigFile.Setting.allCases {
            #expect(text.contains("\n.TP\n.B \(setting.rawValue)\n"), "\(setting)")
        }
        for theme in Theme.Name.allCases { #expect(text.contains(theme.rawValue), "\(theme)") }
    }
}
