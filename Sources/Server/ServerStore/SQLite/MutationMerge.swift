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
        let before =
            existing ?? StoredRecord(new: mutation, site: site(of: mutation, parent, author))
        let merge = try RecordMerge(before, mutation, node: author.node, policies: policies)
        var after = merge.record
        if existing == nil || after.version > before.version {
            after.updatedAt = now
            try save(after, changed: merge.changed, before: existing)
        }
        for entry in merge.history {
            let version = before.fields[entry.field].flatMap {
                $0.stamp == entry.stamp ? $0.version : nil
            }
            try keep(entry, of: after.id, version: version ?? 0, because: mutation.id)
        }
        try openReviews(for: merge.reviews, of: mutation, by: author.node)
        return Verdict(
            mutationId: mutation.id, status: merge.status, version: after.version,
            record: after.wire, conflicts: merge.conflicts)
    }

    /// Where a new record belongs: to its parent's site, or to the team that makes it.
    private func site(of mutation: Mutation, _ parent: StoredRecord?, _ author: Author) -> Site {
        if let parent { return parent.site }
        if mutation.table == RecordTable.site {
            return Site(id: mutation.record.rawValue, team: "")
        }
        if case .device(let device) = author { return Site(id: "", team: device.team.id) }
        return Site(id: "", team: "")
    }
}
