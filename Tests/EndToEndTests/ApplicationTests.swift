import Coding
import Foundation
import Testing

/// `walkdown` on a real terminal, with a real server behind it.
@Suite("The application in a terminal", .serialized)
struct ApplicationTests {
    private func opened(
        _ device: Device, columns: Int = 80, rows: Int = 24, term: String = "xterm-256color",
        environment: [String: String] = ["LANG": "C.UTF-8"]
    ) throws -> Tmux {
        let tmux = try Tmux(columns: columns, rows: rows, term: term, environment: environment)
        try tmux.untilShows("ready>")
        try tmux.type(device.opening)
        try tmux.keys("Enter")
        try tmux.untilShows("FRZ-1")
        return tmux
    }

    /// Opens the first inspection of the list, the chiller of the depot.
    private func openChiller(_ tmux: Tmux) throws {
        try tmux.keys("Enter")
        try tmux.untilShows("Facility")
    }

    private func quit(_ tmux: Tmux) throws {
        try tmux.keys("F10")
        try tmux.until("the shell's screen") { $0.isSane && $0.text.contains("ready>") }
    }

    @Test(
        "An inspection is filled, left and reopened by keyboard alone",
        arguments: [
            (80, 24, ["LANG": "C.UTF-8"], "xterm-256color"),
            (40, 20, ["LC_ALL": "C", "NO_COLOR": "1"], "vt100"),
        ])
    func fill(columns: Int, rows: Int, environment: [String: String], term: String) throws {
        let world = try World()
        let device = try world.enrol("device")
        let tmux = try opened(
            device, columns: columns, rows: rows, term: term, environment: environment)
        try openChiller(tmux)
        try tmux.keys("Enter")
        try tmux.type("Shed 4")
        try tmux.keys("Enter", "Enter")
        try tmux.type("CHL-3")
        try tmux.keys("Enter")
        // As a person does, with an eye on the screen: keys that a busy machine hands over all at
        // once are a scanner's.
        try tmux.untilShows("2/8")
        for (answer, shown) in [("2", "R-404A"), ("142.5", "142.5")] {
            try tmux.type(answer)
            try tmux.untilShows(shown)
        }
        try tmux.keys("Enter")
        for (answer, shown) in [("1", "Optimal"), ("p", "Pass"), ("-21", "-21")] {
            try tmux.type(answer)
            try tmux.untilShows(shown)
        }
        try tmux.keys("Enter")
        try tmux.untilShows("7/8")
        try tmux.keys("F5")
        try tmux.untilShows("Complete.")
        try tmux.keys("Escape")
        try tmux.untilShows("FRZ-1")
        try tmux.keys("Enter")
        try tmux.untilShows("142.5")
        try quit(tmux)
        #expect(try device.answer("valve_pressure_psi", of: "CHL-3") == .double(142.5))
        #expect(try device.answer("refrigerant_type", of: "CHL-3") == .string("R404A"))
        #expect(try device.answer("door_seals", of: "CHL-3") == .string("pass"))
    }

    @Test("U06 U08 U09 Half an answer survives Ctrl-Z, SIGTERM, SIGSEGV and kill -9")
    func faults() throws {
        let world = try World()
        let device = try world.enrol("device")
        for (number, status) in [(SIGTERM, 143), (SIGSEGV, 139), (SIGKILL, 137)] {
            let tmux = try opened(device)
            try openChiller(tmux)
            try tmux.keys("Enter")
            try tmux.keys("C-u")
            try tmux.type("half \(number)")
            let typed = try tmux.untilShows("half \(number)")
            try tmux.keys("C-z")
            try tmux.untilShows("Stopped")
            try tmux.until("the shell's screen") { $0.isSane }
            try tmux.type("fg")
            try tmux.keys("Enter")
            try tmux.until("repainted") { $0.alternate && isSame($0, as: typed) }
            let process = try tmux.child(named: "walkdown")
            #expect(kill(process, number) == 0)
            try tmux.untilShows("ready>")
            if number == SIGKILL {
                // Nothing can put the terminal back then but the person.
                try tmux.keys("C-j")
                try tmux.type("stty sane; tput rmcup")
                try tmux.keys("C-j")
            } else {
                try tmux.type("code=$?; clear; stty -a; echo code=$code")
                try tmux.keys("Enter")
                let screen = try tmux.untilShows("code=\(status)")
                let modes = Set(screen.text.split { " ;\n".contains($0) }.map(String.init))
                #expect(modes.isSuperset(of: ["icanon", "echo", "isig", "ixon", "icrnl"]))
                #expect(screen.isSane)
            }
            let again = try opened(device)
            try openChiller(again)
            try again.untilShows("half \(number)")
            try quit(again)
        }
    }

