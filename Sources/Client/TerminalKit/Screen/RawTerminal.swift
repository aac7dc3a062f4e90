internal import CNcurses
internal import Glibc

/// A terminal that hands every key over at once and sends what it sends to the screen, without one: for
/// a look at its keys. Lines that are written to it scroll as ever. One a process; main thread only.
package final class RawTerminal {
    private let input: Int32
    private let output: Int32
    private let restore: String
    private var isOpen = true

    /// Takes it over; a fault or a signal puts it back. Throws before anything is changed where there
    /// is no terminal, or none that the screen could be drawn on.
    package init(
        input: Int32, output: Int32, speech: Int32, options: ScreenOptions
    ) throws(TerminalError) {
        let choice = try NcursesScreen.check(input: input, output: output, options: options)
        guard walkdown_screen_describe(choice.term) == 0 else {
            throw .unknownTerminal(term: choice.term)
        }
        self.input = input
        self.output = output
        // No second screen is entered, so none is left.
        restore = RestoreString.make { $0 == "rmcup" ? "" : Self.capability($0) }
        var modes = termios()
        guard tcgetattr(input, &modes) == 0 else { throw .notATerminal }
        try CrashGuard.prepare(terminal: input, speech: speech, wake: -1, farewell: "")
        CrashGuard.arm(restore: restore)
        // As raw() of ncurses, but that lines end as ever.
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        modes.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | BRKINT)
        tcsetattr(input, TCSADRAIN, &modes)
        send(RestoreString.withoutPadding(Self.capability("smkx") ?? ""))
        if restore.contains(RestoreString.modesOff) {
            send(RestoreString.pasteOn + (options.mouse ? RestoreString.mouseOn : ""))
        }
    }

    deinit { close() }

    /// What was typed; nil at the end of the input. Empty when the time was up first.
    /// - Parameter timeout: milliseconds; nil to wait for ever.
    package func read(timeout: Int64?) -> [UInt8]? {
        var watched = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        let ready = poll(&watched, 1, timeout.map { Int32(clamping: max(0, $0)) } ?? -1)
        guard ready > 0 else { return ready == 0 || errno == EINTR ? [] : nil }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(input, &buffer, buffer.count)
        if count > 0 { return Array(buffer.prefix(count)) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }

    /// The terminal as it was found.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        send(restore)
        CrashGuard.disarm()
        CrashGuard.resetModes()
        CrashGuard.end()
    }

    private static func capability(_ name: String) -> String? {
        guard let text = walkdown_screen_capability(name) else { return nil }
        return String(cString: text)
    }

    private func send(_ sequence: String) {
        // A terminal that has gone is told by the next read.
        _ = write(output, sequence, sequence.utf8.count)
    }
}
