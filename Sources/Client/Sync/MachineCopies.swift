internal import Replication

/// What is known of the copies of this cycle.
///
/// A request that is refused as a whole is halved until one copy stands alone, as a push is
/// (`BatchPlan`). The first `suspects` of those that are offered are known to hold the culprit.
struct CopyPlan: Equatable, Sendable {
    private(set) var limit = CopyRequest.mostRecords
    private(set) var suspects = 0
    /// Offered and not taken; once more when something else was, for it may stand under that.
    private var held: Set<RecordID> = []
    /// Refused alone: not to be offered again in this cycle.
    private var passedOver: Set<RecordID> = []
    /// Of these some that were refused one after another, without one that passed since.
    private var inARow: [CopyVerdict] = []
    private var lonely = 0
    /// To be set aside with their reasons: the server took others, or answered for each of them.
    private(set) var condemned: [CopyVerdict] = []
    /// The server has no such route, or does not answer for what it was sent.
    var isOver = false

    var skipping: Set<RecordID> { held.union(passedOver) }

    /// So many in a row mean that the server refuses everything, not that each is bad.
    var refusesEverything: Bool { lonely >= BatchPlan.mostBlamedInARow }

    mutating func passed(_ answered: Int) {
        condemned += inARow
        inARow = []
        lonely = 0
        suspects = max(0, suspects - answered)
        limit = suspects > 0 ? max(1, suspects / 2) : CopyRequest.mostRecords
    }

    mutating func noteHeld(_ ids: Set<RecordID>, isTaken: Bool) {
        held = isTaken ? [] : held.union(ids)
    }

    /// - Precondition: more than one copy.
    mutating func halve(_ count: Int) {
        suspects = count
        limit = max(1, count / 2)
    }

    /// - Parameter verdict: nil where the copy is not known to be at fault; it comes again with the
    ///   next cycle.
    mutating func refused(_ id: RecordID, _ verdict: CopyVerdict?) {
        passedOver.insert(id)
        inARow += [verdict].compactMap { $0 }
        lonely += 1
        suspects = 0
        limit = CopyRequest.mostRecords
    }

    /// Nothing more is to be offered: whoever was refused alone is to blame, but where a server
    /// refuses everything.
    mutating func takeCondemned() -> [CopyVerdict] {
        defer { (condemned, inARow) = ([], []) }
        return refusesEverything ? condemned : condemned + inARow
    }
}

/// Between the pull and the forms: what a restored server lacks is offered to it, until it takes no
/// more. What it takes comes back by pull.
extension Machine {
    mutating func findCopies() -> Instruction {
        guard !copies.isOver else { return listForms() }
        return enter(
            .findingCopies, .findCopies(limit: copies.limit, skipping: copies.skipping))
    }

    mutating func offerCopies(_ event: Event) -> Instruction {
        switch (phase, event) {
        case (.findingCopies, .copiesFound(let request?)):
            return enter(.offeringCopies(request), .offerCopies(request))
        case (.findingCopies, .copiesFound(nil)): return noMoreCopies()
        case (.offeringCopies(let request), .copiesOffered(.accepted(let response))):
            return answered(response, request)
        case (.offeringCopies, .copiesOffered(.queued)): return noMoreCopies()
        case (.offeringCopies(let request), .copiesOffered(.refused(let refusal))):
            return refused(refusal, request)
        case (.settlingCopies, .done): return findCopies()
        case (.settingCopiesAside, .done): return endOfCopies()
        default: preconditionFailure("\(event) does not answer \(phase)")
        }
    }

    private mutating func noMoreCopies() -> Instruction {
        let condemned = copies.takeCondemned()
        guard condemned.isEmpty else {
            return enter(.settingCopiesAside, .setAsideCopies(condemned))
        }
        return endOfCopies()
    }

    private mutating func endOfCopies() -> Instruction {
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
        copies.passed(named.count)
        // What the answer does not name was not judged, and comes next.
        copies.noteHeld(
            Set(named.filter { $0.status == .held }.map(\.recordId)), isTaken: isTaken)
        return enter(.settlingCopies, .settleCopies(response, request))
    }

    /// They stay where they are. An older server has no such route, and what it cannot take keeps
    /// nothing else from its place.
    private mutating func refused(_ refusal: Refusal, _ request: CopyRequest) -> Instruction {
        switch refusal.kind {
        case .unacceptable, .oversized: return blame(refusal, request)
        case .broken where refusal.status == 500 && refusal.retryAfterSeconds == nil:
            return blame(refusal, request)
        case .serverFault: return noMoreCopies()
        default: return finish(Self.ending(refusal))
        }
    }

    /// Halves the request; the copy that stands alone is to blame, and the others go on.
    private mutating func blame(_ refusal: Refusal, _ request: CopyRequest) -> Instruction {
        guard request.records.count == 1, let only = request.records.first else {
            copies.halve(request.records.count)
            return findCopies()
        }
        // No proxy means a record of this size: it lets nothing through.
        if refusal.kind == .oversized, refusal.isForeign, Self.isSmall(only.json) {
            return noMoreCopies()
        }
        copies.refused(only.id, Self.verdict(on: only, refusal))
        return copies.refusesEverything ? noMoreCopies() : findCopies()
    }

    /// Nil where another network may let it through, or a server that is well again.
    private static func verdict(on copy: WireRecord, _ refusal: Refusal) -> CopyVerdict? {
        guard refusal.kind == .unacceptable || refusal.kind == .oversized && !refusal.isForeign
        else { return nil }
        return CopyVerdict(
            recordId: copy.id, status: .refused, columns: copy.fields.keys.sorted(),
            error: WireError(code: refusal.code, message: words(for: refusal)))
    }
}
