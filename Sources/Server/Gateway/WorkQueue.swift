import Dispatch
import Synchronization

/// A few threads for what may wait on the database, and a bound on what waits for them.
final class WorkQueue: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var running = 0
        var waiting: [Work] = []
    }

    private let width: Int
    private let limit: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "walkdown.gateway", attributes: .concurrent)

    init(width: Int, limit: Int) {
        self.width = width
        self.limit = limit
    }

    /// - Returns: false when too much waits already; the work is not done then.
    func submit(_ work: @escaping Work) -> Bool {
        add(work, limit: limit)
    }

    /// For work that was taken before and goes on: it is never refused.
    func `continue`(_ work: @escaping Work) {
        _ = add(work, limit: .max)
    }

    private func add(_ work: @escaping Work, limit: Int) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            if state.running < width {
                state.running += 1
                return (true, true)
            }
            guard state.waiting.count < limit else { return (false, false) }
            state.waiting.append(work)
            return (true, false)
        }
        if isFirst { queue.async { [self] in run(work) } }
        return isTaken
    }

    /// One thread's share: its work, then whatever waits.
    private func run(_ work: @escaping Work) {
        var next: Work? = work
        while let work = next {
            work()
            next = state.withLock { state in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.running -= 1
                return nil
            }
        }
    }
}