    /// Line by line, but for what a cycle in the background may change at any moment.
    private func isSame(_ screen: Screen, as other: Screen) -> Bool {
        func settled(_ screen: Screen) -> [String] {
            screen.lines.filter { !$0.contains("last sync") && !$0.contains("nothing waits") }
        }
        return settled(screen) == settled(other)
    }

    @Test("U02 U30 Any size while open, and LINES and COLUMNS count for nothing")
    func sizes() throws {
        let world = try World()
        let device = try world.enrol("device")
        let tmux = try opened(
            device, environment: ["LANG": "C.UTF-8", "LINES": "10", "COLUMNS": "30"])
        try openChiller(tmux)
        let before = try tmux.untilShows("online")
        try tmux.resize(columns: 1, rows: 1)
        for columns in stride(from: 1, through: 40, by: 4) {
            for rows in stride(from: 1, through: 12, by: 5) {
                try tmux.resize(columns: columns, rows: rows)
            }
        }
        try tmux.resize(columns: 80, rows: 24)
        try tmux.until("as before") { $0.lines == before.lines }
        try quit(tmux)
    }

    @Test(
        "U11 U12 Without a terminal: exit code 2 and one sentence, at once and with nothing read",
        arguments: ["</dev/null", ">/dev/null", "| cat", "< <(yes q)"])
    func noTerminal(redirection: String) throws {
        let tmux = try Tmux(columns: 100, rows: 20)
        try tmux.untilShows("ready>")
        let walkdown = try Binaries.path(of: "walkdown")
        try tmux.type("set -o pipefail; clear; \(walkdown) \(redirection); echo code=$?")
        try tmux.keys("Enter")
        let screen = try tmux.untilShows("code=2")
        #expect(screen.text.contains("needs a terminal"))
    }

    @Test("U15 A terminal that cannot draw is worked on line by line, an unknown one is drawn")
    func terminals() throws {
        let world = try World()
        let device = try world.enrol("device")
        let dumb = try Tmux(columns: 80, rows: 20, term: "dumb")
        try dumb.untilShows("ready>")
        try dumb.type("\(device.opening); echo code=$?")
        try dumb.keys("Enter")
        #expect(try dumb.untilShows("worklist>").text.contains("TERM=dumb"))
        try dumb.type("q")
        try dumb.keys("Enter")
        try dumb.untilShows("code=0")
        for term in ["xterm-kitty", "nonsense", ""] {
            let tmux = try opened(device, term: term)
            try openChiller(tmux)
            try quit(tmux)
        }
    }

    @Test(
        "U20 U27 Pasted controls are not stored, nothing pasted is a command, Ctrl-S freezes nothing"
    )
    func paste() throws {
        let world = try World()
        let device = try world.enrol("device")
        let tmux = try opened(device)
        try tmux.paste("q\nq\n")
        try openChiller(tmux)
        try tmux.keys("Enter", "C-s")
        try tmux.send(Array("\u{1B}[200~She\u{3}d\u{1B}[31m 4\u{1B}[201~".utf8))
        try tmux.untilShows("Shed[31m 4")
        try tmux.keys("Enter")
        try tmux.untilShows("1/8")
        try quit(tmux)
        #expect(try device.answer("facility", of: "CHL-3") == .string("Shed[31m 4"))
    }

