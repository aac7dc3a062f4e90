internal import Synchronization

/// A clock that moves only when a test says so. Milliseconds since 1970, UTC.
package final class FixedClock: Sendable {
    /// 2026-03-02T08:00:00.000Z, a Monday morning.
    package static let mondayMorning: Int64 = 1_772_438_400_000

    private let milliseconds: Mutex<Int64>

    package init(at start: Int64 = FixedClock.mondayMorning) {
        milliseconds = Mutex(start)
    }

    package var now: Int64 {
        milliseconds.withLock { $0 }
    }

    package func advance(milliseconds step: Int64) {
        milliseconds.withLock { $0 += step }
    }

    package func advance(seconds: Int64) {
        advance(milliseconds: seconds * 1000)
    }

    /// Any instant, also an earlier one: devices' clocks are set back.
    package func set(to instant: Int64) {
        milliseconds.withLock { $0 = instant }
    }

    /// The clock as the parameter that the modules take.
    package var reading: @Sendable () -> Int64 {
        { self.now }
    }
}
