internal import Coding
internal import Replication

/// The first half of a cycle: batches go out until nothing is waiting.
extension Machine {
    mutating func push(_ event: Event) -> Instruction {
        switch (phase, event) {
        case (.sealing, .sealed(var request?)):
            pages.areCurrent = false
            let told = Set(request.unheard + request.mutations.map(\.id))
            request.unheard += batches.unheard.filter { !told.contains($0) }
            request.unheard = Array(request.unheard.suffix(PushRequest.mostMutations))
            return send(request)
        case (.sealing, .sealed(nil)): return queueIsEmpty()
        case (.pushing(let request), .pushed(let reply)): return answered(reply, request)
        case (.exchanging(let request), .exchanged(let reply, let next)):
            return answered(reply, request, next)
        case (.adopting(let answered), .adopted(let next)): return adopted(next, after: answered)
        case (.settling, .done): return settled()
        case (.separating(let response?, let request), .done):
            return enter(.settling, .settle(response, request))
        case (.separating(nil, _), .done), (.keepingTicket, .done): return seal()
        case (.condemning, .done): return recover(then: .seal)
        case (.counting(let next), .done): return recover(then: next)
        case (.splitting(let id, let refusal), .split(let isDivided)):
            return isDivided ? divided() : undivided(id, refusal)
        default: preconditionFailure("\(event) does not answer \(phase)")
        }
    }

    mutating func seal() -> Instruction {
        guard !hasPrepared else { return recover(then: .seal) }
        return enter(.sealing, .seal(limit: batches.limit, skipping: batches.offered))
    }

    mutating func answered(
        _ reply: Reply<PushResponse>, _ request: PushRequest
    ) -> Instruction {
        switch reply {
        case .accepted(let response): return accepted(response, request)
        case .queued:
            // They stay IN_FLIGHT until a pull brings the verdicts, or none has come for too long.
            batches.passed(Set(request.mutations.map(\.id)))
            return enter(.keepingTicket, .keepTicket(request))
        case .refused(let refusal): return refused(refusal, request)
        }
    }

    private mutating func accepted(
        _ response: PushResponse, _ request: PushRequest
    ) -> Instruction {
        let named = response.results(for: request)
        guard !named.isEmpty else {
            // JSON, but of somebody else: as good as no answer.
            return abandon(.refused(Refusal(.offline, status: 200)))
        }
        passed(named)
        if !hasNewNode, named.contains(where: { $0.error?.tellsOfCopy == true }) {
            return separate(before: response, request)
        }
        return enter(.settling, .settle(response, request))
    }

    mutating func passed(_ named: [Verdict]) {
        let isTaken = { (verdict: Verdict) in verdict.status != .held && verdict.status != .rejected
        }
        let taken = named.count(where: isTaken)
        countPushed(taken)
        if taken > 0 { batches.noteNews() }
        // What it does not name has had no answer yet and comes again in this cycle: a server judges
        // so many as it has room to answer for.
        batches.passed(Set(named.map(\.mutationId)))
        batches.noteHeld(named.lazy.filter { $0.status == .held }.map(\.mutationId))
        // What was judged behind a held one may be what that waits for.
        if named.drop(while: { $0.status != .held }).contains(where: isTaken) { batches.noteNews() }
    }

    private mutating func separate(
        before response: PushResponse?, _ request: PushRequest
    ) -> Instruction {
        hasNewNode = true
        return enter(.separating(before: response, request), .takeNewNode)
    }

    private mutating func settled() -> Instruction {
        let lonely = batches.takeLonely()
        guard !lonely.isEmpty else { return seal() }
        // Others pass, so the server is well, and these are what it breaks over.
        return count(lonely, then: .seal)
    }

    private mutating func count(_ ids: [MutationID], then next: AfterRecovery) -> Instruction {
        enter(.counting(next: next), .countFailures(ids, reason: Self.broke))
    }

    private static let broke = "the server failed over this change while it took others"

