package import Replication
internal import SQLite

/// A text that was typed and not accepted, where nothing shows the question any more: its row or its
/// inspection was deleted elsewhere, or is gone from this device. Nobody accepts it by itself, and nobody
/// throws it away by itself: a person reads it, types it elsewhere, or discards it.
package struct StrandedDraft: Sendable, Equatable {
    package var record: RecordID
    /// Of the row, where it is still known which that was.
    package var inspection: RecordID?
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
            guard !place.isShown else { return nil }
            return StrandedDraft(record: record, inspection: place.inspection, draft: draft)
        }
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
