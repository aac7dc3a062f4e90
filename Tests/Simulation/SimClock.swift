/// A machine's wall clock: virtual time, and how far it has been set away from it.
///
/// Sendable because in a run one thread at a time is awake: fibers and the store's queues hand over.
final class SimClock: @unchecked Sendable {
    private let timeline: Timeline
    /// Milliseconds.
    var skew: Int64 = 0

    init(_ timeline: Timeline) { self.timeline = timeline }

    /// Milliseconds since 1970.
    var now: Int64 { Ground.morning + timeline.now + skew }

    /// Milliseconds that no setting changes.
    var uptime: Int64 { timeline.now }

    func after(_ pause: Duration, _ work: @escaping @Sendable () -> Void) {
        timeline.after(Int64(pause / .milliseconds(1))) { work() }
    }

    static let steps: [Int64] = [
        3_600_000, -3_600_000, 86_400_000, -86_400_000, 63_000_000_000, -63_000_000_000,
        // 1970, and 2106.
        -Ground.morning, 4_294_967_296_000 - Ground.morning,
    ]
}
