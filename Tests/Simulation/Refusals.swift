import LocalStore
import Replication
import SQLite
import ServerStore

/// What a push is answered without being merged: the verdict that stands, or a reason that has to be
/// one.
extension Judgement {
    /// A mutation that comes again changes nothing, and hears what stood or was decided since.
    func check(_ verdict: Verdict, repeating before: Verdict) throws {
        guard verdict.status != .rejected else {
            guard verdict.error?.code != WireError.contentMismatch.code else { return }
            throw Violation("what was taken is refused", "\(verdict.mutationId)")
        }
        guard verdict.status == before.status,
            verdict.conflicts.map(\.column) == before.conflicts.map(\.column)
        else {
            throw Violation(
                "a repeated mutation is answered otherwise",
                "\(verdict.mutationId): \(verdict.status) instead of \(before.status)")
        }
    }

    /// Reasons that the tables show after the batch, which none of its own changes takes away.
    func check(refusal verdict: Verdict, of mutation: Mutation, _ reader: Connection) throws {
        let isFounded: Bool
        switch (verdict.status, verdict.error?.code) {
        case (.held, _) where verdict.heldBy == nil:
            isFounded = try reader.recordState(mutation.record)?.isKnown != true
        case (.rejected, "parent_deleted"):
            isFounded =
                try !isHere(mutation.parent, reader)
                || reader.hasAbove(mutation, "is_deleted = 1")
        case (.rejected, "locked"):
            isFounded = try reader.hasAbove(
                mutation,
                """
                table_name = 'inspection' AND EXISTS (
                    SELECT 1 FROM field WHERE record_id = record.id AND name = '@state'
                        AND value = 'approved')
                """)
        case (.rejected, "out_of_scope"):
            isFounded = try reader.hasAbove(
                mutation,
                """
                ifnull((SELECT team_id FROM site_team WHERE site_team.site_id = record.site_id),
                    record.team_id) <> (
                        SELECT device.team_id FROM device_node
                        JOIN device ON device.id = device_id WHERE device_node.node = ?3)
                """, [.text(node.rawValue)])
        default: return
        }
        guard !isFounded else { return }
        throw Violation(
            "a mutation is refused without a reason",
            "\(mutation.id) is \(verdict.status) \(verdict.error?.code ?? "")")
    }

    private func isHere(_ id: RecordID?, _ reader: Connection) throws -> Bool {
        try id.map { try reader.recordState($0) != nil } ?? true
    }
}

extension RecordState {
    /// A tombstone that a restored server was told of before the record itself has no form yet: nobody
    /// can judge what others enter in it.
    var isKnown: Bool { !isDeleted || fields.count > 1 }
}

extension Connection {
    /// Whether a record of which the condition is true stands above, or is the one that is changed.
    fileprivate func hasAbove(
        _ mutation: Mutation, _ condition: String, _ values: [DatabaseValue] = []
    ) throws -> Bool {
        try first(
            """
            WITH RECURSIVE above (id) AS (
                VALUES (?1), (?2)
                UNION
                SELECT parent_id FROM record JOIN above ON record.id = above.id)
            SELECT 1 FROM record WHERE id IN (SELECT id FROM above) AND \(condition)
            """,
            [
                .text(mutation.record.rawValue),
                .text((mutation.parent ?? mutation.record).rawValue),
            ] + values
        ) { _ in true } ?? false
    }

    /// Whether a person has, or had, the deletion to look at.
    func isLookedAt(_ mutation: MutationID) throws -> Bool {
        try first(
            "SELECT 1 FROM review WHERE mutation_id = ? AND kind = 'deletion'",
            [.text(mutation.rawValue)]
        ) { _ in true } ?? false
    }

    /// Whether a value that lost stands in the history.
    func keeps(_ entry: HistoryEntry, because mutation: Mutation) throws -> Bool {
        try query(
            """
            SELECT value FROM history WHERE record_id = ? AND name = ? AND lamport = ? AND node = ?
                AND rule = ? AND mutation_id = ?
            """,
            [
                .text(mutation.record.rawValue), .text(entry.field),
                .integer(entry.stamp.lamport), .text(entry.stamp.node.rawValue),
                .text(entry.rule.rawValue), .text(mutation.id.rawValue),
            ]
        ) { try $0.fieldValue(0) }.contains(entry.value)
    }
}
