package import Forms
internal import Inspections
package import Replication
internal import SQLite

/// A text that was typed and not accepted, where nothing shows the question any more. Nobody accepts it
/// by itself, and nobody throws it away by itself: a person reads it, types it elsewhere, or discards it.
package struct StrandedDraft: Sendable, Equatable {
    package enum Reason: String, Sendable {
        /// Its row, its finding or its inspection was deleted elsewhere, or is gone from this device.
        case deleted
        /// The inspection has moved to a version of its form that does not ask this.
        case notAsked
    }

    package var record: RecordID
    /// Of the row or the finding, where it is still known which that was.
    package var inspection: RecordID?
    /// What a finding was about.
    package var finding: AnswerKey?
    package var reason: Reason
    package var draft: Draft
}

extension DeviceStore {
    /// Oldest first.
    package func strandedDrafts() throws -> [StrandedDraft] {
        try read { try strandedDrafts($0) }
    }

    func strandedDrafts(_ database: Connection) throws -> [StrandedDraft] {
        try database.allDrafts().compactMap { record, draft in
            let place = try database.place(of: record)
            let finding = try database.question(ofFinding: record)
            let isInShownRow = try finding?.row.map { try database.place(of: RecordID($0)).isShown }
            var reason: StrandedDraft.Reason?
            if !place.isShown || isInShownRow == false {
                reason = .deleted
            } else if finding == nil, let inspection = place.inspection,
                try !isAsked(draft.field, in: inspection, database)
            {
                reason = .notAsked
            }
            return reason.map {
                StrandedDraft(
                    record: record, inspection: place.inspection, finding: finding, reason: $0,
                    draft: draft)
            }
        }
    }

    /// Whether the form of an inspection has such a question. Without the form everything is shown.
    private func isAsked(
        _ field: FieldName, in inspection: RecordID, _ database: Connection
    ) throws -> Bool {
        if BuiltInField.isBuiltIn(field) { return true }
        let form = try heldForm(of: try database.fields(of: inspection), database)
        return form.map { $0.index(of: field) != nil } ?? true
    }
}

extension Connection {
    fileprivate func allDrafts() throws -> [(record: RecordID, draft: Draft)] {
        try query(
            "SELECT record_id, name, \(Draft.readText), updated_at FROM draft"
                + " ORDER BY updated_at, name"
        ) { row in
            (
                record: RecordID(try row.text(0)),
                draft: Draft(
                    field: try row.text(1), text: try row.text(2), updatedAt: try row.integer(3))
            )
        }
    }

    /// Nil for what is no finding.
    fileprivate func question(ofFinding id: RecordID) throws -> AnswerKey? {
        let isFinding = try first(
            "SELECT 1 FROM record WHERE id = ? AND table_name = 'finding'", [.text(id.rawValue)]
        ) { _ in true }
        guard isFinding != nil else { return nil }
        return Finding(fields: try fields(of: id))?.key
    }

    /// Whether a record stands with all that it is a part of.
    fileprivate func place(of id: RecordID) throws -> (inspection: RecordID?, isShown: Bool) {
        var isShown = true
        var next: RecordID? = id
        for _ in 0..<Self.deepestFamily {
            guard let id = next else { break }
            let found = try first(
                """
                SELECT table_name, parent_id, is_deleted, EXISTS (
                    SELECT 1 FROM __sync_archived WHERE record_id = record.id)
                FROM record WHERE id = ?
                """, [.text(id.rawValue)]
            ) { row in
                (
                    table: try row.text(0), parent: try row.optionalText(1).map { RecordID($0) },
                    isGone: try row.flag(2) || row.flag(3)
                )
            }
            guard let found else { return (nil, false) }
            if found.isGone { isShown = false }
            if found.table == RecordTable.inspection { return (id, isShown) }
            next = found.parent
        }
        return (nil, isShown)
    }
}
