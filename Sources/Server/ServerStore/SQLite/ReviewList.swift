internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

extension SQLiteStore {
    package func openReviews(after last: ReviewItem?, limit: Int) throws -> [ReviewItem] {
        let (items, unseen) = try readForOffice { connection in
            try connection.openReviews(after: last, limit: limit)
        }
        // What a decision replaces is what was shown last.
        if !unseen.isEmpty {
            try write { session in
                for item in unseen { try session.noteShown(item) }
            }
        }
        return items
    }

    package func openReview(id: String) throws -> ReviewItem {
        try readForOffice { connection in
            try connection.item(of: try connection.openReview(id))
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
    /// As it was shown last: when the item was listed or, before that, opened.
    let theirs: FieldValue
    let mineStamp: Stamp
    let rule: String
    let openedAt: Int64

    static let select = """
        SELECT id, mutation_id, record_id, name, base, mine, mine_lamport, mine_node, rule,
            opened_at, kind, theirs
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
        theirs = try row.fieldValue(11)
        kind = RecordOutcome.Review.Kind(rawValue: try row.text(10)) ?? .unknownRecord
    }

    /// As people see it: *theirs* is what stands in the record now, not when the item was opened.
    fileprivate func item(
        record current: StoredRecord?, inspection: RecordID?, asset: String?, address: String
    ) -> ReviewItem {
        let register = current?.fields[column]
        return ReviewItem(
            id: id, record: record, inspection: inspection, address: address,
            form: current?.text(BuiltInField.form),
            asset: asset, column: column, base: base, mine: mine,
            theirs: current?.value(column) ?? .null, mineNode: mineStamp.node,
            theirsNode: register?.stamp.node, rule: rule, openedAt: openedAt)
    }
}

extension Connection {
    /// - Returns: a page of the queue, and those of its items whose other side is not the one that
    ///   was shown last.
    fileprivate func openReviews(
        after last: ReviewItem?, limit: Int
    ) throws -> (items: [ReviewItem], unseen: [ReviewItem]) {
        let rows = try query(
            OpenReview.select + """
                 WHERE decision IS NULL AND opened_at >= ?1 AND (opened_at > ?1 OR id > ?2)
                ORDER BY opened_at, id LIMIT ?3
                """,
            [
                .integer(last?.openedAt ?? .min), .text(last?.id ?? ""), .integer(Int64(limit)),
            ], OpenReview.init(row:))
        var items: [ReviewItem] = []
        var unseen: [ReviewItem] = []
        for row in rows {
            let item = try item(of: row)
            if item.theirs != row.theirs { unseen.append(item) }
            items.append(item)
        }
        return (items, unseen)
    }

    fileprivate func item(of review: OpenReview) throws -> ReviewItem {
        guard let record = try record(review.record) else {
            return review.item(
                record: nil, inspection: nil, asset: nil, address: review.column)
        }
        return review.item(
            record: record, inspection: try inspection(of: record)?.id,
            asset: try assetTag(of: record),
            address: try rowAddress(of: record).map { $0(review.column) } ?? review.column)
    }

    /// - Throws: `unknownReviewItem`, `alreadyDecided`.
    func openReview(_ id: String) throws -> OpenReview {
        let found = try first(
            OpenReview.select + " WHERE id = ? AND decision IS NULL", [.text(id)],
            OpenReview.init(row:))
        if let found { return found }
        let isDecided = try first("SELECT 1 FROM review WHERE id = ?", [.text(id)]) { _ in true }
        guard isDecided == nil else {
            throw ServerStoreError(.alreadyDecided, "this review item was decided already")
        }
        throw ServerStoreError(.unknownReviewItem, "there is no review item '\(id)'")
    }
}

extension WriteSession {
    fileprivate func noteShown(_ item: ReviewItem) throws {
        try connection.execute(
            "UPDATE review SET theirs = ?, theirs_node = ? WHERE id = ? AND decision IS NULL",
            [
                DatabaseValue(item.theirs), DatabaseValue(item.theirsNode?.rawValue),
                .text(item.id),
            ])
    }
}
