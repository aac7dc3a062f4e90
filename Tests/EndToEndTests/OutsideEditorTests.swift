import Coding
import Foundation
import TestSupport
import Testing

/// A long text in the person's own editor, on a real terminal.
@Suite("The person's own editor on the terminal", .serialized)
final class OutsideEditorTests {
    private let world: World
    private let device: Device
    /// In memory, and this test's alone.
    private let runtime = "/dev/shm/walkdown-test-\(UUID().uuidString)"

    init() throws {
        world = try World()
        device = try world.enrol("device")
        guard mkdir(runtime, 0o700) == 0 else { throw HarnessError("mkdir: errno \(errno)") }
    }

    deinit { rmdir(runtime) }

    /// The notes are open and hold `rust`, and the editor is a script of these lines; the file is `$1`.
    private func typing(with script: String) throws -> Tmux {
        let path = try world.folder.write("#!/bin/sh\n" + script + "\n", to: "editor")
        guard chmod(path, 0o700) == 0 else { throw HarnessError("chmod: errno \(errno)") }
        let tmux = try Tmux(
            columns: 80, rows: 24,
            environment: ["LANG": "C.UTF-8", "EDITOR": path, "XDG_RUNTIME_DIR": runtime])
        try tmux.untilShows("ready>")
        try tmux.type(device.opening)
        try tmux.keys("Enter")
        try tmux.untilShows("FRZ-1")
        try tmux.keys("Enter")
        try tmux.untilShows("Facility")
        try tmux.keys("End", "Enter")
        try tmux.keys("C-u")
        try tmux.type("rust")
        try tmux.untilShows("rust")
        return tmux
    }

    private func quit(_ tmux: Tmux) throws {
        try tmux.keys("F10")
        try tmux.until("the shell's screen") { $0.isSane && $0.text.contains("ready>") }
        #expect(try leftovers() == [])
    }

    /// What is left of the files that texts were handed over in.
    private func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: runtime)
    }

    @Test("U53 it gets a terminal as the shell has it, and what it saved is the answer's text")
    func edited() throws {
        let tmux = try typing(
            with: """
                ls -l "$1" | cut -c1-10
                stty -a | grep -o ' icanon\\| echo ' | tr -d '\\n'
                echo; echo asks; read line
                printf ' on the %s\\n' "$line" >> "$1"
                touch "$1~"
                """)
        try tmux.keys("C-o")
        let inside = try tmux.untilShows("asks")
        #expect(inside.text.contains("-rw-------") && inside.text.contains("icanon"))
        #expect(!inside.mouse && !inside.keypad)
        try tmux.type("hinge")
        try tmux.keys("Enter")
        try tmux.until("the text is back") { $0.alternate && $0.text.contains("rust on the hinge") }
        #expect(try tmux.screen().mouse)
        try tmux.keys("Enter")
        try tmux.untilShows("1/8")
        try quit(tmux)
        #expect(try device.answer("notes", of: "CHL-3") == .string("rust on the hinge"))
    }

    @Test("U53 an editor that is killed, fails or stops comes back to the same screen")
    func ends() throws {
        let tmux = try typing(
            with: """
                printf ' and more' >> "$1"
                echo asks; read line
                case $line in
                kill) kill -9 $$ ;;
                stop) kill -TSTP 0; echo goes on; read line; exit 3 ;;
                esac
                """)
        try tmux.keys("C-o")
        try tmux.untilShows("asks")
        try tmux.type("kill")
        try tmux.keys("Enter")
        let killed = try tmux.untilShows("rust and more")
        #expect(killed.text.contains("The editor was killed"))
        try tmux.keys("C-o")
        try tmux.untilShows("asks")
        try tmux.type("stop")
        try tmux.keys("Enter")
        try tmux.untilShows("Stopped")
        try tmux.type("fg")
        try tmux.keys("Enter")
        try tmux.untilShows("goes on")
        try tmux.keys("Enter")
        let failed = try tmux.untilShows("The editor ended with 3; the text is as it was")
        #expect(failed.text.contains("rust and more") && failed.alternate)
        try quit(tmux)
    }

    @Test("U53 who ends the application ends the editor too, and the text is a draft")
    func ended() throws {
        let tmux = try typing(with: "printf ' saved' >> \"$1\"; echo asks; read line")
        try tmux.keys("C-o")
        try tmux.untilShows("asks")
        #expect(kill(try tmux.child(named: "walkdown"), SIGTERM) == 0)
        try tmux.until("the shell's screen") { $0.isSane && $0.cursorLine.contains("ready>") }
        #expect(try leftovers() == [])
        #expect(try device.run("sql", "SELECT text FROM draft").contains("rust saved"))
    }
}
