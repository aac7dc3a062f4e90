import Foundation
import TestSupport
import Testing

/// TerminalKit on a real terminal, by a program that has nothing but a screen (TerminalProbe).
@Suite("The terminal survives", .serialized)
struct TerminalTests {
    private static let saneModes = ["icanon", "echo", "isig", "ixon", "icrnl", "opost"]

    private func probe() throws -> String { try Binaries.path(of: "walkdown-probe") }

    /// A shell in which the probe runs.
    private func started(columns: Int = 80, rows: Int = 20) throws -> Tmux {
        let tmux = try Tmux(columns: columns, rows: rows)
        try tmux.untilShows("ready>")
        try tmux.type("\(try probe()) \(tmux.folder.file("log"))")
        try tmux.keys("Enter")
        try tmux.untilShows("probe \(columns)x\(rows)")
        return tmux
    }

    private func expectSaneShell(_ tmux: Tmux, _ status: Int32? = nil) throws {
        if let status {
            try tmux.type("code=$?; clear; echo code=$code")
            try tmux.keys("Enter")
            try tmux.untilShows("code=\(status)")
        }
        try tmux.type("clear; stty -a; echo done=$((40+2))")
        try tmux.keys("Enter")
        let screen = try tmux.untilShows("done=42")
        let modes = Set(screen.text.split { " ;\n".contains($0) }.map(String.init))
        for mode in TerminalTests.saneModes { #expect(modes.contains(mode), "\(screen.text)") }
        #expect(screen.isSane, "\(screen.text)")
    }

    @Test("U02 A terminal of 1×1 and back shows the same frame; no small size crashes")
    func tiny() throws {
        let tmux = try started()
        try tmux.type("reading")
        let before = try tmux.untilShows("line: reading")
        try tmux.resize(columns: 1, rows: 1)
        try tmux.until("one cell") { $0.lines.first?.count == 1 }
        for columns in stride(from: 1, through: 40, by: 3) {
            for rows in stride(from: 1, through: 12, by: 4) {
                try tmux.resize(columns: columns, rows: rows)
            }
        }
        try tmux.resize(columns: 80, rows: 20)
        let after = try tmux.until("restored") { screen in
            screen.lines.dropFirst() == before.lines.dropFirst()
        }
        #expect(after.lines.first?.contains("size 80x20") == true)
        #expect(!after.isDead)
    }

    @Test("U06 Ctrl-Z gives the terminal back and fg repaints without another key")
    func suspend() throws {
        let tmux = try started()
        try tmux.type("half")
        try tmux.untilShows("line: half")
        try tmux.keys("C-z")
        try tmux.untilShows("Stopped")
        try expectSaneShell(tmux)
        try tmux.type("fg")
        try tmux.keys("Enter")
        let screen = try tmux.untilShows("line: half")
        #expect(screen.alternate)
        #expect(screen.cursorColumn == 10)
        try tmux.type("!")
        try tmux.untilShows("line: half!")
    }

    @Test("U08 A Swift trap leaves a sane terminal, a sentence and no prompt of the runtime")
    func trap() throws {
        let tmux = try started()
        try tmux.keys("F2")
        let screen = try tmux.untilShows("probe: a fault ended it")
        #expect(!screen.text.contains("Press space"))
        try tmux.untilShows("ready>")
        #if arch(arm64)
            try expectSaneShell(tmux, 128 + SIGTRAP)
        #else
            try expectSaneShell(tmux, 128 + SIGILL)
        #endif
        let log = String(decoding: try tmux.folder.bytes(of: "log"), as: UTF8.self)
        #expect(log.contains("Index out of range"))
    }

    @Test("U08 A stack overflow on a worker is handled on its own signal stack")
    func overflow() throws {
        let tmux = try started()
        try tmux.keys("F3")
        try tmux.untilShows("probe: a fault ended it")
        try tmux.untilShows("ready>")
        try expectSaneShell(tmux, 128 + SIGSEGV)
    }

    @Test(
        "U09 Every signal that ends the process ends the modes first",
        arguments: [
            SIGHUP, SIGTERM, SIGINT, SIGQUIT, SIGABRT, SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP,
        ])
    func signals(number: Int32) throws {
        let tmux = try started()
        let log = try tmux.record(to: "raw")
        try tmux.type("x")
        try tmux.untilShows("line: x")
        let process = try tmux.child(named: "walkdown-probe")
        #expect(kill(process, number) == 0)
        try tmux.until("the shell's screen") { !$0.alternate && $0.text.contains("ready>") }
        try expectSaneShell(tmux, 128 + number)
        let raw = String(decoding: try Data(contentsOf: URL(fileURLWithPath: log)), as: UTF8.self)
        for mode in ["?1000l", "?1002l", "?1006l", "?2004l", "?1049l"] {
            #expect(raw.contains("\u{1B}[\(mode)"), "\(mode)")
        }
    }

    @Test("U10 A terminal that is hung up ends the process even where SIGHUP is ignored")
    func hangUp() throws {
        let tmux = try Tmux(columns: 80, rows: 20)
        try tmux.untilShows("ready>")
        try tmux.type("trap '' HUP; \(try probe())")
        try tmux.keys("Enter")
        try tmux.untilShows("probe 80x20")
        let process = try tmux.child(named: "walkdown-probe")
        try tmux.hangUp()
        #expect(Watch.isGone(process))
    }

    @Test(
        "U11 Without a terminal there is a sentence and exit code 2",
        arguments: ["</dev/null", ">/dev/null", "| cat", "< <(yes q)"])
    func noTerminal(redirection: String) throws {
        let tmux = try Tmux(columns: 80, rows: 20)
        try tmux.untilShows("ready>")
        try tmux.type("set -o pipefail; \(try probe()) /dev/null \(redirection); echo code=$?")
        try tmux.keys("Enter")
        let screen = try tmux.untilShows("code=2")
        #expect(screen.text.contains("notATerminal"))
        #expect(screen.isSane)
    }

    @Test(
        "U15 Unknown terminals are drawn as their relatives; dumb ones are refused in one sentence",
        arguments: [
            ("xterm-kitty", true), ("nonsense", true), ("", true), ("vt100", true), ("dumb", false),
        ])
    func unknownTerminal(term: String, draws: Bool) throws {
        let tmux = try Tmux(
            columns: 80, rows: 20, term: term,
            command: "\(try probe()) /dev/null; echo code=$?; read wait")
        if draws {
            try tmux.untilShows("probe 80x20")
            try tmux.keys("C-c")
            try tmux.untilShows("code=0")
        } else {
            #expect(try tmux.untilShows("code=2").text.contains("cannotDraw"))
        }
    }

    @Test("U20 Pasted escapes and control characters are not stored and run nothing")
    func paste() throws {
        let tmux = try started()
        try tmux.send(Array("\u{1B}[200~a\u{3}b\u{1B}[31mc\u{1A}d\u{1B}[201~".utf8))
        let screen = try tmux.untilShows("line: ab[31mcd")
        #expect(screen.text.contains("last paste"))
        try tmux.paste("x\nq")
        try tmux.untilShows("line: ab[31mcdx q")
    }

    @Test("U27 Ctrl-S and Ctrl-Q freeze nothing, and flow control is back afterwards")
    func flowControl() throws {
        let tmux = try started()
        try tmux.keys("C-s")
        try tmux.type("goes on")
        try tmux.untilShows("line: goes on")
        try tmux.keys("C-c")
        try tmux.untilShows("ready>")
        try expectSaneShell(tmux, 0)
    }

    @Test(
        "U14 Without a second screen the shell goes on from a clean last line, however it ends",
        arguments: ["vt100", "linux"], [0, SIGTSTP, SIGTERM, SIGSEGV])
    func cleanLastLine(term: String, end: Int32) throws {
        let tmux = try Tmux(columns: 60, rows: 12, term: term)
        try tmux.untilShows("ready>")
        try tmux.type("clear; \(try probe()) /dev/null")
        try tmux.keys("Enter")
        try tmux.untilShows("probe 60x12")
        // Stands in the last line, where the shell goes on.
        try tmux.type("half a reading")
        try tmux.untilShows("line: half a reading")
        switch end {
        case 0: try tmux.keys("C-c")
        case SIGTSTP: try tmux.keys("C-z")
        default: #expect(kill(try tmux.child(named: "walkdown-probe"), end) == 0)
        }
        try tmux.until("a prompt alone on the last line") { screen in
            screen.cursorRow == 11 && screen.cursorColumn == 7
                && screen.cursorLine.trimmingCharacters(in: .whitespaces) == "ready>"
        }
        try tmux.type("echo done=$((40+2))")
        try tmux.keys("Enter")
        try tmux.until("a line of its own") { $0.lines.contains("done=42") }
    }

    @Test("U29 A terminal that says 0×0 is drawn as 80×24, and adopts a size that it learns later")
    func noSize() throws {
        let tmux = try Tmux(columns: 100, rows: 30)
        try tmux.untilShows("ready>")
        try tmux.type("stty rows 0 cols 0; \(try probe()) /dev/null")
        try tmux.keys("Enter")
        try tmux.untilShows("probe 80x24")
        try tmux.tellSize(columns: 40, rows: 20)
        try tmux.untilShows("probe 40x20")
        try tmux.tellSize(columns: 0, rows: 0)
        try tmux.type("goes on")
        #expect(try tmux.untilShows("line: goes on").text.contains("probe 40x20"))
    }

    @Test("U30 LINES and COLUMNS in the environment do not freeze the size")
    func sizeInTheEnvironment() throws {
        let tmux = try Tmux(
            columns: 40, rows: 20,
            environment: ["LANG": "C.UTF-8", "LINES": "24", "COLUMNS": "80"],
            command: "exec \(try probe()) /dev/null")
        try tmux.untilShows("probe 40x20")
        try tmux.resize(columns: 60, rows: 10)
        try tmux.untilShows("probe 60x10")
    }

    @Test(
        "U36 Without a UTF-8 locale nothing outside ASCII is drawn; a missing one still gives UTF-8"
    )
    func locales() throws {
        let plain = try Tmux(
            columns: 60, rows: 10, environment: ["LC_ALL": "C"],
            command: "exec \(try probe()) /dev/null")
        #expect(try plain.untilShows("probe 60x10 ascii").text.contains("> item 0"))
        let missing = try Tmux(
            columns: 60, rows: 10, environment: ["LANG": "xx_YY.UTF-8"],
            command: "exec \(try probe()) /dev/null")
        try missing.untilShows("probe 60x10 utf8")
    }

    @Test("U38 Idle writes nothing, a key little")
    func bytes() throws {
        let tmux = try started()
        try tmux.type("a")
        try tmux.untilShows("line: a")
        let log = try tmux.record(to: "raw")
        for key in ["b", "c", "d"] { try tmux.type(key) }
        try tmux.untilShows("line: abcd")
        let size = try Data(contentsOf: URL(fileURLWithPath: log)).count
        #expect(size <= 3 * 200)
    }
}
