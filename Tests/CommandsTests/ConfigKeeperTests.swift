import FieldApp
import Foundation
import Phrases
import TerminalKit
import TestSupport
import Testing
import Vault

@testable import Commands

@Suite("What is set on the screen goes into the config file")
struct ConfigKeeperTests {
    private let bench: CommandBench
    private let keeper: ConfigKeeper
    private var path: String { bench.home.directory + "/config" }

    init() throws {
        bench = try CommandBench()
        keeper = ConfigKeeper(home: bench.home)
    }

    private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func write(_ text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test("a line is changed where it stands, and all else stays as the person wrote it")
    func changed() throws {
        try write("# mine\n\ntheme=dark\nfrom = the future\n  mouse = off # here\n")
        try keeper.keep(.theme, "sun")
        #expect(
            try text()
                == "# mine\n\ntheme = sun\nfrom = the future\n  mouse = off # here\n")
        try keeper.keep(.language, "es")
        #expect(try text().hasSuffix("\nlanguage = es\n"))
        #expect(ConfigFile.read(of: bench.home.directory).language == .spanish)
    }

    @Test("a file without an end of its last line, and none at all")
    func bare() throws {
        try keeper.keep(.mouse, "off")
        #expect(try text() == "mouse = off\n")
        try write("theme = dark")
        try keeper.keep(.mouse, "on")
        #expect(try text() == "theme = dark\nmouse = on\n")
    }

    @Test("what holds without a line loses its lines")
    func removed() throws {
        try write("characters = ascii\ntheme = dark\ncharacters = utf8\n")
        try keeper.keep(.characters, nil)
        #expect(try text() == "theme = dark\n")
        try keeper.keep(.characters, nil)
        #expect(try text() == "theme = dark\n")
    }

    @Test("a key is bound once and forgotten whole")
    func keys() throws {
        let key = try #require(KeyEvent(named: "F11"))
        try keeper.keep(key, for: .syncNow)
        try keeper.keep(key, for: .syncNow)
        #expect(try text() == "bind syncNow = F11\n")
        try write("bind  syncNow = F12\n" + text())
        try keeper.forgetKeys(of: .syncNow)
        #expect(try text() == "")
        #expect(ConfigFile.read(of: bench.home.directory).keys == OwnKeys())
    }

    @Test("the file is its owner's alone, and a link stays one")
    func careful() throws {
        let elsewhere = bench.home.directory + "/elsewhere"
        try "theme = dark\n".write(toFile: elsewhere, atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: elsewhere)
        try keeper.keep(.theme, "sun")
        #expect(try String(contentsOfFile: elsewhere, encoding: .utf8) == "theme = sun\n")
        let mode = try FileManager.default.attributesOfItem(atPath: elsewhere)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("what cannot be read is not written over, and told")
    func refused() throws {
        try write(String(repeating: "#", count: 70_000))
        #expect(throws: StoreRefusal.self) { try keeper.keep(.theme, "sun") }
        #expect(try text().count == 70_000)
    }

    // MARK: Languages

    @Test(
        "the locale asks for a language, by the strongest of its variables",
        arguments: [
            ([:], nil), (["LANG": "C"], nil), (["LANG": "es_MX.UTF-8"], "es"),
            (["LANG": "es_ES", "LC_ALL": "en_US.UTF-8"], "en"),
            (["LC_MESSAGES": "es", "LANG": "en_US"], "es"), (["LANG": "de_DE.UTF-8"], nil),
            (["LC_ALL": "", "LANG": "es"], "es"),
        ] as [([String: String], String?)])
    func locale(environment: [String: String], language: String?) {
        #expect(ScreenLanguage.wanted(by: environment)?.rawValue == language)
    }

    @Test("each language has its sentences, and one that is not installed is told")
    func books() throws {
        for language in ScreenLanguage.allCases {
            #expect(try language.book(environment: [:]).language == language.rawValue)
        }
        let empty = try TemporaryFolder("resources")
        #expect(throws: (any Error).self) {
            _ = try ScreenLanguage.spanish.book(environment: ["WALKDOWN_RESOURCES": empty.path])
        }
    }
}
