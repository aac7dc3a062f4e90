internal import Dispatch
internal import Synchronization

/// What the screen shows of synchronisation.
package enum SyncState: Equatable, Sendable {
    case syncing
    /// Running still, and so far: at most twice a second.
    case moving(CycleProgress)
    /// Not running; nil before the first cycle has ended.
    case resting(CycleReport?)
    /// Switched off by hand.
    case off
}

/// Runs cycles in the background: on start, after edits, when the network returns, by a timer and
/// on demand, one at a time.
///
/// One serial queue does all the work, so that two cycles never run at once in a process; between
/// processes the home's lease sees to that. The small state that other threads touch is behind a
/// `Mutex`, which is never held while anything blocks.
package final class SyncWorker: Sendable {
    private struct Inner: Sendable {
        var schedule: Schedule
        var running: (any Transport)?
        var isOff = false
        var isStopped = false
        var last: CycleReport?
        /// Only the timer that was armed last counts.
        var armed = 0
        var keptFloor: Int64?

        func mayFire(_ number: Int) -> Bool { armed == number && !isStopped && !isOff }
    }

    private let replica: any Replica
    private let connect: @Sendable () -> any Transport
    private let now: @Sendable () -> Int64
    private let random: @Sendable (Int64) -> Int64
    private let report: @Sendable (SyncState) -> Void
    private let queue = DispatchQueue(label: "walkdown.sync", qos: .utility)
    private let inner: Mutex<Inner>

    /// - Parameters:
    ///   - connect: makes the transport of one cycle.
    ///   - now: milliseconds of the wall clock.
    ///   - random: uniform in 0 ..< its argument.
    ///   - report: called on the worker's queue; it must not call `stop`.
    package init(
        replica: any Replica, connect: @escaping @Sendable () -> any Transport,
        timing: Schedule.Timing = Schedule.Timing(), now: @escaping @Sendable () -> Int64,
        random: @escaping @Sendable (Int64) -> Int64,
        report: @escaping @Sendable (SyncState) -> Void
    ) {
        self.replica = replica
        self.connect = connect
        self.now = now
        self.random = random
        self.report = report
        // A floor that cannot be read is one request that the server refuses once more.
        let floor = try? replica.retryFloor()
        inner = Mutex(Inner(schedule: Schedule(timing: timing, floor: floor), keptFloor: floor))
    }

    /// Asks for a cycle. From any thread; returns at once.
    package func wake(_ reason: Schedule.Wake) {
        let now = now()
        inner.withLock { $0.schedule.wake(reason, now: now, random: random) }
        arm()
    }

    /// What a cycle costs from now on. What waited for a cheaper moment goes when it comes.
    package func note(_ conditions: DeviceConditions) {
        inner.withLock { $0.schedule.conditions = conditions }
        arm()
    }

    /// The lasting setting: off, only what a person asks for goes; on, what was due goes.
    package func setBackground(on isOn: Bool) {
        inner.withLock { $0.schedule.isBackgroundOff = !isOn }
        arm()
    }

    /// The network switch: off ends a running call and begins none, on begins a cycle at once.
    package func setOnline(_ isOnline: Bool) {
        let running = inner.withLock { inner -> (any Transport)? in
            inner.isOff = !isOnline
            return isOnline ? nil : inner.running
        }
        running?.cancel()
        if isOnline { return wake(.demanded) }
        queue.async { [weak self] in self?.tellRest() }
    }

    /// Ends a running cycle and waits for it; none begins afterwards. Before the store closes.
    package func stop() {
        dispatchPrecondition(condition: .notOnQueue(queue))
        let running = inner.withLock { inner -> (any Transport)? in
            inner.isStopped = true
            return inner.running
        }
        running?.cancel()
        queue.sync {}
    }

    /// Sets the one timer to when the schedule wants it.
    private func arm() {
        let now = now()
        let next = inner.withLock { inner -> (delay: Int64, number: Int)? in
            guard !inner.isStopped, !inner.isOff, inner.running == nil,
                let delay = inner.schedule.delay(now: now)
            else { return nil }
            inner.armed += 1
            return (delay, inner.armed)
        }
        guard let next else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(next.delay))) { [weak self] in
            self?.fire(next.number)
        }
    }

    private func fire(_ number: Int) {
        // A stopped worker's store may be closed: it makes no transport any more.
        guard inner.withLock({ $0.mayFire(number) }) else { return }
        let transport = connect()
        let mayRun = inner.withLock { inner in
            guard inner.mayFire(number) else { return false }
            inner.schedule.begin()
            inner.running = transport
            return true
        }
        guard mayRun else { return }
        report(.syncing)
        var pace = ProgressPace(startingAt: now())
        let cycle = Cycle(replica: replica, transport: transport) { [report, now] count in
            pace.tell(at: now(), count) { report(.moving($0)) }
        } shouldStop: { [weak self] in
            self?.inner.withLock { $0.isStopped || $0.isOff } ?? true
        }
        let result = cycle.run()
        ended(result)
        tellRest()
        result.keepUp(replica) { [weak self] in self?.isIdle ?? false }
        arm()
    }

    /// Nobody waits for a cycle.
    private var isIdle: Bool {
        let now = now()
        return inner.withLock { inner in
            !inner.isStopped && !inner.isOff && inner.schedule.delay(now: now) != 0
        }
    }

    private func ended(_ result: Cycle.Result) {
        let now = now()
        let floor = inner.withLock { inner -> Int64?? in
            inner.running = nil
            inner.last = result.report
            inner.schedule.ended(
                result.report.outcome, madeProgress: result.madeProgress, now: now,
                random: random)
            let floor = inner.schedule.backoff.floor
            guard floor != inner.keptFloor else { return nil }
            inner.keptFloor = floor
            return .some(floor)
        }
        result.keep(floor: floor, in: replica, at: now)
    }

    private func tellRest() {
        report(inner.withLock { $0.isOff ? .off : .resting($0.last) })
    }
}

