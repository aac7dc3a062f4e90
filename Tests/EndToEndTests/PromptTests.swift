import Foundation
import TestSupport
import Testing

/// The question for the PIN on a real terminal.
@Suite("Asking for the PIN", .serialized)
struct PromptTests {
    private func terminal(_ words: String) throws -> Tmux {
        let walkdown = try Binaries.path(of: "walkdown")
        let tmux = try Tmux(columns: 80, rows: 24)
        try tmux.untilShows("ready>")
        try tmux.type("'\(walkdown)' \(words)")
        try tmux.keys("Enter")
        return tmux
    }

    private func enrolled() throws -> (server: ServerProcess, device: Handheld) {
        let folder = try TemporaryFolder("prompt")
        let server = try ServerProcess(folder)
        let device = Handheld(name: "device", folder: folder)
        try device.enrol(at: server)
        return (server, device)
    }

    @Test("the PIN is not shown, and opens the list")
    func hidden() throws {
        let (server, device) = try enrolled()
        let tmux = try terminal("list --home '\(device.home)'")
        try tmux.untilShows("PIN:")
        try tmux.type(Handheld.pin)
        try tmux.keys("Enter")
        let screen = try tmux.untilShows("F-17")
        #expect(!screen.text.contains(Handheld.pin))
        withExtendedLifetime(server) {}
    }

    @Test("a new PIN that is too short, or two that differ, is asked for again")
    func again() throws {
        let (server, device) = try enrolled()
        let pinFile = try device.folder.write(Handheld.pin + "\n", to: "pin")
        let tmux = try terminal("passwd --home '\(device.home)' --pin-file '\(pinFile)'")
        for (first, second, sentence) in [
            ("123", nil, "the PIN is too short"),
            ("123456", "654321", "the two PINs differ"),
            ("a longer one", "a longer one", "the PIN is changed"),
        ] as [(String, String?, String)] {
            try tmux.until("asks") { $0.cursorLine.hasPrefix("New PIN") }
            try tmux.type(first)
            try tmux.keys("Enter")
            if let second {
                try tmux.until("asks again") { $0.cursorLine.hasPrefix("The same again") }
                try tmux.type(second)
                try tmux.keys("Enter")
            }
            try tmux.untilShows(sentence)
        }
        withExtendedLifetime(server) {}
    }

    @Test("Ctrl-C at the question leaves a terminal that shows what is typed")
    func interrupted() throws {
        let (server, device) = try enrolled()
        let tmux = try terminal("list --home '\(device.home)'")
        try tmux.untilShows("PIN:")
        try tmux.keys("C-c")
        try tmux.until("has its shell back") { $0.cursorLine.hasPrefix("ready>") }
        try tmux.type("stty -a | grep -o ' echo '; echo rc-$?-done")
        try tmux.keys("Enter")
        try tmux.untilShows("rc-0-done")
        withExtendedLifetime(server) {}
    }

    @Test("Ctrl-Z gives the shell its terminal, and fg asks again")
    func stopped() throws {
        let (server, device) = try enrolled()
        let tmux = try terminal("list --home '\(device.home)'")
        try tmux.untilShows("PIN:")
        try tmux.keys("C-z")
        try tmux.until("has its shell back") { $0.cursorLine.hasPrefix("ready>") }
        try tmux.type("clear; fg")
        try tmux.keys("Enter")
        try tmux.untilShows("PIN:")
        try tmux.type(Handheld.pin)
        try tmux.keys("Enter")
        try tmux.untilShows("F-17")
        withExtendedLifetime(server) {}
    }
}
