internal import Coding
internal import Replication
internal import SQLite

/// Deletions that were in force before a restore, and what comes back below them. Whoever deleted had
/// ended the record; whoever has not heard of it brings it again, before or after the deletion, and
/// both orders come to the same: the record is deleted with all that it had, and a person looks where
/// the deletion had not seen something.
extension Mutation {
    /// Whether it deletes, and had done so before the restore.
    func wasInForce(for sender: Sender) -> Bool {
        guard sender.knowsPast, let deletion else { return false }
        return deletion.formerVersion > 0
    }
}

extension Sender {
    /// Whether it comes from before a restore, with versions of one epoch.
    var knowsPast: Bool { standpoint.epoch != .current && epochOfVersions > 0 }
}

extension StoredRecord {
    /// Of a tombstone: what made it one.
    var deletion: FieldRegister? { isDeleted ? fields[Mutation.deletedField] : nil }
}

extension WriteSession {
    /// - Parameter sent: the mutation with what of it is settled already.
    func past(
        of mutation: Mutation, as sent: Mutation, on record: StoredRecord?, by author: Author
    ) throws -> ReturnedPast {
        var past = ReturnedPast()
        guard let sender = author.sender else { return past }
        if record == nil { past.isOverdue = try isOverdue(mutation.record, for: sender) }
        guard sender.knowsPast else { return past }
        past.wasInForce = mutation.wasInForce(for: sender)
        past.seen = try seen(byDeletion: mutation, on: record, by: author)
        guard let record, let register = record.deletion,
            let deletion = try connection.returned(
                register.stamp, Mutation.deletedField, of: record.id),
            deletion.epoch == sender.epochOfVersions
        else { return past }
        let changes = mutation.changes.filter { $0.key != Mutation.deletedField }
        // What stood beside it in one mutation was settled together with it.
        let isOld = sent.changes.values.contains(where: deletion.cameAfter)
        for (name, change) in changes
        where deletion.cameAfter(change) || isOld && change.formerVersion == 0 {
            past.buried.insert(name)
            let hadSeen = change.formerVersion <= deletion.baseVersion
            if hadSeen || register.stamp.node == author.node { past.seen.insert(name) }
        }
        return past
    }

    /// Whether a change of what stands under tombstones was in force before each of these was: then it
    /// stands under them again.
    func cameBeforeDeletions(
        above lineage: some Sequence<Ancestor>, _ mutation: Mutation, by author: Author
    ) throws -> Bool {
        guard let sender = author.sender, sender.knowsPast,
            mutation.changes.values.contains(where: { $0.formerVersion > 0 })
        else { return false }
        return try lineage.filter(\.isDeleted).allSatisfy { tombstone in
            guard let stamp = try connection.record(tombstone.id)?.deletion?.stamp else {
                return false
            }
            let deletion = try connection.returned(stamp, Mutation.deletedField, of: tombstone.id)
            return deletion?.epoch == sender.epochOfVersions
        }
    }

    /// Something came back under a tombstone: as where it had come first, nobody knows whether whoever
    /// deleted what is above had seen it.
    func lookAtDeletion(
        above state: RecordState, _ mutation: Mutation, by node: NodeID
    ) throws {
        let lineage = try connection.lineage(of: state.id).upToInspection
        let above = lineage.dropFirst().first(where: \.isDeleted)
        let newest = state.fields.filter { mutation.changes[$0.key] != nil }
            .max { $0.value.stamp < $1.value.stamp }
        guard let above, let newest,
            let stamp = try connection.record(above.id)?.deletion?.stamp, stamp.node != node
        else { return }
        let conflict = FieldConflict(
            column: newest.key, base: .null, mine: .null, theirs: newest.value.value,
            theirsNode: newest.value.stamp.node, rule: MergeRule.delete.rawValue)
        try openUnseen(
            [RecordOutcome.Review(kind: .deletion, conflict: conflict, record: state.id)],
            by: stamp, because: mutation)
    }

    /// What a deletion had not seen, unless a person looks at that deletion already.
    func openUnseen(
        _ reviews: [RecordOutcome.Review], by deletion: Stamp, because mutation: Mutation
    ) throws {
        let isLookedAt = try connection.first(
            """
            SELECT 1 FROM review
            WHERE decision IS NULL AND kind = 'deletion' AND mine_node = ? AND mine_lamport = ?
            """, [.text(deletion.node.rawValue), .integer(deletion.lamport)]
        ) { _ in true }
        guard isLookedAt == nil else { return }
        var mutation = mutation
        mutation.lamport = deletion.lamport
        mutation.changes = [:]
        try open(Array(reviews.prefix(1)), of: mutation, by: deletion.node)
    }
}

extension Returned {
    /// Whether this deletion took along what a change of its epoch had made.
    fileprivate func cameAfter(_ change: FieldChange) -> Bool {
        1..<max(version, baseVersion + 1, 1) ~= change.formerVersion
    }
}
