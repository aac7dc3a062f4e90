internal import Coding
internal import Forms
internal import Inspections
package import Replication
internal import SQLite

extension SQLiteStore {
    package func openReviews() throws -> [ReviewItem] {
        try readForOffice { connection in
            let rows = try connection.query(
                OpenReview.select + " WHERE decision IS NULL ORDER BY opened_at, id", [],
                OpenReview.init(row:))
            return try rows.map { row in
                let record = try connection.record(row.record)
                return row.item(record: record, asset: try record.flatMap(connection.assetTag))
            }
        }
    }

    /// Decides one item: a change of the record by the portal's node, seen by every device, and a
    /// new verdict for the device that waits.
    package func resolve(
        review id: String, _ decision: ReviewDecision, comment: String?, by supervisor: Supervisor
    ) throws {
        try write { session in
            let review = try session.openReview(id)
            try session.carryOut(decision, of: review, by: supervisor)
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
            try session.refuseOpenReviews(of: record, next)
            if next == .approved { try session.refuseUnfinished(record) }
            var values = [BuiltInField.state: FieldValue.string(next.rawValue)]
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

/// A row of the review queue that nobody has decided yet.
struct OpenReview {
    let id: String
    let mutation: MutationID
    let record: RecordID
    let kind: RecordOutcome.Review.Kind
    let column: FieldName
    let base: FieldValue
    let mine: FieldValue
    let mineStamp: Stamp
    let rule: String
    let openedAt: Int64

    static let select = """
        SELECT id, mutation_id, record_id, name, base, mine, mine_lamport, mine_node, rule,
            opened_at, kind
        FROM review
        """

    init(row: Row) throws {
        id = try row.text(0)
        mutation = MutationID(try row.text(1))
        record = RecordID(try row.text(2))
        column = try row.text(3)
        base = try row.fieldValue(4)
        mine = try row.fieldValue(5)
        mineStamp = Stamp(lamport: try row.integer(6), node: NodeID(try row.text(7)))
        rule = try row.text(8)
        openedAt = try row.integer(9)
        kind = RecordOutcome.Review.Kind(rawValue: try row.text(10)) ?? .unknownRecord
    }

    /// As people see it: *theirs* is what stands in the record now, not when the item was opened.
    func item(record current: StoredRecord?, asset: String?) -> ReviewItem {
        let register = current?.fields[column]
        return ReviewItem(
            id: id, record: record, form: current?.text(BuiltInField.form),
            asset: asset, column: column, base: base, mine: mine,
            theirs: current?.value(column) ?? .null, mineNode: mineStamp.node,
            theirsNode: register?.stamp.node, rule: rule, openedAt: openedAt)
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
                    .text(newID()), .text(mutation.id.rawValue), .text(mutation.record.rawValue),
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
        let record = try connection.record(review.record)
        let values: [FieldName: FieldValue]
        switch (review.kind, decision) {
        case (.deletion, .mine), (.field, .theirs), (.unknownRecord, .theirs), (.scope, .theirs):
            return
        case (.scope, .mine): return try takeParked(review.mine, for: review, by: supervisor)
        case (.scope, .value(let value)):
            return try takeParked(value, for: review, by: supervisor)
        case (.deletion, .theirs): values = [Mutation.deletedField: .integer(0)]
        case (.field, .mine), (.unknownRecord, .mine): values = [review.column: review.mine]
        case (.field, .value(let value)), (.unknownRecord, .value(let value)):
            values = [review.column: value]
        case (.deletion, .value):
            throw ServerStoreError(.valueRefused, "a deletion is confirmed or taken back")
        }
        if review.kind == .unknownRecord, record == nil {
            return try takeStranded(
                values[review.column] ?? .null, for: review, by: supervisor)
        }
        guard let record, !record.isDeleted || review.kind == .deletion else {
            throw ServerStoreError(
                .stateRefused, "the record was deleted; the value can only be let go")
        }
        try put(
            record.id, table: record.table, parent: record.parent, values, by: supervisor.node)
    }

    fileprivate func openReview(_ id: String) throws -> OpenReview {
        let found = try connection.first(
            OpenReview.select + " WHERE id = ? AND decision IS NULL", [.text(id)],
            OpenReview.init(row:))
        if let found { return found }
        let isDecided = try connection.first("SELECT 1 FROM review WHERE id = ?", [.text(id)]) {
            _ in true
        }
        guard isDecided == nil else {
            throw ServerStoreError(.alreadyDecided, "this review item was decided already")
        }
        throw ServerStoreError(.unknownReviewItem, "there is no review item '\(id)'")
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
        var rest = stored.conflicts.filter { $0.column != review.column }
        if review.kind == .scope { rest = try undecided(rest, of: review.mutation) }
        let version = try connection.record(review.record)?.version ?? stored.version
        try settle(
            review.mutation, StoredVerdict.status(with: rest), conflicts: rest, version: version,
            deliverTo: review.mineStamp.node)
    }

    fileprivate func inspection(_ id: RecordID) throws -> StoredRecord {
        guard let record = try connection.record(id), record.table == RecordTable.inspection,
            !record.isDeleted
        else { throw ServerStoreError(.unknownRecord, "there is no inspection '\(id)'") }
        return record
    }

    /// Two devices can bring about together what neither would: one completes the inspection while
    /// another clears an answer. What is signed has no gap.
    fileprivate func refuseUnfinished(_ record: StoredRecord) throws {
        guard let id = record.text(BuiltInField.form),
            let version = record.text(BuiltInField.formVersion),
            let form = try forms.policies(ofForm: id, version: version, from: connection)?.form
        else {
            throw ServerStoreError(
                .stateRefused, "this server has not published the form of the inspection")
        }
        let answers = record.fields.filter { !BuiltInField.isBuiltIn($0.key) }.mapValues(\.value)
        let problems = form.evaluate(answers: answers).problems
        guard problems.isEmpty else {
            throw ServerStoreError(
                .stateRefused,
                "the inspection is not finished: "
                    + problems.map { "\($0.path) \($0.problem.message())" }
                    .joined(separator: "; "))
        }
    }

    /// A value that still waits for a decision would change what was just signed.
    fileprivate func refuseOpenReviews(
        of record: StoredRecord, _ next: InspectionState
    ) throws {
        guard next == .approved else { return }
        let waiting = try connection.first(
            "SELECT count(*) FROM review WHERE record_id = ? AND decision IS NULL",
            [.text(record.id.rawValue)]
        ) { try $0.integer(0) }
        guard waiting ?? 0 == 0 else {
            throw ServerStoreError(
                .stateRefused,
                "values of this inspection wait in the review queue; decide them first"
            )
        }
    }
}
