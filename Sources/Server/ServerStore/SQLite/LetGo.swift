internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

/// Records that a supervisor did not let come to be: all that was asked about their making was answered
/// *theirs*. After a restore others may still have them, from before it; they do not come back that way,
/// not even in part. What stands under them went with them, as long as they are away.
extension Connection {
    func isLetGo(_ record: RecordID) throws -> Bool { try letGoMaking(of: record) != nil }

    /// - Returns: the mutation that would have made it; nil for a record that is or was here, or about
    ///   whose making somebody has still to decide, and for one that went with what it stood under, where
    ///   that is here since.
    func letGoMaking(of record: RecordID) throws -> Mutation? {
        guard try self.record(record) == nil, try !isPruned(record) else { return nil }
        let makings = try makings(of: record)
        guard !makings.contains(where: \.isOpen) else { return nil }
        if let decided = makings.first(where: { !$0.mutation.isMark }) { return decided.mutation }
        guard let mark = makings.first?.mutation, let parent = mark.parent, try isLetGo(parent)
        else { return nil }
        return mark
    }

    /// Whether somebody has still to decide whether a record comes to be, whoever made it.
    func isMakingAsked(of record: RecordID) throws -> Bool {
        try makings(of: record).contains(where: \.isOpen)
    }

    /// Of what went for lack of this record.
    fileprivate func marks(below record: RecordID) throws -> [Mutation] {
        try query(
            "SELECT document FROM parked WHERE instr(document, ?) > 0 ORDER BY mutation_id",
            [.text(record.rawValue)]
        ) { try Mutation(json: JSON.parse(Array(try $0.text(0).utf8))) }
        .filter { $0.isMark && $0.parent == record }
    }

    fileprivate func forgetMark(_ mark: Mutation?) throws {
        guard let mark else { return }
        try execute("DELETE FROM parked WHERE mutation_id = ?", [.text(mark.id.rawValue)])
    }

    private func makings(of record: RecordID) throws -> [(mutation: Mutation, isOpen: Bool)] {
        try query(
            """
            SELECT document, EXISTS (
                SELECT 1 FROM review
                WHERE review.mutation_id = parked.mutation_id AND review.decision IS NULL)
            FROM parked WHERE record_id = ? ORDER BY mutation_id
            """, [.text(record.rawValue)]
        ) { row in
            (try Mutation(json: JSON.parse(Array(try row.text(0).utf8))), try row.flag(1))
        }.filter { $0.0.operation == .insert }
    }
}

extension Mutation {
    /// Of no device's sequence: it keeps what went with what was let go above it, and nobody was asked.
    fileprivate var isMark: Bool { sequence == Self.sequenceOfMarks }

    fileprivate static let sequenceOfMarks: Int64 = 0
}

extension Connection {
    /// Whether a supervisor has still to decide about this very change, because its record had left the scope.
    func waitsByScope(
        _ field: WireRecord.Field, _ name: FieldName, of record: RecordID
    ) throws -> Bool {
        try first(
            """
            SELECT 1 FROM review WHERE record_id = ? AND name = ? AND mine_lamport = ?
                AND mine_node = ? AND kind = 'scope' AND decision IS NULL
            """,
            [
                .text(record.rawValue), .text(name), .integer(field.stamp.lamport),
                .text(field.stamp.node.rawValue),
            ]
        ) { _ in true } ?? false
    }
}

extension WriteSession {
    /// Whether a copy is of what a supervisor let go, or stands under it.
    func isLetGo(_ copy: WireRecord) throws -> Bool {
        guard try connection.record(copy.id) == nil else { return false }
        return try connection.isLetGo(copy.id)
            || copy.parent.map { try connection.isLetGo($0) } ?? false
    }

