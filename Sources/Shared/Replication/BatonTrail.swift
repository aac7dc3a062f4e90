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
    /// How many batons the node has been given in this epoch of the server, `current` included.
    package var number: Int64

    /// Ten whole batches: a device that never hears an answer halves and recomposes what it sends.
    package static let mostAnswered = 10 * PushRequest.mostMutations

    package init(
        current: String, previous: String?, answered: [MutationID], number: Int64 = 1
    ) {
        self.number = number
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

    /// The trail once a batch is answered; its `current` is the baton of the answer.
    ///
    /// Each baton has one successor. A repetition is answered with the baton of the answer that was
    /// lost: whichever of the two is heard in the end, and however late a copy of the request comes
    /// from the network, the device that goes on from it is no fork.
    ///
    /// - Parameter next: the baton that is given where this is no repetition.
    package static func after(
        _ trail: BatonTrail?, _ baton: String?, _ mutations: [MutationID], next: String
    ) -> BatonTrail {
        guard var trail, trail.current != baton, trail.previous == baton else {
            return BatonTrail(
                current: next, previous: baton, answered: mutations,
                number: (trail?.number ?? 0) + 1)
        }
        let sent = Set(mutations)
        let answered = trail.answered.filter { !sent.contains($0) } + mutations
        trail.answered = Array(answered.suffix(mostAnswered))
        return trail
    }
}
