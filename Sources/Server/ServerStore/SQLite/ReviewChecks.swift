internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

/// What a decision must not do unseen: replace a value that nobody was shown, change what is signed,
/// add to what is gone.
extension WriteSession {
    /// What the decision would replace is what was shown.
    func refuseUnseen(_ review: OpenReview) throws {
        let standing = try connection.record(review.record)?.value(review.column) ?? .null
        guard standing != review.theirs else { return }
        throw ServerStoreError(
            .stateRefused,
            "another value has come in since this item was listed; list the items again, then decide"
        )
    }

    /// - Parameter lineage: the record that would be changed, or made under the first, and what
    ///   stands above.
    func refuseShut(_ lineage: [Ancestor]) throws {
        if lineage.contains(where: \.isDeleted) {
            throw letGo("what the record belongs to was deleted")
        }
        if lineage.upToInspection.contains(where: \.isApproved) {
            throw letGo("the inspection is approved and locked")
        }
    }

    /// Confirms a deletion, or takes it back. It may be of a record above the one whose value was
    /// not seen.
    func decideDeletion(
        _ decision: ReviewDecision, of review: OpenReview, by supervisor: Supervisor
    ) throws {
        let lineage = try connection.lineage(of: review.record)
        let named = try connection.verdict(on: review.mutation)?.record
        // What came back under a tombstone names what came, not what was deleted.
        let deleted =
            try named.flatMap { try connection.record($0) }?.deletion == nil
            ? lineage.first(where: \.isDeleted)?.id ?? named : named
        guard let record = try connection.record(deleted ?? review.record) else { return }
        switch decision {
        case .value:
            throw ServerStoreError(.valueRefused, "a deletion is confirmed or taken back")
        case .mine where !record.isDeleted:
            throw ServerStoreError(
                .stateRefused, "the record was restored since; it can only be left as it is")
        case .mine: return
        case .theirs where !record.isDeleted: return
        case .theirs:
            if lineage.upToInspection.contains(where: \.isApproved) {
                throw ServerStoreError(
                    .stateRefused,
                    "the inspection is approved and locked; the deletion can only be confirmed")
            }
            try put(
                record.id, table: record.table, parent: record.parent,
                [Mutation.deletedField: .integer(0)], by: supervisor.node)
        }
    }

    /// A value that still waits for a decision, of the inspection or of what belongs to it, would
    /// change what was just signed.
    func refuseOpenReviews(of inspection: StoredRecord) throws {
        let waiting = try connection.first(
            """
            WITH RECURSIVE part (id) AS (
                VALUES (?)
                UNION
                SELECT record.id FROM record JOIN part ON record.parent_id = part.id)
            SELECT 1 FROM review WHERE decision IS NULL AND record_id IN (SELECT id FROM part)
            """, [.text(inspection.id.rawValue)]
        ) { _ in true }
        guard waiting == nil else {
            throw ServerStoreError(
                .stateRefused,
                "values of this inspection wait in the review queue; decide them first")
        }
    }

    /// Values of records that are not here that may wait for a person, of one device; one change may
    /// bring more.
    private static let mostUnknown: Int64 = 1_000

    /// A device that names records which never were here does not fill the queue: what is too much
    /// waits on the device until some of it is decided.
    func refuseFlood(of reviews: [RecordOutcome.Review], by author: Author) throws {
        let more = Int64(reviews.filter { $0.kind == .unknownRecord }.count)
        guard more > 0, let device = author.sender?.device else { return }
        let waiting = try connection.first(
            """
            SELECT count(*) FROM device_node JOIN review ON review.mine_node = device_node.node
            WHERE device_node.device_id = ? AND review.decision IS NULL
                AND review.kind = 'unknownRecord'
            """, [.text(device.id)]
        ) { try $0.integer(0) }
        guard let waiting, waiting > 0, waiting + more > WriteSession.mostUnknown else { return }
        throw Admission.Refusal.waiting
    }
}
