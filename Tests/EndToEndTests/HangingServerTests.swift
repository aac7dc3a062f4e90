import Coding
import Foundation
import Testing

/// A server behind which somebody has pulled the plug: connections are taken, and nobody answers.
@Suite("A server that never answers", .serialized)
struct HangingServerTests {
    private let world: World
    private let device: Device

    init() throws {
        world = try World()
        device = try world.enrol("device")
    }

    private func seconds(_ work: () throws -> Void) rethrows -> TimeInterval {
        let start = Date()
        try work()
        return Date().timeIntervalSince(start)
    }

    @Test("U48 While a cycle hangs keys are taken as ever, and leaving waits for nobody")
    func screen() throws {
        let tmux = try Tmux(columns: 80, rows: 24)
        try tmux.untilShows("ready>")
        try tmux.type(device.opening)
        try tmux.keys("Enter")
        try tmux.untilShows("FRZ-1")
        try tmux.untilShows("online")
        world.pauseServer()
        defer { world.resumeServer() }
        try tmux.keys("Enter")
        try tmux.untilShows("Facility")
        try tmux.type("s")
        try tmux.untilShows("synchronising")
        try tmux.keys("Enter")
        for letter in ["S", "h", "e", "d"] {
            let wait = try seconds {
                try tmux.type(letter)
                try tmux.until("\(letter) typed") { screen in
                    screen.cursorLine.prefix(screen.cursorColumn).hasSuffix(letter)
                }
            }
            #expect(wait < 1)
        }
        #expect(try tmux.screen().text.contains("synchronising"))
        let leaving = try seconds {
            try tmux.keys("F10")
            try tmux.until("the shell's screen") { $0.isSane }
        }
        #expect(leaving < 2)
        try tmux.until("a prompt") { $0.cursorLine.contains("ready>") }
        let rows = try device.run("sql", "SELECT text FROM draft")
        #expect(rows.contains("Shed"))
    }

    @Test("U48 Ctrl-C ends a sync that hangs, at once and with everything kept")
    func command() throws {
        try device.run("set", try device.inspection(of: "CHL-3"), "notes=kept")
        world.pauseServer()
        defer { world.resumeServer() }
        let tmux = try Tmux(columns: 80, rows: 24)
        try tmux.untilShows("ready>")
        try tmux.type("\(device.opening) sync")
        try tmux.keys("Enter")
        _ = try tmux.child(named: "walkdown")
        try tmux.until("the change is on its way") { _ in
            (try? device.status()["inFlight"]) == .integer(1)
        }
        let ending = try seconds {
            try tmux.keys("C-c")
            try tmux.until("ended") { screen in
                screen.cursorLine.trimmingCharacters(in: .whitespaces).hasSuffix("ready>")
            }
        }
        #expect(ending < 2)
        let status = try device.status()
        #expect(status["pending"] == .integer(1) || status["inFlight"] == .integer(1))
    }
}
