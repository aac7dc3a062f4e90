internal import Arguments
internal import Crypto
internal import FieldApp
internal import Glibc
internal import Phrases
internal import Sync
internal import TerminalKit
internal import Vault

/// The bare `walkdown`: the application on this terminal.
enum ScreenCommand {
    static let mouseOptions = [
        Option(
            "no-mouse",
            help: "Leave the mouse to the terminal: taps do nothing, and dragging selects text.")
    ]

    private static let readOnly = Option(
        "read-only",
        help: "Show the home beside the process that holds it: nothing can be changed or sent.")

    /// The screen on a home of one's own.
    static let ownOptions = [readOnly, LineMode.option, ScriptFile.option] + options

    /// How to draw; the demo takes the same.
    static let options =
        mouseOptions + [
            Option("ascii", help: "Draw with ASCII characters only."),
            Option("utf8", help: "Draw with UTF-8 characters, whatever the locale says."),
            Option(
                "theme", value: "NAME", allowed: Theme.Name.allCases.map(\.rawValue),
                help: "Colours for dark or light ground, for sunlight, or none (mono)."),
        ]

    static func open(_ run: CommandRun) throws -> ExitCode {
        let script = try ScriptFile.read(run)
        if LineMode.isWanted(run), script == nil || run.invocation.has(LineMode.option.name) {
            for option in [readOnly, ScriptFile.option] where run.invocation.has(option.name) {
                throw Failure(
                    .usage, "--\(option.name) belongs to the screen and not to the line mode",
                    advice: "It is chosen by --a11y, ACCESSIBLE or TERM=dumb.")
            }
            return try LineMode.open(run)
        }
        if script == nil { try checkTerminal(run) }
        let home = try run.home()
        guard home.isEnrolled else { throw VaultError.notEnrolled }
        let lease = run.invocation.has(readOnly.name) ? nil : try HomeLease.acquire(home)
        let pin = try run.invocation.value("pin-file").map { try run.readPIN(file: $0) }
        let application = Application(home: home, lease: lease, run: run, script: script)
        let end = try application.open(unlockingWith: pin)
        return finish(end)
    }

    /// Before anything is asked or locked: where there is no terminal, nothing else matters.
    static func checkTerminal(_ run: CommandRun) throws {
        guard !run.wantsJSON else {
            throw Failure(
                .usage, "the screen has no JSON", advice: "'walkdown list --json' and others do.")
        }
        guard !(run.invocation.has("ascii") && run.invocation.has("utf8")) else {
            throw Failure(.usage, "give one of --ascii, --utf8")
        }
        _ = try NcursesScreen.check(
            input: STDIN_FILENO, output: STDOUT_FILENO, options: screenOptions(run))
    }

    /// - Parameter config: what holds where the command line says nothing.
    static func screenOptions(
        _ run: CommandRun, _ config: ConfigFile = ConfigFile("")
    ) -> ScreenOptions {
        var options = ScreenOptions(environment: run.surroundings.environment)
        options.tier = config.tier
        options.mouse = config.mouse ?? true
        options.theme = config.theme ?? .auto
        options.learned = config.learned
        let line = run.invocation
        if line.has("ascii") { options.tier = .ascii }
        if line.has("utf8") { options.tier = .utf8 }
        if line.has("no-mouse") { options.mouse = false }
        if let colour = line.value(GlobalOption.colour.name).flatMap(
            ScreenOptions.ColourChoice.init)
        {
            options.colour = colour
        }
        if let theme = line.value("theme").flatMap(Theme.Name.init) { options.theme = theme }
        return options
    }

    /// A process that was asked to end by a signal ends by it, so that whoever asked sees that.
    static func finish(_ end: ScreenEnd) -> ExitCode {
        if case .signal(let number) = end { CrashGuard.die(of: number) }
        return .done
    }
}

/// One run of the application on a home, which it may write with the lease alone.
struct Application {
    let home: Home
    let lease: HomeLease?
    let run: CommandRun
    var demo: AppState.Demo?
    var timing = Schedule.Timing()
    /// Played instead of what a person does.
    var script: ScreenScript?

