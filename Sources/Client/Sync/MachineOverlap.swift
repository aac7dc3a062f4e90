package import Replication

/// A batch under way, and what the device does meanwhile: it settles the answer before, then puts the
/// next batch together. The server is what a long queue waits for.
package struct Exchange: Equatable, Sendable {
    package var request: PushRequest
    /// Settled while the batch is under way.
    package var before: Answered?
    /// Mutations of the next batch at most.
    package var limit: Int
    /// Offered already in this cycle: not to be in the next batch.
    package var skipping: Set<MutationID>

    package init(
        request: PushRequest, before: Answered? = nil, limit: Int, skipping: Set<MutationID>
    ) {
        self.request = request
        self.before = before
        self.limit = limit
        self.skipping = skipping
    }

    package struct Answered: Equatable, Sendable {
        package var response: PushResponse
        package var request: PushRequest

        package init(_ response: PushResponse, to request: PushRequest) {
            self.response = response
            self.request = request
        }
    }
}

/// Two things at once, where the queue is long and all goes well.
///
/// One batch at most is under way: the next one carries the baton of its answer. The next batch has no
/// record of the one under way, so whatever the verdicts say, nothing in it hangs on them. When
/// anything else happens than an answer to all of the batch, what was put together goes back to the
/// queue, and the machine takes one step after the other again.
extension Machine {
    /// A full batch is the sign of a long queue; while a culprit is looked for, each answer counts.
    mutating func send(_ request: PushRequest) -> Instruction {
        guard request.mutations.count == batches.most, batches.isUnclouded else {
            return enter(.pushing(request), .push(request))
        }
        return exchange(request, before: nil)
    }

    private mutating func exchange(
        _ request: PushRequest, before: Exchange.Answered?
    ) -> Instruction {
        enter(
            .exchanging(request),
            .exchange(
                Exchange(
                    request: request, before: before, limit: batches.most,
                    skipping: batches.offered)))
    }

    mutating func answered(
        _ reply: Reply<PushResponse>, _ request: PushRequest, _ next: PushRequest?
    ) -> Instruction {
        hasPrepared = next != nil
        guard let next, case .accepted(let response) = reply, response.isPlain(for: request) else {
            return answered(reply, request)
        }
        passed(response.results(for: request))
        return enter(
            .adopting(Exchange.Answered(response, to: request)), .adopt(response, next: next))
    }

    mutating func adopted(
        _ next: PushRequest?, after answered: Exchange.Answered
    ) -> Instruction {
        guard let next else {
            return enter(.settling, .settle(answered.response, answered.request))
        }
        hasPrepared = false
        return exchange(next, before: answered)
    }
}

extension PushResponse {
    /// Verdicts on mutations of this batch.
    func results(for request: PushRequest) -> [Verdict] {
        let ours = Set(request.mutations.map(\.id))
        return results.filter { ours.contains($0.mutationId) }
    }

    /// Whether it answers all of the batch and asks for nothing that would come first.
    fileprivate func isPlain(for request: PushRequest) -> Bool {
        let named = results(for: request)
        return Set(named.map(\.mutationId)).count == request.mutations.count
            && !named.contains { $0.error?.tellsOfCopy == true }
    }
}
