package import Forms
package import Phrases
package import TerminalKit

/// The application on a terminal: events become messages, messages change the state, effects go to
/// their queue, and the state is drawn. Main thread only.
package final class FieldScreen: ScreenApp {
    private var state: AppState
    private var scroll = Scroll()
    private let runner: EffectRunner
    private let clock: () -> Moment
    /// What is on the screen, for taps.
    private var shown: Canvas?
    private var taps = TapReader()
    private let speak: (String) throws -> Phrasebook

    package init(
        fieldwork: any Fieldwork, mailbox: Mailbox<AppMessage>, demo: AppState.Demo? = nil,
        clock: @escaping () -> Moment = DeviceClock.moment,
        zone: ExpressionZone = DeviceClock.zone, ownKeys: OwnKeys = OwnKeys(),
        settings: ScreenSettings = ScreenSettings(),
        speak: @escaping (String) throws -> Phrasebook = { _ in .english }, notice: String? = nil
    ) {
        self.speak = speak
        self.clock = clock
        state = AppState(now: clock(), demo: demo, zone: zone)
        state.ownKeys = ownKeys
        state.settings = settings
        if let notice { state.notice = Notice(notice, .bad) }
        runner = EffectRunner(fieldwork: fieldwork, mailbox: mailbox)
    }

    /// Runs the screen until the person leaves or the terminal or the process ends; everything typed
    /// is on the disk then. Throws `TerminalError` before anything is changed where there is no
    /// terminal to draw on. After a fault `log` holds what was said.
    package static func run(
        _ screen: FieldScreen, mailbox: Mailbox<AppMessage>, options: ScreenOptions, log: String
    ) throws(TerminalError) -> ScreenEnd {
        let session = try ScreenSession(
            app: screen, mailbox: mailbox, options: options, log: log,
            farewell: "walkdown: stopped by a fault. What was stored is kept, and what was typed\n"
                + "up to a second before.\n")
        screen.state.hasMouse = options.mouse
        if let notice = session.notice { screen.state.notice = Notice(notice) }
        let end = try session.run()
        screen.runner.drain()
        screen.unsaved = mailbox.take().compactMap(\.loss)
        return end
    }

    /// Plays a script without a terminal; ends as `run` does.
    package static func play(
        _ script: ScreenScript, on screen: FieldScreen, mailbox: Mailbox<AppMessage>, look: Look,
        size: Size
    ) throws {
        defer {
            screen.runner.drain()
            screen.unsaved = mailbox.take().compactMap(\.loss)
        }
        try ScriptSession(app: screen, mailbox: mailbox, look: look, size: size).run(script)
    }

    /// After `run`: what could not be stored while the screen went down, in sentences.
    package private(set) var unsaved: [String] = []

    /// After `run`: how many changes were not at the server when the screen went; 0 where it was
    /// locked.
    package var unsent: Int { state.status.unsynced }

    // MARK: What the loop asks

    package var timer: Int64? { state.deadline }

    package var isBusy: Bool { runner.isBusy }

    package var takesSecret: Bool { state.place == .unlock }

    package func isText(_ key: KeyEvent) -> Bool { state.isText(key) }

    package func handle(_ event: ScreenEvent<AppMessage>) -> ScreenRequest {
        switch event {
        case .input(.mouse(let mouse)) where mouse.action == .press:
            receive(tapAt: mouse.position)
        case .input(let input): receive(.input(input, clock()))
        case .message(let message): receive(arrived: message)
        case .timer: receive(.tick(clock()))
        case .resized(let size): receive(.resized(size))
        // `walkdown lock` in another process (Vault's LockSignal).
        case .userSignal: receive(.lockDemanded)
        }
    }

    private func receive(tapAt position: Position) -> ScreenRequest {
        let now = clock()
        let target = shown.flatMap { taps.target(at: position, in: $0, now: now.uptime) }
        return receive(.tap(target, now))
    }

    /// A result may come long after the key that asked for it: whatever it begins, begins now.
    private func receive(arrived message: AppMessage) -> ScreenRequest {
        state.now = clock()
        return receive(message)
    }

    package func render(size: Size, look: Look) -> Canvas {
        let canvas = FieldApp.render(state, size: size, look: look, scroll: &scroll)
        shown = canvas
        return canvas
    }

    package func save(before end: ScreenPause) {
        _ = receive(end == .stop ? .suspending : .hangUp)
        runner.drain()
    }

    private func receive(_ message: AppMessage) -> ScreenRequest {
        var request = ScreenRequest.none
        for asked in runner.run(update(&state, message)) {
            switch asked {
            case .flushInput: request = .dropTypeAhead
            case .mouse(let on): request = .mouse(on: on)
            case .redraw: request = .repaint
            case .suspend: request = .stop
            case .speak(let language): request = adopt(language)
            case .look(let theme, let tier): request = .look(theme, tier)
            case .quit: return .quit
            }
        }
        return request
    }

    /// The sentences of another language, from now on.
    private func adopt(_ language: String) -> ScreenRequest {
        do {
            Phrasebook.adopt(try speak(language))
            return receive(.spoken(language))
        } catch {
            return receive(.refused(.keepSetting, StoreRefusal(.other, "\(error)")))
        }
    }
}
