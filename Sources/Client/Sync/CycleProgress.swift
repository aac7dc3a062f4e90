/// How far a cycle that runs has come: told after a batch or a page, so that nobody takes a long one
/// for one that hangs.
package struct CycleProgress: Equatable, Sendable {
    /// Mutations that the server has taken in this cycle.
    package var pushed: Int
    /// Mutations that still wait to be sent or for an answer.
    package var waiting: Int
    /// Records that came in this cycle.
    package var pulled: Int

    package init(pushed: Int, waiting: Int, pulled: Int) {
        self.pushed = pushed
        self.waiting = waiting
        self.pulled = pulled
    }

    /// What there was to send: it grows with what is entered meanwhile.
    package var toPush: Int { pushed + waiting }
}

/// Lets a line through every now and then: a person reads no faster, and a file keeps them all.
struct ProgressPace {
    /// Milliseconds between two of them; a cycle that is over sooner tells none.
    static let interval: Int64 = 500

    private var last: Int64

    init(startingAt now: Int64) { last = now }

    /// - Parameter count: asked only where it is time to tell.
    mutating func tell(
        at now: Int64, _ count: () throws -> CycleProgress, _ report: (CycleProgress) -> Void
    ) {
        // A store that cannot count now has a cycle that ends with the reason.
        guard isDue(at: now), let progress = try? count() else { return }
        report(progress)
    }

    private mutating func isDue(at now: Int64) -> Bool {
        // A clock that is set back must not end the telling.
        guard now < last || now - last >= Self.interval else { return false }
        last = now
        return true
    }
}
