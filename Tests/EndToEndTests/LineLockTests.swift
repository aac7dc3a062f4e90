import Coding
import Foundation
import TestSupport
import Testing

/// What ends the wait for a line, on a real terminal and from other processes.
@Suite("Locking line by line", .serialized)
struct LineLockTests {
    private let world: World
    private let device: Device

    init() throws {
        world = try World()
        device = try world.enrol("device")
    }

    private func started(_ words: String) throws -> Tmux {
        let tmux = try Tmux(columns: 100, rows: 40)
        try tmux.untilShows("ready>")
        try tmux.type("\(device.opening) \(words); echo code=$?")
        try tmux.keys("Enter")
        return tmux
    }

    /// The shell goes on with an empty line: nothing typed into us has become a command of its.
    private func expectCleanShell(_ tmux: Tmux, code: Int32) throws {
        let screen = try tmux.untilShows("code=\(code)")
        #expect(screen.text.contains("ready>") && !screen.alternate)
        try tmux.until("an empty line of the shell") {
            $0.cursorLine.trimmingCharacters(in: .whitespaces) == "ready>"
        }
    }

    private func draft() throws -> String? {
        let rows = try JSON.parse(
            Array(try device.run("sql", "SELECT name, text FROM draft", "--json").utf8))
        guard case .array(let drafts) = rows, case .object(let first)? = drafts.first,
            case .string(let text)? = first["text"]
        else { return nil }
        return text
    }

    @Test(
        "'walkdown lock' locks the line mode, which keeps what is typed half and asks for the PIN")
    func told() throws {
        let tmux = try started("--a11y")
        try tmux.untilShows("worklist>")
        try tmux.type("1")
        try tmux.keys("Enter")
        try tmux.untilShows("Facility")
        try tmux.type("Cold sto")
        try tmux.until("shows what is typed") { $0.cursorLine.contains("Cold sto") }
        #expect(try device.run("lock").hasPrefix("told process "))
        try tmux.untilShows("walkdown: locked, as 'walkdown lock' asked; what was entered is kept")
        try tmux.until("asks for the PIN") { $0.cursorLine.hasPrefix("PIN:") }
        #expect(try draft() == "Cold sto")
        // Nothing is unlocked that this could end.
        try device.run("lock")
        try tmux.type(World.pin)
        try tmux.keys("Enter")
        try tmux.until("is at the worklist again") { $0.cursorLine.hasPrefix("worklist>") }
        try tmux.type("1")
        try tmux.keys("Enter")
        let screen = try tmux.untilShows("typed, not accepted: Cold sto")
        #expect(!screen.text.contains(World.pin))
        try tmux.keys("C-d")
        try tmux.until("is at the worklist") { $0.cursorLine.hasPrefix("worklist>") }
        try tmux.type("q")
        try tmux.keys("Enter")
        try expectCleanShell(tmux, code: 0)
    }

    @Test("'walkdown lock' ends fill with 6, and the home is free")
    func fill() throws {
        let id = try device.inspection(of: "FRZ-1")
        let tmux = try started("fill \(id)")
        try tmux.untilShows("Facility")
        try tmux.type("Depot")
        try tmux.keys("Enter")
        try tmux.until("goes on") { !$0.cursorLine.contains("Depot") }
        try device.run("lock")
        try tmux.untilShows("walkdown: locked")
        try expectCleanShell(tmux, code: 6)
        #expect(try device.answer("facility", of: "FRZ-1") == "Depot")
        try device.run("set", id, "notes=free")
    }

    @Test("a signal leaves the terminal as it was, and half a line as a draft")
    func ended() throws {
        let id = try device.inspection(of: "FRZ-1")
        let tmux = try started("fill \(id)")
        try tmux.untilShows("Facility")
        try tmux.type("echo half")
        try tmux.until("shows what is typed") { $0.cursorLine.contains("echo half") }
        #expect(kill(try tmux.child(named: "walkdown"), SIGTERM) == 0)
        try expectCleanShell(tmux, code: 128 + SIGTERM)
        #expect(try draft() == "echo half")
        try tmux.type("stty -a | grep -c ' icanon'; echo done=$((40+2))")
        try tmux.keys("Enter")
        try tmux.until("is in the modes of before") { screen in
            let lines = screen.lines
            return lines.firstIndex(of: "done=42").map { $0 > 0 && lines[$0 - 1] == "1" } ?? false
        }
    }

    @Test("a terminal that goes away ends it and leaves nothing behind")
    func hangUp() throws {
        let id = try device.inspection(of: "FRZ-1")
        let tmux = try started("fill \(id)")
        try tmux.untilShows("Facility")
        let process = try tmux.child(named: "walkdown")
        try tmux.hangUp()
        #expect(Watch.isGone(process))
        try device.run("set", id, "notes=free")
    }

    @Test("Ctrl-C ends a synchronisation that hangs, and 'walkdown lock' as well")
    func hangingServer() throws {
        try device.run("set", try device.inspection(of: "FRZ-1"), "notes=kept")
        world.pauseServer()
        defer { world.resumeServer() }
        for isLock in [false, true] {
            let tmux = try started("--a11y")
            try tmux.untilShows("worklist>")
            try tmux.type("s")
            try tmux.keys("Enter")
            try tmux.untilShows("Synchronising")
            if isLock { try device.run("lock") } else { try tmux.keys("C-c") }
            try tmux.untilShows("Not synchronised: stopped before the end")
            if isLock {
                try tmux.until("asks for the PIN") { $0.cursorLine.hasPrefix("PIN:") }
            } else {
                try expectCleanShell(tmux, code: 130)
            }
            #expect(try device.status()["pending"] == 1)
        }
    }
}
