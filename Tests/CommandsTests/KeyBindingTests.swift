import FieldApp
import Foundation
import TerminalKit
import TestSupport
import Testing
import Vault

@testable import Arguments
@testable import Commands

@Suite("A key that is pressed is bound")
struct KeyBindingTests {
    private let bench: CommandBench
    private var path: String { bench.home.directory + "/config" }

    init() throws { bench = try CommandBench() }

    private func lines(_ typed: String, for action: FieldApp.Command) throws -> [String] {
        let config = ConfigFile.read(of: bench.home.directory)
        var trace = KeyTrace(learned: config.learned)
        let entries =
            trace.feed(Array(typed.utf8), at: 0) + trace.expire(at: 10_000)
        let binding = KeyBinding(action: action, home: bench.home, config: config)
        let before = config.troubles
        try binding.write(binding.lines(for: #require(entries.first)))
        let after = ConfigFile.read(of: bench.home.directory)
        #expect(after.troubles == before)
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(
            String.init)
    }

    @Test(
        "a known one by its name, an unknown one by a name that it is given, behind what is there")
    func bound() throws {
        try "# mine\ntheme = pink".write(toFile: path, atomically: true, encoding: .utf8)
        _ = try lines("\u{1B}[23~", for: .syncNow)
        _ = try lines("\u{1B}[99~", for: .nextUnanswered)
        _ = try lines("\u{1B}[98~", for: .nextProblem)
        #expect(
            try lines("\u{1B}[24~", for: .sections) == [
                "# mine", "theme = pink", "bind syncNow = F11",
                "key F13 = 1b 5b 39 39 7e", "bind nextUnanswered = F13",
                "key F14 = 1b 5b 39 38 7e", "bind nextProblem = F14", "bind sections = F12",
            ])
        #expect(throws: Failure.self, "F13 is the next question already") {
            _ = try lines("\u{1B}[99~", for: .sections)
        }
    }

    @Test(
        "what means something else there, or is no key, is refused, and the file stays",
        arguments: [
            ("\r", "Enter keeps its meaning everywhere; bind another key"),
            ("/", "/ is filter in 'Worklist' already; bind another key"),
            ("\u{1B}[<0;10;5M", "what came is no key: tap at column 10, row 5"),
            ("\u{1B}[99", "what came is no key: unknown"),
            (
                "\u{1B}O5M",
                "most terminals send Ctrl-Enter as Enter, which keeps its meaning everywhere;"
                    + " bind another key"
            ),
            (
                "\u{1B}O2j",
                "a terminal sends Shift-* as the character that Shift makes of it; bind that or"
                    + " another key"
            ),
        ])
    func refused(typed: String, sentence: String) throws {
        try "theme = dark\n".write(toFile: path, atomically: true, encoding: .utf8)
        do {
            _ = try lines(typed, for: .syncNow)
            Issue.record("bound")
        } catch let failure as Failure {
            #expect(failure.exitCode == .validation && failure.sentence == sentence)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "theme = dark\n")
    }

    @Test("a name that a line waits for is not given to the key that is pressed")
    func expected() throws {
        try "bind sort = F13\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(
            try lines("\u{1B}[99~", for: .syncNow) == [
                "bind sort = F13", "key F14 = 1b 5b 39 39 7e", "bind syncNow = F14",
            ])
    }

    @Test("F13 to F24 are given once each")
    func full() throws {
        for number in 0..<12 {
            _ = try lines("\u{1B}[\(90 + number)~", for: .syncNow)
        }
        #expect(throws: Failure.self) { _ = try lines("\u{1B}[120~", for: .syncNow) }
    }

    @Test("without a home nothing is written")
    func homeless() throws {
        let nowhere = Home(bench.folder.path + "/nowhere")
        let binding = KeyBinding(action: .syncNow, home: nowhere, config: ConfigFile(""))
        #expect(throws: Failure.self) { try binding.write(["bind syncNow = F11"]) }
        #expect(access(nowhere.directory, F_OK) != 0)
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0, "\(path)")
        return status.st_mode
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("the file is its owner's alone, also where it was open before, and stands there alone")
    func closed() throws {
        let before = try names(in: bench.home.directory)
        _ = try lines("\u{1B}[23~", for: .syncNow)
        #expect(try mode(path) == S_IFREG | 0o600)
        #expect(chmod(path, 0o644) == 0)
        _ = try lines("\u{1B}[24~", for: .sort)
        #expect(try mode(path) == S_IFREG | 0o600)
        #expect(try names(in: bench.home.directory) == (before + ["config"]).sorted())
    }

    @Test(
        "a link stays one, and what it leads to is written, also where that is not there yet",
        arguments: [true, false])
    func linked(isThere: Bool) throws {
        let folder = bench.folder.path + "/own"
        #expect(mkdir(folder, 0o700) == 0)
        let own = folder + "/walkdown.conf"
        if isThere { try "# mine\n".write(toFile: own, atomically: false, encoding: .utf8) }
        // What stands there for another reason is left alone.
        try "other".write(toFile: own + ".new", atomically: false, encoding: .utf8)
        #expect(symlink("walkdown.conf", folder + "/second") == 0)
        #expect(symlink("../own/second", path) == 0)
        _ = try lines("\u{1B}[23~", for: .syncNow)
        #expect(try mode(path) & S_IFMT == S_IFLNK)
        #expect(try mode(folder + "/second") & S_IFMT == S_IFLNK)
        #expect(try mode(own) == S_IFREG | 0o600)
        let text = try String(contentsOfFile: own, encoding: .utf8)
        #expect(text == (isThere ? "# mine\n" : "") + "bind syncNow = F11\n")
        #expect(try names(in: folder) == ["second", "walkdown.conf", "walkdown.conf.new"])
        #expect(try String(contentsOfFile: own + ".new", encoding: .utf8) == "other")
    }

    @Test("a file that is as long as it may be, or longer, takes no line more")
    func long() throws {
        let full = String(repeating: "#", count: 64 << 10)
        for text in [full, full + "#"] {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(throws: Failure.self) { _ = try lines("\u{1B}[23~", for: .syncNow) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
    }

    @Test("where it cannot be written that is told, and nothing is left")
    func unwritable() throws {
        #expect(symlink(bench.folder.path + "/gone/config", path) == 0)
        #expect(symlink(bench.folder.path + "/ring", bench.folder.path + "/ring") == 0)
        let before = try names(in: bench.folder.path)
        for target in [bench.folder.path + "/gone/config", bench.folder.path + "/ring"] {
            #expect(unlink(path) == 0 && symlink(target, path) == 0)
            do {
                _ = try lines("\u{1B}[23~", for: .syncNow)
                Issue.record("written")
            } catch let failure as Failure {
                #expect(failure.exitCode == .failed && failure.sentence.contains("cannot "))
            }
            #expect(try names(in: bench.folder.path) == before)
        }
    }
}
