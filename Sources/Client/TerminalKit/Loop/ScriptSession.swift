internal import Glibc

/// Why a script could not be played to its end.
package enum ScriptFault: Error, Equatable {
    /// The text did not come in time; with what the screen showed.
    case neverShown(line: Int, text: String, screen: String)
    case cannotWrite(line: Int, path: String, errno: Int32)
}

/// A screen without a terminal, played from a script. After each step it waits until nothing is under way.
/// Main thread only.
package final class ScriptSession<App: ScreenApp> {
    private let app: App
    private let mailbox: Mailbox<App.Message>
    private var look: Look
    private var size: Size
    private var hasQuit = false

    /// Milliseconds that a text is waited for.
    private static var patience: Int64 { 30_000 }

    package init(app: App, mailbox: Mailbox<App.Message>, look: Look, size: Size) {
        self.app = app
        self.mailbox = mailbox
        self.look = look
        self.size = size
    }

    /// Plays it to its end, or until the application quits; what was typed is saved then.
    package func run(_ script: ScreenScript) throws {
        obey(app.handle(.resized(size)))
        try settle()
        defer { app.save(before: .end) }
        for (line, step) in script.steps where !hasQuit { try perform(step, line) }
    }

    private func perform(_ step: ScreenScript.Step, _ line: Int) throws {
        switch step {
        case .key(let key): try send(.key(key))
        case .text(let text):
            for scalar in text.unicodeScalars { try send(.key(.character(scalar))) }
        case .paste(let text): try send(.paste(text))
        case .scan(let text): try send(.scan(text))
        case .resize(let size):
            self.size = size
            obey(app.handle(.resized(size)))
        case .save(let path): try save(to: path, line)
        case .wait(let text): try wait(for: text, line)
        }
        try settle()
    }

    private func send(_ event: InputEvent) throws {
        guard !hasQuit else { return }
        obey(app.handle(.input(event)))
        try settle()
    }

    private func obey(_ request: ScreenRequest) {
        switch request {
        case .quit: hasQuit = true
        // A file has no colours.
        case .look(_, let tier): look.tier = tier ?? look.tier
        case .none, .repaint, .stop, .dropTypeAhead, .mouse: break
        }
    }

    /// Until no work is under way whose message will come.
    private func settle() throws {
        while app.isBusy || !mailbox.isEmpty { try takeMessages(within: 1_000) }
        // The application notes what it showed last, for taps and lists.
        _ = app.render(size: size, look: look)
    }

    private func takeMessages(within milliseconds: Int32) throws {
        var descriptor = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&descriptor, 1, milliseconds) < 0, errno != EINTR {
            throw TerminalError.poll(errno: errno)
        }
        for message in mailbox.take() { obey(app.handle(.message(message))) }
        if let due = app.timer, due <= BootClock.milliseconds() { obey(app.handle(.timer)) }
    }

    private var text: String { TextFrame.text(app.render(size: size, look: look)) }

    private func wait(for wanted: String, _ line: Int) throws {
        let end = BootClock.milliseconds() + Self.patience
        while !text.contains(wanted) {
            guard BootClock.milliseconds() < end, !hasQuit else {
                throw ScriptFault.neverShown(line: line, text: wanted, screen: text)
            }
            try takeMessages(within: 100)
        }
    }

    private func save(to path: String, _ line: Int) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ScriptFault.cannotWrite(line: line, path: path, errno: errno) }
        defer { close(file) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else {
                throw ScriptFault.cannotWrite(line: line, path: path, errno: errno)
            }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
