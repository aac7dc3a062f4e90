internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

extension WriteSession {
    /// Admits and merges one mutation and writes all that follows from it: the record, its place in
    /// the feed, history, review items.
    ///
    /// - Throws: `Admission.Refusal` where the mutation is not taken.
    func merge(_ mutation: Mutation, by author: Author) throws -> Verdict {
        let existing = try connection.record(mutation.record)
        let parent =
            existing == nil ? try mutation.parent.flatMap { try connection.record($0) } : nil
        let isPruned = try existing == nil && connection.isPruned(mutation.record)
        let isParked = try isToBeParked(mutation, on: existing, under: parent, by: author)
        let policies = try Admission(
            session: self, author: author, mutation: mutation, existing: existing, parent: parent,
            isPruned: isPruned, isParked: isParked
        ).check()
        try witness(mutation.highestLamport)
        if isParked, let sender = author.sender {
            return try park(mutation, on: existing, by: sender)
        }
        let outcome = mergeRecord(
            current: existing?.state,
            mutation: try believable(mutation, on: existing, isPruned, by: author),
            node: author.node,
            parentIsKnown: mutation.parent == nil || parent != nil, isPruned: isPruned,
            policy: { author.isCopy ? policies.policy(of: $0).supervised : policies.policy(of: $0) }
        )
        if let error = outcome.error { throw Admission.Refusal.rejected(error) }
        if outcome.status == .held { throw Admission.Refusal.waiting }
        let updatedAt = outcome.isChanged ? now : existing?.updatedAt ?? now
        if outcome.isChanged, let state = outcome.record {
            let site = try existing?.site ?? site(of: mutation, parent, author)
            try save(
                StoredRecord(
                    state: state, site: site, updatedAt: updatedAt, digest: state.digest),
                before: existing)
        }
        try keepRest(of: outcome, mutation, by: author.node, before: existing)
        return outcome.verdict(for: mutation.id, updatedAtUtc: SyncTimestamp.text(updatedAt))
    }

    /// The mutation as far as its author, or who brings it, can have seen the record.
    private func believable(
        _ mutation: Mutation, on existing: StoredRecord?, _ isPruned: Bool, by author: Author
    ) throws -> Mutation {
        guard let sender = author.sender else { return mutation }
        if let existing {
            return try believable(mutation, on: existing, from: sender.standpoint)
        }
        // Its maker's device may bring the record back; until then nobody can judge its changes.
        if mutation.operation != .insert, !isPruned, try mayComeBack(from: sender.standpoint) {
            throw Admission.Refusal.waiting
        }
        return mutation
    }

    /// The values that lost or were replaced, and what a supervisor has to see.
    private func keepRest(
        of outcome: RecordOutcome, _ mutation: Mutation, by node: NodeID, before: StoredRecord?
    ) throws {
        for entry in outcome.history {
            let register = before?.fields[entry.field]
            let version = register?.stamp == entry.stamp ? register?.version : nil
            try keep(entry, of: mutation.record, version: version ?? 0, because: mutation.id)
        }
        try open(outcome.reviews, of: mutation, by: node)
    }

    /// Where a new record belongs: to its parent's site, or to the team that makes it.
    private func site(
        of mutation: Mutation, _ parent: StoredRecord?, _ author: Author
    ) throws -> Site {
        if let parent { return parent.site }
        if mutation.table == RecordTable.site {
            return Site(id: mutation.record.rawValue, team: "")
        }
        if let sender = author.sender { return Site(id: "", team: sender.device.team.id) }
        return Site(id: "", team: "")
    }
}
