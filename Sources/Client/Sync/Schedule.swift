/// When the next cycle begins: a value that is told what happened and answers how long to wait.
/// Milliseconds; `now` is the wall clock, see `Backoff` for what happens when it is set.
package struct Schedule: Equatable, Sendable {
    package enum Wake: Equatable, Sendable {
        case started
        /// An answer was accepted on the screen; several in a row go in one cycle.
        case edited
        /// The network came (back), perhaps to go again at once.
        case reconnected
        /// A person asks: our own backoff does not count, the server's floor does.
        case demanded
    }

    package struct Timing: Equatable, Sendable {
        /// From the first edit, so that somebody who types on and on is not forgotten.
        package var afterEdit: Int64 = 1000
        /// From the last change of the network.
        package var afterReconnect: Int64 = 5000
        /// By chance up to so much more, for the network comes back to all devices of a place at once.
        package var reconnectSpread: Int64 = 10_000
        /// Between cycles when nothing happens; up to a quarter more by chance, so that devices that
        /// began together do not stay together.
        package var interval: Int64 = 60_000
        /// So many intervals make one while the battery is low.
        package var savingFactor: Int64 = 4

        package init() {}
    }

    package let timing: Timing
    /// What a cycle costs beside time. On a metered connection only what a person begins goes: the
    /// start and *sync now*; with a low battery the timer is slower.
    package var conditions = DeviceConditions()
    /// Switched off for good by whoever has the device: nothing goes but what a person asks for.
    package var isBackgroundOff = false
    package private(set) var backoff: Backoff
    private var due: Int64?
    private var isDemanded = false
    /// The server revoked this device: only a person's wish asks again.
    private var isRevoked = false

    package init(timing: Timing = Timing(), floor: Int64? = nil) {
        self.timing = timing
        backoff = Backoff(floor: floor)
    }

    /// - Parameter random: uniform in 0 ..< its argument.
    package mutating func wake(_ reason: Wake, now: Int64, random: (Int64) -> Int64) {
        switch reason {
        // Somebody has just opened the application, or begun to watch.
        case .started:
            isDemanded = isDemanded || !isBackgroundOff
            bring(to: now)
        case .edited: bring(to: now + timing.afterEdit)
        case .reconnected:
            // The old failures were of the old network.
            backoff = Backoff(floor: backoff.floor)
            due = now + timing.afterReconnect + random(timing.reconnectSpread + 1)
        case .demanded:
            isDemanded = true
            bring(to: now)
        }
    }

    /// Milliseconds until a cycle begins; nil for not before something happens.
    package func delay(now: Int64) -> Int64? {
        if isDemanded { return backoff.remainingFloor(now: now) }
        guard let due, !isRevoked, !conditions.isMetered, !isBackgroundOff else { return nil }
        // An instant further ahead than any that is ever set is left from before a clock change.
        let own = due - now > Backoff.ceiling ? 0 : max(0, due - now)
        return max(own, backoff.remaining(now: now))
    }

    /// A cycle begins: whatever asked for one is answered by it; what comes from now on is not.
    package mutating func begin() {
        due = nil
        isDemanded = false
    }

    /// - Parameter random: uniform in 0 ..< its argument.
    package mutating func ended(
        _ outcome: CycleOutcome, madeProgress: Bool, now: Int64, random: (Int64) -> Int64
    ) {
        if madeProgress { backoff.progressed() }
        isRevoked = false
        switch outcome {
        case .synced: backoff.progressed()
        case .unproven: break
        case .cancelled: return
        case .storeFailed: backoff.failed(now: now, random: random)
        case .refused(let refusal):
            isRevoked = refusal.kind == .revoked
            backoff.failed(
                now: now, retryAfterSeconds: refusal.retryAfterSeconds, random: random)
            return bring(to: now)
        }
        let interval = timing.interval * (conditions.isBatteryLow ? timing.savingFactor : 1)
        // Never so far ahead that it would be taken for what a clock change left behind.
        bring(to: now + min(interval + random(interval / 4 + 1), Backoff.ceiling))
    }

    private mutating func bring(to instant: Int64) {
        due = min(due ?? instant, instant)
    }
}
