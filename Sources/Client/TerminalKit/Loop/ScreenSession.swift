/// The screen from its start to its end: error redirection, signals, terminal, loop, and all of it
/// undone in the reverse order. Main thread only.
package final class ScreenSession<App: ScreenApp> {
    private let app: App
    private let screen: NcursesScreen
    private let loop: EventLoop<App.Message>
    private let errors: ErrorRedirection
    private let idle: IdleSignal?
    private var burst = BurstCollector()
    private var shown: Canvas?
    private var frame = 0

    /// A sentence for the person when TERM is not known here.
    package var notice: String? { screen.notice }

    /// Takes the terminal over. `log` receives standard error; after a fault `farewell` is said.
    /// Throws before anything is changed when there is no terminal to draw on.
    package init(
        app: App, mailbox: Mailbox<App.Message>, options: ScreenOptions, log: String,
        farewell: String, input: Int32 = 0, output: Int32 = 1
    ) throws(TerminalError) {
        _ = try NcursesScreen.check(input: input, output: output, options: options)
        self.app = app
        idle = IdleSignal(options.testDescriptor)
        var decoder = InputDecoder()
        decoder.learned = options.learned
        loop = try EventLoop(input: input, mailbox: mailbox, decoder: decoder)
        errors = try ErrorRedirection(to: log)
        try CrashGuard.prepare(
            terminal: input, speech: errors.real, wake: loop.wake, farewell: farewell)
        do {
            screen = try NcursesScreen(input: input, output: output, options: options)
        } catch {
            CrashGuard.end()
            throw error
        }
    }

    /// Runs until the application quits or the terminal or the process ends.
    package func run() throws(TerminalError) -> ScreenEnd {
        defer { end() }
        _ = app.handle(.resized(screen.size))
        paint()
        while true {
            loop.takesSecret = app.takesSecret
            loop.timer = [app.timer, burst.deadline].compactMap { $0 }.min()
            if let idle, !app.isBusy, burst.isIdle, try loop.isDrained() { idle.send(frame: frame) }
            for event in try loop.wait() {
                if let end = take(event) { return end }
            }
            paint()
        }
    }

    private func end() {
        screen.close()
        CrashGuard.end()
    }

    private func take(_ event: EventLoop<App.Message>.Event) -> ScreenEnd? {
        switch event {
        case .input(let input):
            return deliver(burst.take(input, at: BootClock.milliseconds(), isText: isText(input)))
        case .message(let message): return obey(app.handle(.message(message)))
        case .timer:
            // Whichever of the two it was for: a tick that comes early changes nothing.
            return deliver(burst.expire(at: BootClock.milliseconds())) ?? obey(app.handle(.timer))
        case .userSignal: return obey(app.handle(.userSignal))
        case .resize:
            screen.resize()
            return obey(app.handle(.resized(screen.size)))
        case .stop: return obey(.stop)
        case .resumed:
            screen.retake()
            shown = nil
            if let due = app.timer, due <= BootClock.milliseconds() { _ = app.handle(.timer) }
            return obey(app.handle(.resized(screen.size)))
        case .ending(let signal):
            app.save(before: .end)
            return .signal(signal)
        case .inputEnded:
            app.save(before: .end)
            return .inputEnded
        }
    }

    private func isText(_ input: InputEvent) -> Bool {
        guard case .key(let key) = input else { return false }
        return app.isText(key)
    }

    private func deliver(_ inputs: [InputEvent]) -> ScreenEnd? {
        for input in inputs {
            if let end = obey(app.handle(.input(input))) { return end }
        }
        return nil
    }

    private func obey(_ request: ScreenRequest) -> ScreenEnd? {
        switch request {
        case .none: break
        case .repaint:
            screen.repaintNext()
            shown = nil
        case .stop:
            app.save(before: .stop)
            screen.stopProcess()
            shown = nil
            // What fell due meanwhile comes before anything is drawn: the lock above all.
            if let due = app.timer, due <= BootClock.milliseconds() { _ = app.handle(.timer) }
            return obey(app.handle(.resized(screen.size)))
        case .dropTypeAhead:
            loop.dropTypeAhead()
            burst = BurstCollector()
        case .mouse(let on): screen.setMouse(on: on)
        case .look(let theme, let tier): screen.setLook(theme, tier)
        case .quit: return .quit
        }
        return nil
    }

    /// One paint for all that happened since the last; none when the picture is the same.
    private func paint() {
        let canvas = app.render(size: screen.size, look: screen.look)
        guard canvas != shown else { return }
        screen.show(canvas)
        shown = canvas
        frame += 1
    }
}
