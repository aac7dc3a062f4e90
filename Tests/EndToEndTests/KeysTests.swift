import Coding
import Foundation
import TestSupport
import Testing

@Suite("walkdown keys", .serialized)
struct KeysTests {
    private func started(_ words: String, term: String = "xterm-256color") throws -> Tmux {
        let tmux = try Tmux(columns: 100, rows: 24, term: term)
        try tmux.untilShows("ready>")
        try tmux.type("clear; \(try Binaries.path(of: "walkdown")) keys \(words); echo code=$?")
        try tmux.keys("Enter")
        try tmux.untilShows("Press keys.")
        return tmux
    }

    @Test(
        "shows bytes, name and meaning under every terminal, and leaves a sane one",
        arguments: ["xterm-256color", "tmux-256color", "screen", "linux", "vt100"])
    func keys(term: String) throws {
        let tmux = try started("", term: term)
        try tmux.keys("F7")
        try tmux.untilShows("Inspection: Go to the next unanswered question")
        try tmux.keys("KP5")
        try tmux.untilShows("text")
        try tmux.send(Array("\u{1B}[99~".utf8))
        try tmux.untilShows("1b 5b 39 39 7e")
        try tmux.untilShows("nothing: no key of it is known")
        try tmux.paste("open\nsesame")
        try tmux.untilShows("paste of 11 characters")
        try tmux.keys("C-s")
        let screen = try tmux.untilShows("Ctrl-S")
        #expect(!screen.text.contains("sesame") && !screen.alternate)
        try tmux.keys("C-c")
        try tmux.untilShows("code=0")
        try tmux.type("clear; stty -a; echo done=$((40+2))")
        try tmux.keys("Enter")
        let after = try tmux.untilShows("done=42")
        let modes = Set(after.text.split { " ;\n".contains($0) }.map(String.init))
        #expect(modes.isSuperset(of: ["icanon", "echo", "isig", "ixon", "icrnl", "opost"]))
        #expect(after.isSane)
    }

    @Test("Esc three times in a row ends it, a kill leaves the terminal as it was")
    func endings() throws {
        let tmux = try started("")
        for _ in 1...2 { try tmux.keys("Escape") }
        try tmux.keys("Down")
        try tmux.untilShows("Move down")
        for number in 1...3 {
            try tmux.keys("Escape")
            try tmux.until("Esc told") { screen in
                screen.lines.filter { $0.contains("  Esc ") }.count == 2 + number
            }
        }
        try tmux.untilShows("code=0")
        let killed = try started("")
        #expect(kill(try killed.child(named: "walkdown"), SIGTERM) == 0)
        try killed.untilShows("code=143")
        #expect(try killed.screen().isSane)
    }

    @Test("--bind gives a key that nobody knows a name and an action, and the next run knows it")
    func bound() throws {
        let folder = try TemporaryFolder("keys")
        let tmux = try Tmux(columns: 100, rows: 24, term: "xterm-256color")
        try tmux.untilShows("ready>")
        let command = "\(try Binaries.path(of: "walkdown")) --home '\(folder.path)' keys"
        try tmux.type("clear; \(command) --bind nextUnanswered; echo code=$?")
        try tmux.keys("Enter")
        try tmux.untilShows("Press the key for nextUnanswered")
        try tmux.send(Array("\u{1B}[99~".utf8))
        let told = try tmux.untilShows("code=0")
        #expect(told.text.contains("bind nextUnanswered = F13") && told.isSane)
        try tmux.type("clear; \(command); echo code=$?")
        try tmux.keys("Enter")
        try tmux.untilShows("Press keys.")
        try tmux.send(Array("\u{1B}[99~".utf8))
        try tmux.untilShows("Inspection: Go to the next unanswered question")
        try tmux.keys("C-c")
        try tmux.untilShows("code=0")
    }

    @Test("at 40 columns what is said breaks between words")
    func narrow() throws {
        let folder = try TemporaryFolder("keys")
        let tmux = try Tmux(columns: 40, rows: 20, term: "xterm-256color")
        try tmux.untilShows("ready>")
        let command = "\(try Binaries.path(of: "walkdown")) --home '\(folder.path)' keys"
        try tmux.type("clear; \(command) --bind sort; echo code=$?")
        try tmux.keys("Enter")
        try tmux.until("asks") { $0.lines.contains("leaves all as it is.") }
        try tmux.keys("C-j")
        let told = try tmux.untilShows("code=3")
        let lines = told.lines.map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.contains("walkdown: Enter keeps its meaning"), "\(lines)")
        #expect(lines.contains("everywhere; bind another key"), "\(lines)")
        try tmux.type("clear; \(command); echo code=$?")
        try tmux.keys("Enter")
        try tmux.untilShows("ends this.")
        try tmux.keys("F7")
        try tmux.untilShows("1b 5b 31 38 7e  F7")
        let key = try tmux.until("all is told") { $0.lines.contains("  question") }
        #expect(key.lines.contains("  Inspection: Go to the next unanswered"), "\(key.lines)")
        try tmux.keys("C-c")
        try tmux.untilShows("code=0")
    }

    @Test("U11 without a terminal it ends with 2, and as a document it goes into a file")
    func document() throws {
        let folder = try TemporaryFolder("keys")
        let walkdown = try Binaries.path(of: "walkdown")
        let status = try Spawn.run(
            [walkdown, "keys"], output: folder.file("out"), errors: folder.file("err"))
        #expect(status == 2)
        let file = folder.file("keys.json")
        let tmux = try started("--json > '\(file)'")
        try tmux.keys("Up", "C-c")
        try tmux.untilShows("code=0")
        let found = try JSON.parse([UInt8](Data(contentsOf: URL(fileURLWithPath: file))))
        guard case .array(let keys) = found, case .object(let first)? = keys.first else {
            Issue.record("no keys")
            return
        }
        #expect(keys.count == 2 && first["name"] == .string("Up"))
    }
}
