internal import CSystem
package import Crypto
internal import Glibc

/// Asks for a PIN on a terminal, without echo. While it waits, the signals that end or stop a
/// program are taken as data (signalfd(2)): the terminal is put right first, then the signal has
/// its usual effect; after `fg` the question is asked again.
///
/// For the main thread, before a screen owns the terminal.
package struct TerminalPrompt {
    private let terminal: Int32
    private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP]

    package init(terminal: Int32 = STDIN_FILENO) {
        self.terminal = terminal
    }

    package var isTerminal: Bool { isatty(terminal) == 1 }

    package func ask(_ question: String) throws(VaultError) -> SecretBytes {
        guard isTerminal else { throw .noPIN }
        var waited = sigset_t()
        sigemptyset(&waited)
        for signal in Self.signals { sigaddset(&waited, signal) }
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &waited, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let arrivals = signalfd(-1, &waited, Int32(SFD_CLOEXEC))
        guard arrivals >= 0 else { throw .failed("wait for signals at", "the terminal") }
        defer { close(arrivals) }
        return try readHidden(question, arrivals)
    }

    /// The new PIN, typed twice.
    package func askTwice(_ question: String, again: String) throws(VaultError) -> SecretBytes {
        let first = try ask(question)
        let second = try ask(again)
        guard first == second else { throw .unusablePIN(.notRepeated) }
        return first
    }

    private func readHidden(
        _ question: String, _ arrivals: Int32
    ) throws(VaultError) -> SecretBytes {
        while true {
            let shown = try hideTyping()
            write(question)
            let isTyped = wait(arrivals)
            if isTyped {
                defer { restore(shown) }
                return try PINReader.readLine(terminal)
            }
            restore(shown)
            deliver(arrivals)
        }
    }

    /// True when a line is there; false when a signal came first.
    private func wait(_ arrivals: Int32) -> Bool {
        var watched = [
            pollfd(fd: arrivals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&watched, 2, -1) < 0 {
            // Only EINTR is possible here: both descriptors are open and the array is ours.
        }
        return watched[0].revents == 0
    }

    private func hideTyping() throws(VaultError) -> termios {
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { throw .failed("read", "the terminal") }
        let shown = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        settings.c_lflag |= tcflag_t(ICANON | ISIG)
        // Drops what was typed before the question, as getpass(3) does.
        guard tcsetattr(terminal, TCSAFLUSH, &settings) == 0 else {
            throw .failed("set", "the terminal")
        }
        return shown
    }

    private func restore(_ settings: termios) {
        var settings = settings
        // A terminal that has gone needs no restoring.
        tcsetattr(terminal, TCSADRAIN, &settings)
        write("\n")
    }

    private func write(_ text: String) {
        // The question is a courtesy: where it cannot be written, the answer can still be typed.
        _ = Glibc.write(terminal, text, text.utf8.count)
    }

    /// Lets the signal that came do what it does without us.
    private func deliver(_ arrivals: Int32) {
        var arrival = signalfd_siginfo()
        guard read(arrivals, &arrival, MemoryLayout<signalfd_siginfo>.size) > 0 else { return }
        let number = Int32(arrival.ssi_signo)
        var one = sigset_t()
        sigemptyset(&one)
        sigaddset(&one, number)
        raise(number)
        pthread_sigmask(SIG_UNBLOCK, &one, nil)
        // Here again after `fg`, or because somebody handles the signal.
        pthread_sigmask(SIG_BLOCK, &one, nil)
    }
}