    private mutating func refused(_ refusal: Refusal, _ request: PushRequest) -> Instruction {
        switch refusal.kind {
        case .unacceptable, .oversized: return blame(refusal, request)
        case .broken where refusal.retryAfterSeconds == nil: return broke(refusal, request)
        case .forked where !hasNewNode:
            return separate(before: nil, request)
        default: return abandon(Self.ending(refusal))
        }
    }

    /// The request itself was refused: halve it, and fail the one that stands alone.
    private mutating func blame(_ refusal: Refusal, _ request: PushRequest) -> Instruction {
        guard request.mutations.count == 1, let culprit = request.mutations.first else {
            batches.halve(request.mutations.count)
            return recover(then: .seal)
        }
        guard refusal.kind == .oversized else { return condemn(culprit.id, refusal) }
        // No proxy means a change of this size: it lets nothing through, or answers for the server.
        if refusal.isForeign, Self.isSmall(culprit.json) { return abandon(.refused(refusal)) }
        return enter(.splitting(culprit.id, refusal), .split(culprit.id))
    }

    private mutating func divided() -> Instruction {
        batches.divided()
        return recover(then: .seal)
    }

    /// What is too large only for something before the server is not to blame: another network may
    /// let it through. The others go on.
    private mutating func undivided(_ id: MutationID, _ refusal: Refusal) -> Instruction {
        guard refusal.isForeign else { return condemn(id, refusal) }
        unfinished = refusal
        batches.passOver(id)
        return recover(then: .seal)
    }

    static func isSmall(_ document: JSON) -> Bool {
        document.serialized().count <= smallMutation
    }

    /// Bytes of JSON, not compressed: what any proxy in use lets through.
    private static let smallMutation = 64 << 10

    private mutating func condemn(_ id: MutationID, _ refusal: Refusal) -> Instruction {
        // A server that refuses one after another is at fault itself: the next stays as it is.
        guard !batches.refusesEverything else { return abandon(.refused(refusal)) }
        batches.blamed(id)
        return enter(.condemning, .fail(id, reason: Self.words(for: refusal)))
    }

    /// Why a change or a copy is refused that stood alone.
    static func words(for refusal: Refusal) -> String {
        "refused with \(refusal.status)"
            + (refusal.message.isEmpty ? "" : ": \(refusal.message)")
    }

    /// The server broke. Whether over this batch shows when a pull and other batches pass.
    private mutating func broke(_ refusal: Refusal, _ request: PushRequest) -> Instruction {
        unfinished = refusal
        guard batches.havePassed || batches.isProbed else { return recover(then: .pull) }
        guard request.mutations.count == 1, let only = request.mutations.first else {
            batches.halve(request.mutations.count)
            return recover(then: .seal)
        }
        batches.setAside(only.id)
        return batches.refusesEverything ? giveUp(refusal) : recover(then: .seal)
    }

    private mutating func giveUp(_ refusal: Refusal) -> Instruction {
        let lonely = batches.takeLonely()
        guard Self.isAboutTheChange(refusal) else { return abandon(.refused(refusal)) }
        return count(lonely, then: .finish(.refused(refusal)))
    }

    private mutating func queueIsEmpty() -> Instruction {
        let lonely = batches.takeLonely()
        if !batches.hasSetAside { unfinished = nil }
        guard let refusal = unfinished, !lonely.isEmpty else {
            if batches.takeHeld() { return seal() }
            return pages.areCurrent ? findCopies() : enter(.pulling, .pull)
        }
        guard Self.isAboutTheChange(refusal) else { return finish(.refused(refusal)) }
        return count(lonely, then: .pull)
    }

    /// Where nothing else was there to pass: a 500 from a server that answers pulls is about what
    /// it was given, or the row would stand at the head of the queue for ever. 502 to 504 tell of
    /// the server or of something before it.
    private static func isAboutTheChange(_ refusal: Refusal) -> Bool { refusal.status == 500 }
}
