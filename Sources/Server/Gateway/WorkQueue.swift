import Dispatch
import Synchronization

/// A few threads for what may wait on the database, and a bound on what waits for them.
final class WorkQueue: Sendable {
    private let lanes: [DispatchQueue]
    private let limit: Int
    private let waiting = Atomic<Int>(0)
    private let next = Atomic<Int>(0)

    init(width: Int, limit: Int) {
        lanes = (0..<width).map { DispatchQueue(label: "walkdown.gateway.\($0)") }
        self.limit = limit
    }

    /// - Returns: false when too much waits already; the work is not done then.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard waiting.add(1, ordering: .relaxed).newValue <= limit else {
            waiting.subtract(1, ordering: .relaxed)
            return false
        }
        lane.async { [self] in
            waiting.subtract(1, ordering: .relaxed)
            work()
        }
        return true
    }

    /// For work that was taken before and goes on: it is never refused.
    func `continue`(_ work: @escaping @Sendable () -> Void) {
        lane.async(execute: work)
    }

    private var lane: DispatchQueue {
        let number = next.add(1, ordering: .relaxed).newValue & Int.max
        return lanes[number % lanes.count]
    }
}
