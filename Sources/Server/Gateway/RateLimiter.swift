import Synchronization

/// How much the gateway takes before it says *later*.
struct Rates: Sendable {
    struct Rate: Sendable {
        /// Requests at once after a pause.
        var burst: Double
        var perSecond: Double

        init(burst: Double, perSecond: Double) {
            self.burst = burst
            self.perSecond = perSecond
        }
    }

    /// Of one device. A day's work drains in some dozen requests; a client that runs in a circle
    /// makes thousands.
    var device = Rate(burst: 1000, perSecond: 200)
    /// Wrong enrolment codes from one address.
    var failedEnrolment = Rate(burst: 10, perSecond: 0.1)
    /// Requests that are worked on at one time. Each may hold a body of 8 MiB, unpacked.
    var threads = 2
    /// Requests that wait for a thread.
    var waitingRequests = 256

    init() {}
}

/// A bucket of tokens for each key that refills with time.
final class RateLimiter: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Bucket {
        var tokens: Double
        var filled: Instant
    }

    /// Keys that are remembered at most; full buckets are forgotten first.
    static let mostKeys = 10_000

    private let rate: Rates.Rate
    private let now: @Sendable () -> Instant
    private let buckets = Mutex<[String: Bucket]>([:])

    init(_ rate: Rates.Rate, now: @escaping @Sendable () -> Instant = { .now }) {
        self.rate = rate
        self.now = now
    }

    /// Takes a token.
    ///
    /// - Returns: nil when there was one, else the whole seconds until there is.
    func take(_ key: String) -> Int? {
        use(key, taking: 1)
    }

    /// As `take`, but takes nothing.
    func look(_ key: String) -> Int? {
        use(key, taking: 0)
    }

    private func use(_ key: String, taking count: Double) -> Int? {
        let instant = now()
        return buckets.withLock { buckets in
            if buckets.count >= Self.mostKeys { forgetFull(&buckets, at: instant) }
            var bucket = refilled(buckets[key], at: instant)
            defer { buckets[key] = bucket }
            guard bucket.tokens >= 1 else {
                return Int(((1 - bucket.tokens) / rate.perSecond).rounded(.up))
            }
            bucket.tokens -= count
            return nil
        }
    }

    private func refilled(_ bucket: Bucket?, at instant: Instant) -> Bucket {
        guard let bucket else { return Bucket(tokens: rate.burst, filled: instant) }
        let passed = (instant - bucket.filled) / .seconds(1)
        return Bucket(
            tokens: min(rate.burst, bucket.tokens + passed * rate.perSecond), filled: instant)
    }

    private func forgetFull(_ buckets: inout [String: Bucket], at instant: Instant) {
        buckets = buckets.filter { refilled($0.value, at: instant).tokens < rate.burst }
        if buckets.count >= Self.mostKeys { buckets = [:] }
    }
}