    /// Keeps what of it is nowhere else to be found, and that whatever stands under it goes the same way.
    func letGo(
        _ copy: WireRecord, from sender: Sender, schemaVersion: Int64
    ) throws {
        let cause = MutationID(newID())
        for (name, field) in copy.fields.sorted(by: { $0.key < $1.key }) {
            let stamps = try connection.stamps(of: field, name, copy.id, from: sender)
            let isKnown = try stamps.contains {
                try connection.hasTrace(of: $0, field.value, on: name, of: copy.id)
            }
            guard !isKnown else { continue }
            let entry = HistoryEntry(
                field: name, value: field.value, stamp: field.stamp, rule: .scope)
            try keep(entry, of: copy.id, version: 0, because: cause)
        }
        // What was decided about keeps the change that was asked about.
        let known = try connection.letGoMaking(of: copy.id)
        guard known?.isMark ?? true else { return }
        var mark =
            known
            ?? Mutation(
                id: cause, sequence: Mutation.sequenceOfMarks, table: copy.table, record: copy.id,
                parent: copy.parent, operation: .insert, lamport: 1, changes: [:],
                createdAtUtc: SyncTimestamp.text(now), schemaVersion: schemaVersion)
        for (name, field) in copy.fields
        where mark.changes[name].map({ $0.lamport < field.stamp.lamport }) ?? true {
            mark.changes[name] = FieldChange(
                value: field.value, baseVersion: 0, lamport: field.stamp.lamport)
        }
        mark.lamport = max(mark.lamport, copy.fields.values.map(\.stamp.lamport).max() ?? 1)
        try connection.forgetMark(known)
        try keepParked(mark, by: sender)
    }

    /// What went with a record for lack of it, and nobody was asked about: it comes with the record, which a
    /// supervisor has taken after all.
    func bringBack(below record: RecordID, by supervisor: Supervisor) throws {
        for mark in try connection.marks(below: record) {
            try connection.forgetMark(mark)
            guard try connection.record(mark.record) == nil, try !connection.isPruned(mark.record)
            else { continue }
            try put(
                mark.record, table: mark.table, parent: record, mark.changes.mapValues(\.value),
                by: supervisor.node)
            try bringBack(below: mark.record, by: supervisor)
        }
    }

    /// What is asked about has come back too. What makes the record is not asked about by itself, and may
    /// come by others meanwhile.
    func noteWaiting(_ mutation: Mutation, by author: Author) throws {
        for (name, change) in mutation.changes where !BuiltInField.isBuiltIn(name) {
            try noteReturned(change, name, of: mutation.record, by: author)
        }
    }

    /// What waits by scope and had been replaced before the restore, by a change that is here again, is asked
    /// about no more: it goes to the history. Versions tell that, or what whoever made the change had seen.
    ///
    /// - Parameter mutation: as it came, also where it is known here already.
    func settleReplaced(by mutation: Mutation, of author: Author) throws {
        guard let sender = author.sender, sender.standpoint.epoch != .current,
            sender.epochOfVersions > 0
        else { return }
        for (name, change) in mutation.changes {
            let waiting = try connection.query(
                """
                SELECT id FROM review
                WHERE record_id = ? AND name = ? AND kind = 'scope' AND decision IS NULL
                """, [.text(mutation.record.rawValue), .text(name)]
            ) { try $0.text(0) }
            let stamp = Stamp(lamport: change.lamport, node: author.node)
            for review in try waiting.map(connection.openReview) where review.mineStamp != stamp {
                guard try isReplaced(review, by: change, from: sender) else { continue }
                try settleReplaced(review)
            }
        }
    }

    private func isReplaced(
        _ review: OpenReview, by change: FieldChange, from sender: Sender
    ) throws -> Bool {
        guard
            let known = try connection.returned(
                review.mineStamp, review.column, of: review.record)
        else { return false }
        let register = FieldRegister(
            value: review.mine, stamp: review.mineStamp, version: known.version)
        if known.isSeen(by: change, over: register, from: sender) { return true }
        let field = WireRecord.Field(
            value: review.mine, stamp: review.mineStamp, version: known.version)
        return try known.epoch == sender.epochOfVersions
            && connection.hasSuccessor(of: field, review.column, review.record, from: sender)
    }
}
