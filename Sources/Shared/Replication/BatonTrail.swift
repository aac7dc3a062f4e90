/// What a server remembers of its last answers to one node, to notice a copy of a device: of two
/// handhelds with one past (a cloned disk, a restored backup), only one holds the baton of the newest
/// answer.
package struct BatonTrail: Hashable, Sendable {
    /// Given with the newest answer.
    package var current: String
    /// What the request brought that was answered with `current`; nil where it brought none.
    package var previous: String?
    /// What was sent with `previous`, the newest last.
    package var answered: [MutationID]

    /// Ten whole batches: a device that never hears an answer halves and recomposes what it sends.
    package static let mostAnswered = 10 * PushRequest.mostMutations

    package init(current: String, previous: String?, answered: [MutationID]) {
        self.current = current
        self.previous = previous
        self.answered = answered
    }

    /// How a batch stands to the answers before it.
    package enum Meeting: Sendable {
        /// Its device heard the newest answer.
        case next
        /// The newest answer was lost, and this comes in its place.
        case repetition
        /// Another handheld lives on from the same past.
        case fork
    }

    package func meeting(_ baton: String?, _ mutations: [MutationID]) -> Meeting {
        if baton == current { return .next }
        guard baton == previous else { return .fork }
        // A repetition may be composed anew, but what was lost with the answer is in it.
        let isRepeated = answered.isEmpty || !Set(answered).isDisjoint(with: mutations)
        return isRepeated ? .repetition : .fork
    }

    /// The trail once a batch is answered with the baton `next`.
    package static func after(
        _ trail: BatonTrail?, _ baton: String?, _ mutations: [MutationID], next: String
    ) -> BatonTrail {
        // Whichever of the answers to `baton` is heard, what came with it before is no fork.
        let before = trail.map { $0.current != baton && $0.previous == baton ? $0.answered : [] }
        let sent = Set(mutations)
        let answered = (before ?? []).filter { !sent.contains($0) } + mutations
        return BatonTrail(
            current: next, previous: baton, answered: Array(answered.suffix(mostAnswered)))
    }
}
