internal import Coding
internal import Forms
internal import Inspections
package import Replication
internal import SQLite

extension SQLiteStore {
    /// Decides one item: a change of the record by the portal's node, seen by every device, and a
    /// new verdict for the device that waits.
    package func resolve(
        review id: String, _ decision: ReviewDecision, comment: String?, by supervisor: Supervisor
    ) throws {
        try write { session in
            let review = try session.connection.openReview(id)
            try session.following(decision, of: review, by: supervisor) {
                try session.carryOut(decision, of: review, by: supervisor)
            }
            try session.close(review, decision, comment: comment, by: supervisor)
            try session.settle(review)
        }
    }

    package func approve(inspection id: RecordID, by supervisor: Supervisor) throws {
        try move(id, to: .approved, comment: nil, by: supervisor)
    }

    package func returnInspection(
        id: RecordID, comment: String, by supervisor: Supervisor
    ) throws {
        try move(id, to: .returned, comment: comment, by: supervisor)
    }

    private func move(
        _ id: RecordID, to next: InspectionState, comment: String?, by supervisor: Supervisor
    ) throws {
        try write { session in
            let record = try session.inspection(id)
            let state = record.text(BuiltInField.state).flatMap(InspectionState.init(rawValue:))
            do {
                _ = try (state ?? .assigned).become(next, by: .supervisor)
            } catch let refusal as StateRefusal {
                throw ServerStoreError(.stateRefused, refusal.description)
            }
            var values = [BuiltInField.state: FieldValue.string(next.rawValue)]
            if next == .approved {
                try session.refuseOpenReviews(of: record)
                var reckoned = try session.reckonedAnswers(ofFinished: record)
                values.merge(reckoned.removeValue(forKey: record.id) ?? [:]) { state, _ in state }
                try session.put(reckoned, inRowsOf: record, by: supervisor)
            }
            if let comment { values[BuiltInField.comment] = try FieldValue(text: comment) }
            try session.put(
                record.id, table: record.table, parent: record.parent, values,
                by: supervisor.node)
        }
    }
}

extension ReviewDecision {
    fileprivate var word: String {
        switch self {
        case .mine: "mine"
        case .theirs: "theirs"
        case .value: "value"
        }
    }
}

extension WriteSession {
    func open(
        _ reviews: [RecordOutcome.Review], of mutation: Mutation, by node: NodeID
    ) throws {
        for review in reviews {
            let conflict = review.conflict
            let lamport = mutation.changes[conflict.column]?.lamport ?? mutation.lamport
            try connection.execute(
                """
                INSERT INTO review (id, mutation_id, record_id, kind, name, base, mine, theirs,
                    mine_node, mine_lamport, theirs_node, rule, opened_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(newID()), .text(mutation.id.rawValue), .text(review.record.rawValue),
                    .text(review.kind.rawValue), .text(conflict.column),
                    DatabaseValue(conflict.base), DatabaseValue(conflict.mine),
                    DatabaseValue(conflict.theirs), .text(node.rawValue), .integer(lamport),
                    DatabaseValue(conflict.theirsNode?.rawValue), .text(conflict.rule),
                    .integer(now),
                ])
        }
    }

    /// What the decision changes in the record; *theirs* leaves it as it is, except that it brings
    /// back a record whose deletion was in question.
    fileprivate func carryOut(
        _ decision: ReviewDecision, of review: OpenReview, by supervisor: Supervisor
    ) throws {
        let value: FieldValue
        switch (review.kind, decision) {
        case (.deletion, _): return try decideDeletion(decision, of: review, by: supervisor)
        case (_, .theirs): return
        case (_, .mine): value = review.mine
        case (_, .value(let other)): value = other
        }
        try refuseUnseen(review)
        if review.kind == .scope { return try takeParked(value, for: review, by: supervisor) }
        let record = try connection.record(review.record)
        if review.kind == .unknownRecord, record == nil {
            return try takeStranded(value, for: review, by: supervisor)
        }
        guard let record, !record.isDeleted else { throw letGo("the record was deleted") }
        try refuseShut(try connection.lineage(of: record.id))
        try put(
            record.id, table: record.table, parent: record.parent, [review.column: value],
            by: supervisor.node)
    }

    /// Nobody has to decide it: what had taken its place is here again.
    func settleReplaced(_ review: OpenReview) throws {
        try connection.execute(
            """
            UPDATE review SET decision = 'theirs', comment = ?, decided_at = ? WHERE id = ?
            """,
            [
                .text("what had replaced it before the restore came back"), .integer(now),
                .text(review.id),
            ])
        let entry = HistoryEntry(
            field: review.column, value: review.mine, stamp: review.mineStamp, rule: .seen)
        try keep(entry, of: review.record, version: 0, because: review.mutation)
        try settle(review)
    }

    fileprivate func close(
        _ review: OpenReview, _ decision: ReviewDecision, comment: String?,
        by supervisor: Supervisor
    ) throws {
        try connection.execute(
            """
            UPDATE review SET decision = ?, decided_by = ?, comment = ?, decided_at = ?
            WHERE id = ?
            """,
            [
                .text(decision.word), .text(supervisor.name), DatabaseValue(comment),
                .integer(now), .text(review.id),
            ])
        let rules: [RecordOutcome.Review.Kind: MergeRule] = [.field: .quarantine, .scope: .scope]
        guard decision != .mine, let rule = rules[review.kind] else { return }
        let entry = HistoryEntry(
            field: review.column, value: review.mine, stamp: review.mineStamp, rule: rule)
        try keep(entry, of: review.record, version: 0, because: review.mutation)
    }

    /// The verdict of the mutation that was quarantined, without the column that is decided now.
    fileprivate func settle(_ review: OpenReview) throws {
        guard let stored = try connection.verdict(on: review.mutation) else { return }
        // A deletion settles no field of its mutation, and a rule none of another rule's.
        var rest = stored.conflicts.filter {
            $0.column != review.column || $0.rule != review.rule
        }
        if review.kind == .scope { rest = try undecided(rest, of: review.mutation) }
        let version = try connection.record(review.record)?.version ?? stored.version
        try settle(
            review.mutation, StoredVerdict.status(with: rest), conflicts: rest, version: version,
            deliverTo: stored.node)
    }

    fileprivate func inspection(_ id: RecordID) throws -> StoredRecord {
        guard let record = try connection.record(id), record.table == RecordTable.inspection,
            !record.isDeleted
        else { throw ServerStoreError(.unknownRecord, "there is no inspection '\(id)'") }
        return record
    }
}