    @Test("U18 Lines that are pasted into a long text are its lines, and undone in one step")
    func pastedLines() throws {
        let world = try World()
        let device = try world.enrol("device")
        let tmux = try opened(device)
        try openChiller(tmux)
        try tmux.keys("End", "Enter")
        try tmux.type("first ")
        try tmux.paste("a\nq\nd\n")
        try tmux.until("three lines") { screen in
            let lines = screen.lines.map { $0.trimmingCharacters(in: .whitespaces) }
            return lines.contains("first a") && lines.contains("q") && lines.contains("d")
        }
        try tmux.keys("C-_")
        try tmux.until("undone") { $0.text.contains("first") && !$0.text.contains("first a") }
        try tmux.paste("a\nq\nd")
        try tmux.keys("Enter")
        try tmux.untilShows("1/8")
        try quit(tmux)
        #expect(try device.answer("notes", of: "CHL-3") == .string("first a\nq\nd"))
    }

    @Test(
        "U21 U24 Taps work where the mouse is on, and one key or option leaves it to the terminal")
    func taps() throws {
        let world = try World()
        let device = try world.enrol("device")
        let tmux = try opened(device)
        #expect(try tmux.screen().mouse)
        func tap(_ text: String) throws {
            let lines = try tmux.screen().lines
            let row = try #require(lines.firstIndex { $0.contains(text) })
            let start = try #require(lines[row].range(of: text)).lowerBound
            let column = lines[row].distance(from: lines[row].startIndex, to: start)
            try tmux.send(Array("\u{1B}[<0;\(column + 1);\(row + 1)M".utf8))
            try tmux.send(Array("\u{1B}[<0;\(column + 1);\(row + 1)m".utf8))
        }
        try tap("FRZ-2")
        try tmux.until("the tapped row has the focus") { $0.cursorLine.contains("FRZ-2") }
        try tap("FRZ-2")
        try tmux.untilShows("Facility")
        try tap("Notes")
        try tmux.until("the question has the focus") { $0.cursorLine.contains("▸ Notes") }
        try tap("Notes")
        try tmux.until("its field is open") { $0.cursorShown }
        try tmux.type("a")
        try tmux.type("b")
        try tmux.untilShows(" ab")
        try tap("Sections")
        try tmux.untilShows("▸ Remarks")
        try tmux.keys("Escape")
        try tmux.until("the form again") { !$0.text.contains("─ Sections ─") }
        try tmux.keys("C-t")
        try tmux.untilShows("The mouse is off; drag selects text")
        try tmux.until("no reports") { !$0.mouse }
        try tmux.keys("C-z")
        try tmux.until("the shell's screen") { $0.isSane && $0.text.contains("Stopped") }
        try tmux.type("fg")
        try tmux.keys("Enter")
        try tmux.until("as before") { $0.alternate && !$0.mouse }
        try tmux.keys("C-t")
        try tmux.until("reports again") { $0.mouse }
        try quit(tmux)
        #expect(try device.answer("notes", of: "FRZ-2") == .string("ab"))
        let plain = try Tmux(columns: 80, rows: 24)
        try plain.untilShows("ready>")
        try plain.type(device.opening + " --no-mouse")
        try plain.keys("Enter")
        try plain.untilShows("FRZ-1")
        #expect(try !plain.screen().mouse)
        try plain.keys("F1")
        try plain.untilShows("Keys that work in")
        try plain.type("mouse")
        try plain.untilShows("while it is on, Shift+drag")
        try quit(plain)
    }

