internal import Arguments
internal import FieldApp
internal import Foundation
internal import Replication
internal import Sync
internal import TerminalKit
internal import Vault

enum DemoCommand {
    private static let keep = Option(
        "keep", value: "DIR",
        help: "Leave DIR/server, DIR/device and DIR/colleague when the demo ends.")
    private static let tour = Option(
        "tour", help: "Play a day as plain text, without a terminal, and check each step.")

    static let entry = Entry(
        name: "demo", summary: "A complete private trial with a server of its own.",
        discussion: """
            Starts a server on loopback with sample sites, assets and a form, enrols this device \
            and a colleague's, and opens the application. Nothing remains afterwards.
            """,
        options: [keep, tour] + ScreenCommand.options
    ) { run in
        guard !run.wantsJSON else {
            throw Failure(
                .usage, "the demo has no JSON", advice: "'walkdown list --json' and others do.")
        }
        let kept = run.invocation.value(keep.name)
        return run.invocation.has(tour.name)
            ? try playTour(run, keeping: kept) : try open(run, keeping: kept)
    }

    private static func playTour(_ run: CommandRun, keeping kept: String?) throws -> ExitCode {
        let started = run.surroundings.now()
        try run.console.write("Walkdown's tour: a day with two devices and a server of its own.\n")
        let ground = try DemoGround(
            keeping: kept, in: run.surroundings, today: today(run.surroundings))
        defer { ground.end() }
        try ground.enrol(throughRelay: true)
        try ground.device.unlock()
        try ground.colleague.unlock()
        var tour = Tour(
            in: Tour.World(
                server: ground.server, relay: ground.relay, device: ground.device,
                colleague: ground.colleague, now: run.surroundings.now,
                say: { try run.console.write($0) }))
        do {
            try tour.play()
        } catch let mismatch as Tour.Mismatch {
            throw Failure(.failed, "the tour found a fault. \(mismatch.step): \(mismatch.what)")
        }
        try ground.device.lock()
        try ground.colleague.lock()
        let seconds = (run.surroundings.now() - started + 500) / 1000
        try run.console.write("\nAll of it held, in \(seconds) seconds.\n")
        return .done
    }

    private static func open(_ run: CommandRun, keeping kept: String?) throws -> ExitCode {
        guard isatty(run.surroundings.terminal) == 1, run.console.outputIsTerminal else {
            throw Failure(
                .usage, "the demo needs a terminal",
                advice: "'walkdown demo --tour' plays it as plain text.")
        }
        try ScreenCommand.checkTerminal(run)
        let end = try show(run, keeping: kept)
        if let kept { run.console.say("The demo's server and both devices are in \(kept).") }
        return ScreenCommand.finish(end)
    }

    /// When this returns, everything that was started has ended.
    private static func show(_ run: CommandRun, keeping kept: String?) throws -> ScreenEnd {
        run.console.say("Starting a server with three sites and a dozen assets ...")
        let ground = try DemoGround(
            keeping: kept, in: run.surroundings, today: today(run.surroundings))
        defer { ground.end() }
        run.console.say("Enrolling your handheld and a colleague's ...")
        try ground.enrol(throughRelay: false)
        try ground.colleague.unlock()
        let colleague = try Colleague(ground.colleague, now: run.surroundings.now)
        var application = Application(
            home: ground.device.home, lease: try HomeLease.acquire(ground.device.home), run: run)
        application.demo = AppState.Demo(pin: DemoGround.pin)
        // A newcomer looks on for a minute or two, not for a working day.
        application.timing.interval = 8000
        let end = try application.open()
        try colleague.leave()
        return end
    }

    private static func today(_ surroundings: Surroundings) -> String {
        surroundings.today().map { "\($0)" }
            ?? String(SyncTimestamp.text(surroundings.now()).prefix(10))
    }
}
