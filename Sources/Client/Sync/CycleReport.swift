/// How a cycle ended.
package enum CycleOutcome: Equatable, Sendable {
    /// Push, pull and equal digests: the server has everything, and we have what it has.
    case synced
    /// Push and pull went through; the digests of these sites differ, or the server sent none.
    case unproven(sites: [String])
    /// Not finished; the reason says whether to come again.
    case refused(Refusal)
    /// The local store could not do its part. Nothing was taken from the queue.
    case storeFailed(String)
    /// Asked to stop.
    case cancelled
}

/// What a cycle did, for the command's lines and the status pane.
package struct CycleReport: Equatable, Sendable {
    /// Mutations that the server took, in whatever way it settled them.
    package var pushed = 0
    /// Records that came.
    package var pulled = 0
    package var waiting = OutboxCounts()
    /// The server had met a copy of this device, which goes on under a new node.
    package var hasNewNode = false
    package var outcome: CycleOutcome

    package init(outcome: CycleOutcome) {
        self.outcome = outcome
    }

    package var conflicts: Int { waiting.conflict }
    package var failed: Int { waiting.failed }
    package var inReview: Int { waiting.inReview }

    /// Push and pull came to their end, and equal digests prove that the copies are the same.
    package var isComplete: Bool { outcome == .synced }
}

/// How many mutations stand in each place of the outbox.
package struct OutboxCounts: Equatable, Sendable {
    package var pending = 0
    package var inFlight = 0
    package var failed = 0
    package var conflict = 0
    package var inReview = 0

    package init(
        pending: Int = 0, inFlight: Int = 0, failed: Int = 0, conflict: Int = 0, inReview: Int = 0
    ) {
        self.pending = pending
        self.inFlight = inFlight
        self.failed = failed
        self.conflict = conflict
        self.inReview = inReview
    }

    /// Nothing is on its way and nothing needs a person.
    package var isEmpty: Bool { self == OutboxCounts() }
}