    /// Returns when the screen is gone and everything is on the disk and locked.
    func open(unlockingWith pin: SecretBytes? = nil) throws -> ScreenEnd {
        let mailbox = try Mailbox<AppMessage>()
        let fieldwork = DeviceFieldwork(
            home: home, lease: lease, sources: run.storeSources, timing: timing,
            bootNow: run.surroundings.bootNow, keeper: ConfigKeeper(home: home),
            version: Release.version, post: { mailbox.post($0) })
        defer { fieldwork.lock() }
        if let pin {
            defer { pin.erase() }
            try unlock(fieldwork, pin, mailbox)
        }
        let config = ConfigFile.read(of: home.directory)
        for trouble in config.told { run.console.say("walkdown: " + trouble) }
        let environment = run.surroundings.environment
        let options = ScreenCommand.screenOptions(run, config)
        let screen = FieldScreen(
            fieldwork: fieldwork, mailbox: mailbox, demo: demo, ownKeys: config.keys,
            settings: settings(options, adopt(config.language)),
            speak: {
                try (ScreenLanguage(rawValue: $0) ?? .english).book(environment: environment)
            },
            notice: config.notice)
        let log = WarningLog(home.directory + "/walkdown.log")
        log.shorten()
        let before = log.size
        let end = try show(screen, mailbox, options, log)
        if log.size > before { run.console.say("walkdown: warnings are in \(log.path)") }
        log.shorten()
        for sentence in screen.unsaved { run.console.say("walkdown: " + sentence) }
        if screen.unsent > 0 {
            let changes = counted(screen.unsent, "change is", "changes are")
            run.console.say("walkdown: \(changes) kept on this device and not at the server yet")
        }
        guard screen.unsaved.isEmpty else {
            throw Failure(.failed, "not everything could be stored")
        }
        return end
    }

    private func settings(
        _ options: ScreenOptions, _ language: ScreenLanguage
    ) -> ScreenSettings {
        var settings = ScreenSettings()
        let offered = ScreenLanguage.allCases.filter { $0 != .stretched || language == .stretched }
        settings.languages = offered.map { .init(code: $0.rawValue, name: $0.name) }
        settings.language = language.rawValue
        settings.theme = options.theme
        settings.tier = options.tier
        return settings
    }

    /// The language that is set, or that the locale asks for; English where its sentences are not here.
    private func adopt(_ set: ScreenLanguage?) -> ScreenLanguage {
        let environment = run.surroundings.environment
        let language = set ?? .wanted(by: environment) ?? .english
        do {
            Phrasebook.adopt(try language.book(environment: environment))
            return language
        } catch {
            let failure = Walkdown.renderer.failure(for: error)
            run.console.say("walkdown: \(failure.sentence)")
            Phrasebook.adopt(.english)
            return .english
        }
    }

    private func show(
        _ screen: FieldScreen, _ mailbox: Mailbox<AppMessage>, _ options: ScreenOptions,
        _ log: WarningLog
    ) throws -> ScreenEnd {
        guard let script else {
            return try FieldScreen.run(screen, mailbox: mailbox, options: options, log: log.path)
        }
        try FieldScreen.play(
            script, on: screen, mailbox: mailbox,
            look: Look(tier: options.tier ?? .utf8, theme: .mono),
            size: Size(columns: 80, rows: 24))
        return .quit
    }

    /// With a PIN from a file there is nothing to ask on the screen; a wrong one ends here.
    private func unlock(
        _ fieldwork: DeviceFieldwork, _ pin: SecretBytes, _ mailbox: Mailbox<AppMessage>
    ) throws {
        do throws(UnlockRefusal) {
            try fieldwork.unlock(pin)
        } catch {
            throw Failure(.locked, error.sentence)
        }
        mailbox.post(.unlocked)
    }
}

extension UnlockRefusal {
    fileprivate var sentence: String {
        switch self {
        case .wrongPIN: "the PIN is wrong"
        case .wrongPINAndWait(let seconds):
            "the PIN is wrong; the next try is possible in \(seconds) seconds"
        case .wrongPINOfOne(let seconds):
            "the PIN is wrong, or the key slot that can be read is of before the last new PIN: try the"
                + " earlier one; the next try is possible in \(seconds) seconds"
        case .delayed(let seconds): "the next try is possible in \(seconds) seconds"
        case .tooShort: "a PIN has 6 to 128 bytes"
        case .failed(let reason): reason
        }
    }
}
