package import Coding
package import Replication

/// One sync cycle as a value: an event goes in, the next instruction comes out.
///
/// Push until nothing is waiting, pull until the server has no more, fetch forms, compare digests.
/// It holds no clock, no randomness and no connection. Every instruction but `finish` is answered
/// by exactly one event. Each mutation is offered until it has had one answer in this cycle, so
/// that a cycle ends whatever the server says.
package struct Machine: Sendable {
    package enum Event: Equatable, Sendable {
        case begin
        /// The store did what was asked and has nothing to tell.
        case done
        case sealed(PushRequest?)
        case pushed(Reply<PushResponse>)
        /// With the batch that was put together meanwhile, if one was.
        case exchanged(Reply<PushResponse>, next: PushRequest?)
        /// The batch as it goes now; nil where it cannot go before the answer is settled.
        case adopted(PushRequest?)
        case split(Bool)
        case pulled(Reply<PullResponse>)
        case formsListed(Reply<[FormListing]>)
        case formsMissing([FormListing])
        case formFetched(Reply<JSON>)
        case compared(differing: [String])
        /// Whether a repair may begin now.
        case repairBegun(Bool)
        /// What a restored server lacks and this device still has; nil where there is nothing.
        case copiesFound(CopyRequest?)
        case copiesOffered(Reply<CopyResponse>)
        /// Where the answer told of a new epoch of the server, nothing of it was noted.
        case copiesSettled(epochBegan: Bool)
        /// The store threw.
        case storeFailed(String)
        /// Lock, quit, or the network switched off by hand.
        case stop
    }

    package enum Instruction: Equatable, Sendable {
        case recover
        case seal(limit: Int, skipping: Set<MutationID>)
        case push(PushRequest)
        case exchange(Exchange)
        /// Makes the prepared batch the one that follows this answer.
        case adopt(PushResponse, next: PushRequest)
        case settle(PushResponse, PushRequest)
        case fail(MutationID, reason: String)
        case countFailures([MutationID], reason: String)
        case split(MutationID)
        /// This device's past was lived twice: it goes on under a node of its own.
        case takeNewNode
        /// The answer was a ticket: the verdicts come by pull.
        case keepTicket(PushRequest)
        case pull
        case apply(PullResponse)
        case restartPull
        case listForms
        case findMissing([FormListing])
        case fetchForm(FormListing)
        case storeForm(JSON, FormListing)
        case compare(DigestReport)
        /// A pull from the beginning that mends these sites, unless one was lately.
        case beginRepair(sites: [String])
        case findCopies(limit: Int, skipping: Set<RecordID>)
        case offerCopies(CopyRequest)
        case settleCopies(CopyResponse, CopyRequest)
        /// Refused alone, each with the fields that were offered; of the others it is not known whether
        /// they are to blame.
        case setAsideCopies([CopyVerdict], counting: [CopyVerdict])
        case finish(CycleOutcome)
    }

    /// What the machine waits for, with what it needs to go on.
    enum Phase: Equatable, Sendable {
        case idle
        case recovering(next: AfterRecovery)
        case sealing
        case pushing(PushRequest)
        case exchanging(PushRequest)
        case adopting(Exchange.Answered)
        case settling
        case condemning
        case counting(next: AfterRecovery)
        case splitting(MutationID, Refusal)
        /// An answer that told of the copy is settled afterwards.
        case separating(before: PushResponse?, PushRequest)
        case keepingTicket
        case pulling
        case applying(PullResponse)
        case restarting
        case listingForms
        case findingMissing
        case fetchingForm
        case storingForm
        case comparing
        case repairing(sites: [String])
        case findingCopies
        case offeringCopies(CopyRequest)
        case settlingCopies
        case settingCopiesAside
        case finished
    }

    enum AfterRecovery: Equatable, Sendable {
        case seal
        case pull
        case finish(CycleOutcome)
    }

    var phase = Phase.idle
    var batches: BatchPlan
    var pages = PagePlan()
    var copies = CopyPlan()
    /// Forms that are still to be fetched, the last one next.
    var missingForms: [FormListing] = []
    /// A batch is sealed that was not sent: it goes back before another one is put together.
    var hasPrepared = false
    /// Something is left that the server did not take; says so at the end of the cycle.
    var unfinished: Refusal?

    /// The server knew this device's node from a copy of it, and the device has taken a new one. A
    /// server that says so again in the same cycle is not believed.
    package internal(set) var hasNewNode = false

    /// Mutations that the server took, records that came.
    package private(set) var pushed = 0
    package private(set) var pulled = 0
    /// Something moved, whatever happens later: the backoff begins anew.
    package var madeProgress: Bool { pushed > 0 || pulled > 0 }

    /// This pull asks whether a server that broke over a push is well; the batches come again.
    package var isProbing: Bool {
        unfinished?.kind == .broken && !batches.isProbed && !batches.havePassed
    }

    /// Mutations of one batch.
    package static let batchSize = PushRequest.mostMutations

    /// - Parameter most: other than `batchSize` for tests, in which a few edits shall be a long queue.
    package init(batchesOf most: Int = Machine.batchSize) {
        batches = BatchPlan(most: most)
    }

    package mutating func handle(_ event: Event) -> Instruction {
        switch event {
        case .stop: return abandon(.cancelled)
        case .storeFailed(let reason): return finish(.storeFailed(reason))
        default: break
        }
        switch phase {
        case .idle, .recovering, .restarting, .storingForm: return advance(event)
        case .sealing, .pushing, .exchanging, .adopting, .settling, .condemning, .counting,
            .splitting, .separating, .keepingTicket:
            return push(event)
        case .pulling, .applying: return pull(event)
        case .listingForms, .findingMissing, .fetchingForm: return fetchForms(event)
        case .comparing, .repairing: return compare(event)
        case .findingCopies, .offeringCopies, .settlingCopies, .settingCopiesAside:
            return offerCopies(event)
        case .finished: preconditionFailure("an event after the end of a cycle: \(event)")
        }
    }

    /// The answers that carry nothing but *done*.
    private mutating func advance(_ event: Event) -> Instruction {
        switch (phase, event) {
        case (.idle, .begin): return recover(then: .seal)
        case (.recovering(.seal), .done): return seal()
        case (.recovering(.pull), .done), (.restarting, .done): return enter(.pulling, .pull)
        case (.recovering(.finish(let outcome)), .done): return finish(outcome)
        case (.storingForm, .done): return nextForm()
        default: preconditionFailure("\(event) does not answer \(phase)")
        }
    }

    mutating func enter(_ next: Phase, _ instruction: Instruction) -> Instruction {
        phase = next
        return instruction
    }

    mutating func recover(then next: AfterRecovery) -> Instruction {
        hasPrepared = false
        return enter(.recovering(next: next), .recover)
    }

    mutating func finish(_ outcome: CycleOutcome) -> Instruction {
        enter(.finished, .finish(outcome))
    }

    /// Ends a cycle early. What is in flight goes back to PENDING first: whether it arrived is
    /// unknown, and its ids make the repetition harmless.
    mutating func abandon(_ outcome: CycleOutcome) -> Instruction {
        switch phase {
        case .pushing, .exchanging, .adopting, .settling, .condemning, .counting, .splitting,
            .sealing, .separating, .keepingTicket:
            recover(then: .finish(outcome))
        default: finish(outcome)
        }
    }

    /// The end that a refusal means; a call that we cancelled ourselves is no refusal.
    static func ending(_ refusal: Refusal) -> CycleOutcome {
        refusal.kind == .cancelled ? .cancelled : .refused(refusal)
    }

    mutating func countPushed(_ count: Int) { pushed += count }
    mutating func countPulled(_ count: Int) { pulled += count }
}
