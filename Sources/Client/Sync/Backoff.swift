/// How long to wait after failures: exponential with full jitter, so that a thousand devices that
/// failed together do not come back together. What the server asks for with `Retry-After` comes first
/// and our own wait after it, over at least as long a span: devices that were refused in one second
/// would all be back in one second else.
///
/// All instants and spans are milliseconds of the wall clock. The wall clock may be set back while
/// a wait runs; a wait that then lies further ahead than any wait could is due at once.
package struct Backoff: Equatable, Sendable {
    /// The longest wait of our own choosing.
    package static let ceiling: Int64 = 5 * 60 * 1000
    /// The longest wait that a server may ask for with `Retry-After`.
    package static let floorCeiling: Int64 = 60 * 60 * 1000
    private static let unit: Int64 = 1000

    /// Failures since the last progress.
    package private(set) var failures = 0
    /// Our own wait ends here.
    package private(set) var dueAt: Int64?
    /// What the server asked for with `Retry-After`; even *sync now* respects it.
    package private(set) var floor: Int64?

    package init(floor: Int64? = nil) {
        self.floor = floor
    }

    /// The upper bound of the random wait after so many failures: `min(5 min, 1 s · 2^n)`.
    package static func bound(failures: Int) -> Int64 {
        failures >= 9 ? ceiling : min(ceiling, unit << Int64(max(0, failures)))
    }

    /// - Parameter random: uniform in 0 ..< its argument.
    package mutating func failed(
        now: Int64, retryAfterSeconds: Int64? = nil, random: (Int64) -> Int64
    ) {
        let asked = retryAfterSeconds.map { 1000 * min(max(0, $0), Self.floorCeiling / 1000) }
        if let asked { floor = now + asked }
        let span = max(Self.bound(failures: failures), min(asked ?? 0, Self.ceiling))
        dueAt = now + (asked ?? 0) + random(span + 1)
        failures += 1
    }

    /// Something moved: the next failure starts from the shortest wait again.
    package mutating func progressed() {
        failures = 0
        dueAt = nil
        floor = nil
    }

    /// Milliseconds until a cycle may begin by itself; 0 is now.
    package func remaining(now: Int64) -> Int64 {
        let longest = Self.ceiling + (floor == nil ? 0 : Self.floorCeiling)
        return max(Self.wait(until: dueAt, now: now, atMost: longest), remainingFloor(now: now))
    }

    /// Milliseconds until a person's *sync now* may begin: the server's floor alone.
    package func remainingFloor(now: Int64) -> Int64 {
        Self.wait(until: floor, now: now, atMost: Self.floorCeiling)
    }

    private static func wait(until instant: Int64?, now: Int64, atMost longest: Int64) -> Int64 {
        guard let instant, instant > now else { return 0 }
        return instant - now > longest ? 0 : instant - now
    }
}
