internal import Replication

/// What is known of the copies of this cycle.
struct CopyPlan: Equatable, Sendable {
    /// Offered and not taken; once more when something else was, for it may stand under that.
    var held: Set<RecordID> = []
    /// The server has no such route, or does not answer for what it was sent.
    var isOver = false
}

/// Between the pull and the forms: what a restored server lacks is offered to it, until it takes no
/// more. What it takes comes back by pull.
extension Machine {
    mutating func findCopies() -> Instruction {
        guard !copies.isOver else { return listForms() }
        return enter(.findingCopies, .findCopies(skipping: copies.held))
    }

    mutating func offerCopies(_ event: Event) -> Instruction {
        switch (phase, event) {
        case (.findingCopies, .copiesFound(let request?)):
            return enter(.offeringCopies(request), .offerCopies(request))
        case (.findingCopies, .copiesFound(nil)): return noMoreCopies()
        case (.offeringCopies(let request), .copiesOffered(.accepted(let response))):
            return answered(response, request)
        case (.offeringCopies, .copiesOffered(.queued)): return noMoreCopies()
        case (.offeringCopies, .copiesOffered(.refused(let refusal))): return refused(refusal)
        case (.settlingCopies(let isTaken), .done):
            if isTaken { copies.held = [] }
            return findCopies()
        default: preconditionFailure("\(event) does not answer \(phase)")
        }
    }

    private mutating func noMoreCopies() -> Instruction {
        copies.isOver = true
        // What was taken is news, also for this device.
        return pages.areCurrent ? listForms() : enter(.pulling, .pull)
    }

    private mutating func answered(
        _ response: CopyResponse, _ request: CopyRequest
    ) -> Instruction {
        let offered = Set(request.records.map(\.id))
        let named = response.results.filter { offered.contains($0.recordId) }
        guard !named.isEmpty else { return noMoreCopies() }
        let settled = named.filter { $0.status != .held }
        let isTaken = settled.contains { $0.status == .taken }
        if isTaken { pages.areCurrent = false }
        // What the answer does not name was not judged, and comes next.
        copies.held.formUnion(named.filter { $0.status == .held }.map(\.recordId))
        return enter(.settlingCopies(isTaken: isTaken), .settleCopies(response, request))
    }

    /// They stay where they are. An older server has no such route, and what it cannot take keeps
    /// nothing else from its place.
    private mutating func refused(_ refusal: Refusal) -> Instruction {
        switch refusal.kind {
        case .serverFault, .unacceptable, .oversized: return noMoreCopies()
        default: return finish(Self.ending(refusal))
        }
    }
}