extension Cycle.Result {
    /// - Parameter floor: nil leaves the kept one as it is.
    func keep(floor: Int64??, in replica: any Replica, at now: Int64) {
        // Both are notes about the cycle, not part of it: the next one writes them again.
        try? replica.note(report, at: now)
        if let floor { try? replica.keepRetryFloor(floor) }
    }

    /// What is left of the day's work when all is exchanged: no cycle depends on it.
    func keepUp(_ replica: any Replica, while goOn: () -> Bool) {
        guard report.outcome == .synced else { return }
        // What was not done is done after the next cycle; the store's log tells support.
        try? replica.keepUp(while: goOn)
    }
}

extension Cycle {
    /// `walkdown sync`: one cycle now. Our own backoff does not count; a server that asked for
    /// time gets it, also from the next process.
    ///
    /// - Parameter progress: told at most twice a second.
    package static func runOnDemand(
        replica: any Replica, transport: any Transport, now: @escaping () -> Int64,
        progress: @escaping (CycleProgress) -> Void = { _ in }
    ) -> CycleReport {
        do {
            let started = Backoff(floor: try replica.retryFloor())
            let wait = started.remainingFloor(now: now())
            if wait > 0 {
                let refusal = Refusal(.busy, retryAfterSeconds: (wait + 999) / 1000)
                var report = CycleReport(outcome: .refused(refusal))
                report.waiting = try replica.outboxCounts()
                return report
            }
        } catch {
            return CycleReport(outcome: .storeFailed("\(error)"))
        }
        var pace = ProgressPace(startingAt: now())
        let cycle = Cycle(replica: replica, transport: transport) { count in
            pace.tell(at: now(), count, progress)
        }
        let result = cycle.run()
        let ended = now()
        var backoff = Backoff()
        if case .refused(let refusal) = result.report.outcome {
            backoff.failed(now: ended, retryAfterSeconds: refusal.retryAfterSeconds) { _ in 0 }
        }
        result.keep(floor: .some(backoff.floor), in: replica, at: ended)
        result.keepUp(replica) { true }
        return result.report
    }
}
