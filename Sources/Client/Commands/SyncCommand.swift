internal import Arguments
internal import Coding
internal import LocalStore
internal import Sync

enum SyncCommand {
    static let entry = Entry(
        name: "sync", summary: "One cycle: push what waits, pull what is new.",
        discussion: """
            One that takes longer says on standard error how far it has come. Stopped halfway, it \
            goes on with the next one where it was. Exits 4 where not everything was exchanged, 5 where all was but conflicts, failed \
            rows or rows in review need a person. With --watch it holds the home: others read \
            meanwhile, and what would write exits 6. With --background nothing is exchanged now: \
            off, the application sends and fetches only when 's' asks it to, until it is on again.
            """,
        options: [
            Option(
                "watch",
                help: "Go on: a cycle now, when the network returns, and every minute, until"
                    + " SIGINT or SIGTERM."),
            BackgroundSync.option,
        ]
    ) { run in
        if let wanted = run.invocation.value(BackgroundSync.option.name) {
            return try BackgroundSync.set(wanted, run)
        }
        if run.invocation.has("watch") { return try SyncWatch.run(run) }
        let (report, isOn) = try run.withStore(for: .writing) { store in
            (try run.synchronise(store), try store.syncsInBackground())
        }
        try run.emit(report.json(background: isOn)) { report.lines }
        if !isOn { run.console.say(BackgroundSync.askedFor) }
        if let notice = report.notice { run.console.say(notice) }
        if let failure = report.failure {
            run.say(failure)
            return failure.exitCode
        }
        return report.needsPerson ? .needsPerson : .done
    }
}

extension CommandRun {
    /// One cycle now.
    /// - Parameter transport: nil for one to the server that the device is enrolled with.
    func synchronise(
        _ store: DeviceStore, by transport: (any Transport)? = nil
    ) throws -> CycleReport {
        Cycle.runOnDemand(
            replica: store, transport: try transport ?? store.transport(), now: surroundings.now
        ) { console.say($0.words) }
    }
}

extension CycleProgress {
    /// `sent 1250 of 50000`, and what came.
    var words: String {
        let sent = toPush > 0 ? ["sent \(pushed) of \(toPush)"] : []
        let fetched = pulled > 0 ? ["fetched " + counted(pulled, "record", "records")] : []
        return (sent + fetched).joined(separator: ", ")
    }
}

extension CycleReport {
    var needsPerson: Bool { conflicts + failed + inReview > 0 }

    func json(background isOn: Bool) -> JSON {
        [
            "backgroundSync": .bool(isOn),
            "pushed": .integer(Int64(pushed)), "pulled": .integer(Int64(pulled)),
            "conflicts": .integer(Int64(conflicts)), "failed": .integer(Int64(failed)),
            "inReview": .integer(Int64(inReview)), "complete": .bool(isComplete),
            "pending": .integer(Int64(waiting.pending + waiting.inFlight)),
            "message": JSON(failure?.sentence), "notice": JSON(notice),
        ]
    }

    var lines: String {
        """
        pushed     \(pushed)
        pulled     \(pulled)
        conflicts  \(conflicts)
        failed     \(failed)
        in review  \(inReview)
        complete   \(isComplete ? "yes" : "no")

        """
    }

    /// What the cycle did that a person should know of; nil where there is nothing.
    var notice: String? {
        guard hasNewNode else { return nil }
        return "The server knows a copy of this device; this one goes on under an id of its own,"
            + " and nothing was lost."
    }

    /// Why the cycle did not come to its end; nil where it did.
    var failure: Failure? {
        switch outcome {
        case .synced: nil
        case .unproven(let sites) where sites.isEmpty:
            Failure(.syncIncomplete, "the server did not say what it holds")
        case .unproven(let sites):
            Failure(
                .syncIncomplete,
                "this device and the server differ at " + counted(sites.count, "site", "sites"),
                advice: "'walkdown sync' again; what waits stays in the queue.")
        case .cancelled: Failure(.syncIncomplete, "stopped before the end")
        case .storeFailed(let reason):
            Failure(.locked, "the store: " + reason, advice: "Nothing was taken from the queue.")
        case .refused(let refusal): SyncWords.failure(for: refusal)
        }
    }
}
