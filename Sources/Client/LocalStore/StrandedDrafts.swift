package import Forms
internal import Inspections
package import Replication
internal import SQLite

/// A text that was typed and not accepted, where nothing shows the question any more: its row, its
/// finding or its inspection was deleted elsewhere, or is gone from this device. Nobody accepts it by itself, and nobody
/// throws it away by itself: a person reads it, types it elsewhere, or discards it.
package struct StrandedDraft: Sendable, Equatable {
    package var record: RecordID
    /// Of the row or the finding, where it is still known which that was.
    package var inspection: RecordID?
    /// What a finding was about.
    package var finding: AnswerKey?
    package var draft: Draft
}

extension DeviceStore {
    /// Oldest first.
    package func strandedDrafts() throws -> [StrandedDraft] {
        try read { try $0.strandedDrafts() }
    }
}

extension Connection {
    func strandedDrafts() throws -> [StrandedDraft] {
        let drafts = try query(
            "SELECT record_id, name, text, updated_at FROM draft ORDER BY updated_at, name"
        ) { row in
            (
                record: RecordID(try row.text(0)),
                draft: Draft(
                    field: try row.text(1), text: try row.text(2), updatedAt: try row.integer(3))
            )
        }
        return try drafts.compactMap { record, draft in
            let place = try place(of: record)
            let finding = try question(ofFinding: record)
            if place.isShown,
                try finding?.row.map({ try self.place(of: RecordID($0)).isShown }) ?? true
            {
                return nil
            }
            return StrandedDraft(
                record: record, inspection: place.inspection, finding: finding, draft: draft)
        }
    }

    /// Nil for what is no finding.
    private func question(ofFinding id: RecordID) throws -> AnswerKey? {
        let isFinding = try first(
            "SELECT 1 FROM record WHERE id = ? AND table_name = 'finding'", [.text(id.rawValue)]
        ) { _ in true }
        guard isFinding != nil else { return nil }
        return Finding(fields: try fields(of: id))?.key
    }

    /// Whether a record stands with all that it is a part of.
    private func place(of id: RecordID) throws -> (inspection: RecordID?, isShown: Bool) {
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
