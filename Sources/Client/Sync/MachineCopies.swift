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
    /// Of these those that were refused one after another, without one that passed since.
    private var inARow: [Blamed] = []
    /// The others: the server is well, and these are what it refuses.
    private var condemned: [Blamed] = []
    private var requests = 0
    /// The server has no such route, does not answer for what it was sent, or began another epoch.
    var isOver = false

    /// Of one cycle: 50,000 records. The next cycle goes on from there.
    static let mostRequests = 1000

    /// A copy that was refused alone.
    private struct Blamed: Equatable, Sendable {
        var verdict: CopyVerdict
        /// By what the server said of the request itself; a server that breaks may be well again.
        var isCertain: Bool
    }

    var skipping: Set<RecordID> { held.union(passedOver) }

    /// So many in a row mean that the server refuses everything, or that each is bad. Which, only the
    /// next cycles show: others go first then.
    var refusesEverything: Bool { inARow.count >= BatchPlan.mostBlamedInARow }

    /// Whatever a server says, a cycle ends.
    var isExhausted: Bool { requests >= Self.mostRequests }

    mutating func noteRequest() { requests += 1 }

    mutating func passed(_ answered: Int) {
        condemned += inARow
        inARow = []
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

    mutating func refused(_ verdict: CopyVerdict, isCertain: Bool) {
        passedOver.insert(verdict.recordId)
        inARow.append(Blamed(verdict: verdict, isCertain: isCertain))
        suspects = 0
        limit = CopyRequest.mostRecords
    }

    /// Nothing more is to be offered: whoever was refused alone is to blame, but where a server
    /// refuses everything, or breaks. Then it is counted.
    mutating func takeBlamed() -> (setAside: [CopyVerdict], counted: [CopyVerdict]) {
        defer { (condemned, inARow) = ([], []) }
        let doubtful = refusesEverything ? inARow : []
        let known = refusesEverything ? condemned : condemned + inARow
        return (
            setAside: known.filter(\.isCertain).map(\.verdict),
            counted: (known.filter { !$0.isCertain } + doubtful).map(\.verdict)
        )
    }
}

/// Between the pull and the forms: what a restored server lacks is offered to it, until it takes no
/// more. What it takes comes back by pull.
extension Machine {
    mutating func findCopies() -> Instruction {
        guard !copies.isOver else { return listForms() }
        guard !copies.isExhausted else { return noMoreCopies() }
        return enter(
            .findingCopies, .findCopies(limit: copies.limit, skipping: copies.skipping))
    }

    mutating func offerCopies(_ event: Event) -> Instruction {
        switch (phase, event) {
        case (.findingCopies, .copiesFound(let request?)):
            copies.noteRequest()
            return enter(.offeringCopies(request), .offerCopies(request))
        case (.findingCopies, .copiesFound(nil)): return noMoreCopies()
        case (.offeringCopies(let request), .copiesOffered(.accepted(let response))):
            return answered(response, request)
        case (.offeringCopies, .copiesOffered(.queued)): return noMoreCopies()
        case (.offeringCopies(let request), .copiesOffered(.refused(let refusal))):
            return refused(refusal, request)
        case (.settlingCopies, .copiesSettled(epochBegan: false)): return findCopies()
        case (.settlingCopies, .copiesSettled(epochBegan: true)): return pullOfNewEpoch()
        case (.settingCopiesAside, .done): return endOfCopies()
        default: preconditionFailure("\(event) does not answer \(phase)")
        }
    }

    private mutating func noMoreCopies() -> Instruction {
        let (setAside, counted) = copies.takeBlamed()
        guard setAside.isEmpty && counted.isEmpty else {
            return enter(
                .settingCopiesAside, .setAsideCopies(setAside, counting: counted))
        }
        return endOfCopies()
    }

    /// What the server of this epoch lacks, a pull from the beginning says; it is offered by the next
    /// cycle. What was refused before was refused by the epoch before.
    private mutating func pullOfNewEpoch() -> Instruction {
        _ = copies.takeBlamed()
        pages.areCurrent = false
        pages.restart()
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
        // What is refused in part may have changed the record all the same: of an approval that is lost
        // the server takes that the inspection was complete.
        if !settled.isEmpty { pages.areCurrent = false }
        // A change of a record that the server lacked goes behind the record, in this cycle.
        if isTaken { batches.noteNews() }
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
        copies.refused(
            Self.verdict(on: only, refusal),
            isCertain: refusal.kind == .unacceptable
                || refusal.kind == .oversized && !refusal.isForeign)
        return copies.refusesEverything ? noMoreCopies() : findCopies()
    }

    /// *Held* by what is before the server: another network may let it through.
    private static func verdict(on copy: WireRecord, _ refusal: Refusal) -> CopyVerdict {
        CopyVerdict(
            recordId: copy.id,
            status: refusal.kind == .oversized && refusal.isForeign ? .held : .refused,
            columns: copy.fields.keys.sorted(),
            error: WireError(
                code: refusal.code,
                message: refusal.kind == .broken
                    ? "the server failed over it" : words(for: refusal)))
    }
}
