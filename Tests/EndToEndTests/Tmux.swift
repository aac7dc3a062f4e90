import Foundation
import TestSupport
import Testing

/// A terminal of its own for one test: a tmux server with one pane. Tests wait for what the screen
/// shows or for the program's idle signal, each with a deadline, and never for time.
final class Tmux {
    let folder: TemporaryFolder
    private let socket = "walkdown-\(UUID().uuidString)"
    private let idle: Int32
    private let idlePath: String
    /// Seconds until a wait fails: far beyond what a loaded machine needs.
    private static let patience: TimeInterval = 30

    /// A pane of this size that runs `command` in sh, or an interactive bash without `command`.
    /// Programs started in it send their idle signal to this harness.
    init(
        columns: Int, rows: Int, term: String = "xterm-256color",
        environment: [String: String] = ["LANG": "C.UTF-8"], command: String? = nil
    ) throws {
        folder = try TemporaryFolder("tmux")
        idlePath = folder.file("idle")
        guard mkfifo(idlePath, 0o600) == 0 else { throw HarnessError("mkfifo: errno \(errno)") }
        idle = open(idlePath, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        var variables = environment
        variables["HOME"] = folder.path
        variables["PATH"] = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        variables["TERM"] = term.isEmpty ? nil : term
        variables["WALKDOWN_TEST_FD"] = "9"
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables["PS1"] = "ready> "
        let settings = variables.sorted { $0.key < $1.key }.map { "\($0.key)='\($0.value)'" }
        let program = command.map { "sh -c '\($0)'" } ?? "bash --norc --noprofile -i"
        try run([
            "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
            "exec 9<>'\(idlePath)'; exec env -i \(settings.joined(separator: " ")) \(program)",
        ])
        try run(["set-option", "-g", "remain-on-exit", "on"])
    }

    deinit {
        // The server may be gone already, when the pane's program ended it; either way it is gone.
        _ = try? run(["kill-server"])
        close(idle)
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        let output = folder.file("tmux.out")
        let errors = folder.file("tmux.err")
        let status = try Spawn.run(
            ["tmux", "-L", socket] + arguments, output: output, errors: errors)
        let text = String(decoding: try folder.bytes(of: "tmux.out"), as: UTF8.self)
        guard status == 0 else {
            let complaint = String(decoding: try folder.bytes(of: "tmux.err"), as: UTF8.self)
            throw HarnessError("tmux \(arguments.first ?? ""): \(complaint)")
        }
        return text
    }

    /// Ends the server and with it the terminal, as a lost connection does.
    func hangUp() throws { try run(["kill-server"]) }

    // What a person does.

    /// Keys by tmux's names: `Enter`, `C-z`, `F9`, `KP5`.
    func keys(_ names: String...) throws { try run(["send-keys"] + names) }

    /// Text as it is typed.
    func type(_ text: String) throws { try run(["send-keys", "-l", "--", text]) }

    /// Bytes as a terminal sends them.
    func send(_ bytes: [UInt8]) throws {
        try run(["send-keys", "-H"] + bytes.map { String($0, radix: 16) })
    }

    func paste(_ text: String) throws {
        try run(["set-buffer", text])
        try run(["paste-buffer", "-p"])
    }

    func resize(columns: Int, rows: Int) throws {
        try run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// What the terminal says of its size changes, as on a serial line; the pane stays as it is.
    func tellSize(columns: Int, rows: Int) throws {
        let terminal = try run(["display-message", "-p", "#{pane_tty}"])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let words = ["stty", "-F", terminal, "rows", "\(rows)", "columns", "\(columns)"]
        let status = try Spawn.run(
            words, output: folder.file("stty.out"), errors: folder.file("stty.err"))
        guard status == 0 else { throw HarnessError("\(words) ended with \(status)") }
    }

    /// Everything that the pane's programs write, escape sequences included, goes to this file.
    func record(to name: String) throws -> String {
        let path = folder.file(name)
        try run(["pipe-pane", "-o", "exec cat >> '\(path)'"])
        return path
    }

    // What a person sees.

    func screen() throws -> Screen {
        let lines = try run(["capture-pane", "-p"]).split(
            separator: "\n", omittingEmptySubsequences: false)
        let format =
            "#{alternate_on} #{cursor_flag} #{keypad_flag} #{mouse_any_flag} #{cursor_x} #{cursor_y}"
            + " #{pane_dead} #{pane_dead_status}"
        let state = try run(["display-message", "-p", format]).split { $0.isWhitespace }
        return Screen(lines: lines.map(String.init), state: state.map { Int($0) ?? -1 })
    }

    /// Waits until the screen is as wanted and returns it.
    @discardableResult
    func until(
        _ wanted: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: (Screen) -> Bool
    ) throws -> Screen {
        let deadline = Date(timeIntervalSinceNow: Tmux.patience)
        while true {
            let screen = try screen()
            if condition(screen) { return screen }
            guard Date() < deadline else {
                Issue.record("never \(wanted):\n\(screen.text)", sourceLocation: sourceLocation)
                throw HarnessError("never \(wanted)")
            }
            awaitOutput()
        }
    }

    @discardableResult
    func untilShows(
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Screen {
        try until("shows \(text)", sourceLocation: sourceLocation) { $0.text.contains(text) }
    }

    /// Waits for the program's next idle signal, or a moment where a shell runs that sends none.
    private func awaitOutput() {
        var watched = pollfd(fd: idle, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, 40) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        _ = read(idle, &bytes, bytes.count)
    }

    /// The process that the pane's shell runs in the foreground, by its name.
    func child(named name: String) throws -> Int32 {
        let shell = try run(["display-message", "-p", "#{pane_pid}"])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let deadline = Date(timeIntervalSinceNow: Tmux.patience)
        while Date() < deadline {
            for pid in children(of: shell) + [shell] where command(of: pid) == name {
                if let number = Int32(pid) { return number }
            }
            awaitOutput()
        }
        throw HarnessError("no \(name) runs in the pane")
    }

    private func children(of pid: String) -> [String] {
        let path = "/proc/\(pid)/task/\(pid)/children"
        let data = FileHandle(forReadingAtPath: path)?.readDataToEndOfFile() ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: " ").map(String.init)
    }

    private func command(of pid: String) -> String {
        let data = FileHandle(forReadingAtPath: "/proc/\(pid)/cmdline")?.readDataToEndOfFile()
        let first = (data ?? Data()).split(separator: 0).first ?? Data()
        return URL(fileURLWithPath: String(decoding: first, as: UTF8.self)).lastPathComponent
    }
}

/// A pane as a person sees it, and the terminal's state behind it.
struct Screen {
    let lines: [String]
    private let state: [Int]

    init(lines: [String], state: [Int]) {
        self.lines = lines
        self.state = state + Array(repeating: -1, count: max(0, 8 - state.count))
    }

    var text: String { lines.joined(separator: "\n") }
    var alternate: Bool { state[0] == 1 }
    var cursorShown: Bool { state[1] == 1 }
    var keypad: Bool { state[2] == 1 }
    var mouse: Bool { state[3] == 1 }
    var cursorColumn: Int { state[4] }
    var cursorRow: Int { state[5] }
    var isDead: Bool { state[6] == 1 }
    var exitStatus: Int { state[7] }

    /// The shell has its terminal back: first screen, cursor shown, no keypad or mouse modes.
    var isSane: Bool { !alternate && cursorShown && !keypad && !mouse }
    var cursorLine: String { cursorRow < lines.count ? lines[cursorRow] : "" }
}

/// Waiting for a process that is not our child.
enum Watch {
    static func isGone(_ process: Int32, within seconds: TimeInterval = 10) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while Date() < deadline {
            if kill(process, 0) != 0 { return true }
            _ = poll(nil, 0, 20)
        }
        return false
    }
}
