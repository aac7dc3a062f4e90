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
        let policies = try Admission(
            session: self, author: author, mutation: mutation, existing: existing, parent: parent
        ).check()
        try witness(mutation.highestLamport)
        let outcome = mergeRecord(
            current: existing?.state,
            mutation: existing.map { mutation.believing(versionsUpTo: $0.version) } ?? mutation,
            node: author.node,
            parentIsKnown: mutation.parent == nil || parent != nil, policy: policies.policy)
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
        if case .device(let device) = author { return Site(id: "", team: device.team.id) }
        return Site(id: "", team: "")
    }
}

extension Mutation {
    /// A base that the record has not reached cannot have been seen: it counts as unknown, so that
    /// no device writes over what others entered by naming a version of the future. (After a restore
    /// from a backup honest devices name such versions too.)
    fileprivate func believing(versionsUpTo version: Int64) -> Mutation {
        var copy = self
        copy.changes = changes.mapValues { change in
            var change = change
            if change.baseVersion > version { change.baseVersion = 0 }
            return change
        }
        return copy
    }
}
