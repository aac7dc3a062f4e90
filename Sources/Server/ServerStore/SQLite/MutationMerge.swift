internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

extension WriteSession {
    /// Admits and merges one mutation and writes all that follows from it: the record, its place in
    /// the feed, history, review items.
    ///
    /// - Parameter site: where a new record without a parent belongs; nil leaves it to the author.
    /// - Throws: `Admission.Refusal` where the mutation is not taken.
    func merge(_ sent: Mutation, by author: Author, in site: Site? = nil) throws -> Verdict {
        let existing = try connection.record(sent.record)
        let part = try partReturned(sent, on: existing, by: author)
        let mutation = part.rest
        let parent =
            existing == nil ? try mutation.parent.flatMap { try connection.record($0) } : nil
        let wasPruned = try existing == nil && connection.isPruned(mutation.record)
        // What the office makes stands, also where the record was deleted long ago.
        let isReborn = wasPruned && author.isOffice && mutation.operation == .insert
        let isPruned = wasPruned && !isReborn
        let isParked = try isToBeParked(mutation, on: existing, under: parent, by: author)
        let policies = try Admission(
            session: self, author: author, mutation: mutation, existing: existing, parent: parent,
            isPruned: isPruned, isParked: isParked
        ).check()
        try witness(mutation.highestLamport)
        if isParked, let sender = author.sender {
            let verdict = try park(mutation, on: existing, by: sender)
            try noteWaiting(mutation, by: author)
            return try answer(verdict, with: part, on: existing, isOutOfReach: true)
        }
        let outcome = mergeRecord(
            current: existing?.state ?? (isReborn ? reborn(mutation) : nil),
            mutation: try believable(mutation, on: existing, under: parent, isPruned, by: author),
            node: author.node,
            parentIsKnown: mutation.parent == nil || parent != nil, isPruned: isPruned,
            changedBelow: author.sender?.changedBelow[mutation.record] ?? [],
            past: try past(of: mutation, as: sent, on: existing, by: author),
            policy: { author.isCopy ? policies.policy(of: $0).supervised : policies.policy(of: $0) }
        )
        if let error = outcome.error { throw Admission.Refusal.rejected(error) }
        if outcome.status == .held { throw Admission.Refusal.waiting }
        try refuseFlood(of: outcome.reviews, by: author)
        let updatedAt = outcome.isChanged ? now : existing?.updatedAt ?? now
        if outcome.isChanged, let state = outcome.record {
            let site = try existing?.site ?? site ?? self.site(of: mutation, parent, author)
            try save(
                StoredRecord(
                    state: state, site: site, updatedAt: updatedAt, digest: state.digest),
                before: existing)
            if isReborn { try connection.forgetPruned(mutation.record) }
        }
        try keepRest(of: outcome, mutation, by: author.node, before: existing)
        if outcome.record != nil {
            try noteReturned(mutation, by: author)
            try settleReplaced(by: sent, of: author)
        }
        if outcome.isChanged, let state = outcome.record, !state.isDeleted,
            author.sender?.knowsPast ?? false
        {
            try lookAtDeletion(above: state, mutation, by: author.node)
        }
        return try answer(
            outcome.verdict(for: mutation.id, updatedAtUtc: SyncTimestamp.text(updatedAt)),
            with: part, on: existing)
    }

    /// A record that was pruned, before it is made again. Devices may still hold it, and take it from
    /// an answer only with a newer version: each version of it had a place in the feed, so that none
    /// was higher than the newest place.
    private func reborn(_ mutation: Mutation) -> RecordState {
        RecordState(
            table: mutation.table, id: mutation.record, parent: mutation.parent, version: position)
    }

    /// The mutation as far as its author, or who brings it, can have seen the record.
    private func believable(
        _ mutation: Mutation, on existing: StoredRecord?, under parent: StoredRecord?,
        _ isPruned: Bool, by author: Author
    ) throws -> Mutation {
        guard let sender = author.sender else { return mutation }
        if let existing {
            return try knowing(
                mutation, believed: believable(mutation, on: existing, from: sender.standpoint),
                on: existing, by: author)
        }
        // Its maker's device may bring the record back; until then nobody can judge its changes. A
        // deletion that was in force waits for what it stands under only.
        guard mutation.operation != .insert, !isPruned,
            try mayCome(mutation.record, for: sender)
        else { return mutation }
        let waits = try mutation.parent.map { try parent == nil && !connection.isPruned($0) }
        guard mutation.wasInForce(for: sender), !(waits ?? false) else {
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
        if outcome.status == .quarantined, outcome.record == nil { try keepStranded(mutation) }
        let tombstone = before?.deletion
        let isBelow: (RecordOutcome.Review) -> Bool = { tombstone != nil && $0.kind == .deletion }
        try open(outcome.reviews.filter { !isBelow($0) }, of: mutation, by: node)
        if let tombstone {
            try openUnseen(
                outcome.reviews.filter(isBelow), by: tombstone.stamp, because: mutation)
        }
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
