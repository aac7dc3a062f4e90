/// Decides when an unattended device locks: a number of minutes without a key, counted on a clock
/// that goes on during suspend. To be asked before each draw, also the first after waking up.
package struct LockClock: Sendable {
    /// Milliseconds; 5 minutes.
    package static let usualLimit: Int64 = 5 * 60 * 1000

    package let limit: Int64
    private let now: @Sendable () -> Int64
    private var lastKey: Int64

    /// - Parameter now: milliseconds on any clock that never goes back and counts suspend.
    package init(
        limit: Int64 = LockClock.usualLimit, now: @escaping @Sendable () -> Int64 = BootClock.now
    ) {
        self.limit = limit
        self.now = now
        lastKey = now()
    }

    package mutating func noteKey() {
        lastKey = now()
    }

    /// Milliseconds until the device locks; 0 when it must lock now.
    package var remaining: Int64 { max(0, limit - (now() - lastKey)) }

    package var isDue: Bool { remaining == 0 }
}