    @Test("U39 After every key the cursor is on the focused row")
    func cursor() throws {
        let world = try World()
        let device = try world.enrol("device")
        let tmux = try opened(device)
        for keys in [["Down"], ["Up"], ["Enter"], ["Down"], ["F7"], ["End"], ["F6"], ["Down"]] {
            for key in keys { try tmux.keys(key) }
            try tmux.until("the cursor on the marked row") { $0.cursorLine.contains("▸") }
        }
        try tmux.keys("Escape", "Home", "Enter")
        try tmux.type("abc")
        try tmux.until("the cursor after the text") { screen in
            let before = screen.cursorLine.prefix(screen.cursorColumn)
            return before.hasSuffix("abc") && before.contains("Facility")
        }
        try quit(tmux)
    }

    @Test("A conflict is settled by keyboard, and the decision goes out")
    func conflict() throws {
        let world = try World()
        let device = try world.enrol("device")
        let colleague = try world.enrol("colleague")
        let id = try device.inspection(of: "CHL-3")
        try colleague.run("set", id, "door_seals=pass")
        try colleague.run("sync")
        try device.run("set", id, "door_seals=fail")
        try device.run("sync", expecting: 5)
        let tmux = try opened(device)
        try tmux.untilShows("≠ conflict")
        try openChiller(tmux)
        try tmux.type("v")
        let review = try tmux.untilShows("undecided")
        #expect(review.text.contains("Pass") && review.text.contains("Fail"))
        try tmux.type("m")
        try tmux.untilShows("Settled")
        try quit(tmux)
        try device.run("sync")
        #expect(try device.status()["conflict"] == .integer(0))
        try colleague.run("sync")
        #expect(try colleague.answer("door_seals", of: "CHL-3") == .string("fail"))
    }

    @Test("V26 Nobody leaves in silence while something is not at the server")
    func unsentFarewell() throws {
        let world = try World()
        let device = try world.enrol("device")
        world.killServer()
        for asset in ["FRZ-1", "CHL-3"] {
            try device.run("set", try device.inspection(of: asset), "notes=unsent")
        }
        let tmux = try opened(device)
        try tmux.untilShows("2 pending")
        try tmux.keys("F10")
        try tmux.untilShows("2 changes are kept on this device and not at the server yet")
        #expect(try device.status()["pending"] == .integer(2))
    }

    @Test("U54 A second start names the process that holds the home; what only reads works beside")
    func secondStart() throws {
        let world = try World()
        let device = try world.enrol("device")
        let tmux = try opened(device)
        let process = try tmux.child(named: "walkdown")
        let second = try Tmux(columns: 80, rows: 20)
        try second.untilShows("ready>")
        try second.type("\(device.opening); echo code=$?")
        try second.keys("Enter")
        let refusal = try second.untilShows("code=6").text
        #expect(refusal.contains("process \(process)"))
        #expect(refusal.contains("Commands that only read work meanwhile"))
        #expect(try device.run("list").contains("CHL-3"))
        let id = try device.inspection(of: "CHL-3")
        try device.run("set", id, "notes=second", expecting: 6)
        #expect(try device.answer("notes", of: "CHL-3") == nil)
        try looksOnly(in: second, device)
        try device.run("lock")
        try tmux.untilShows("This device is locked")
        try quit(tmux)
    }

    /// The same home on another screen: everything can be seen there, and nothing changed.
    private func looksOnly(in tmux: Tmux, _ device: Device) throws {
        try tmux.type("clear; \(device.opening) --read-only")
        try tmux.keys("Enter")
        try tmux.untilShows("CHL-3")
        try tmux.keys("Enter")
        try tmux.untilShows("Facility")
        try tmux.keys("Enter")
        try tmux.untilShows("Another process holds this home; it can only be read")
        try tmux.keys("s")
        try tmux.untilShows("the process that holds this home does that")
        try tmux.keys("F10")
        try tmux.untilShows("ready>")
        #expect(try device.status()["pending"] == .integer(0))
    }
}
