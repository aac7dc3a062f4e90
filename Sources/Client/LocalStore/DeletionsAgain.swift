internal import Coding
internal import Replication
internal import SQLite

/// After a restore of the server: a deletion of this device that was confirmed, of a record that the
/// server does not have any more. Nothing is missing by it, but whoever has not heard of the deletion
/// may bring the record back, and it would live again for everybody.
extension RemoteApplication {
    /// - Parameter rows: what of the record can be offered again.
    /// - Returns: whether the deletion is offered.
    func offerDeletionAgain(of id: RecordID, _ rows: [AcknowledgedRow]) throws -> Bool {
        let name = Mutation.deletedField
        let last = rows.flatMap { row in
            row.entries.filter { $0.name == name }.map { (row: row, entry: $0) }
        }.max { $0.entry.lamport < $1.entry.lamport }
        // Without a version the server does not know what the deletion took along.
        guard let last, last.entry.value == .integer(1), try database.knowsOneEpoch(),
            try !database.waits(id), try database.hasPlace(id)
        else { return false }
        _ = try database.offerAgain(last.row, [name], after: .min, newID: newID)
        try database.noteFormer([last.entry], of: id, [:])
        return true
    }
}

extension Connection {
    /// Whether something of the record is to be sent, or decided by a person first.
    fileprivate func waits(_ id: RecordID) throws -> Bool {
        try first(
            """
            SELECT 1 FROM __sync_outbox WHERE record_id = ? AND status <> 'ACKNOWLEDGED' LIMIT 1
            """, [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    /// Whether what the record stands under is here, kept, or deleted by this device, so that the
    /// server has it or gets it. Under what others deleted nothing comes to life.
    fileprivate func hasPlace(_ id: RecordID) throws -> Bool {
        try first(
            """
            SELECT 1 FROM record AS child
            LEFT JOIN record AS parent ON parent.id = child.parent_id
            WHERE child.id = ?1 AND (child.parent_id IS NULL OR parent.is_deleted = 0
                OR EXISTS (SELECT 1 FROM __sync_lost WHERE record_id = child.parent_id)
                OR EXISTS (
                    SELECT 1 FROM __sync_outbox AS outbox
                    WHERE outbox.record_id = parent.id AND outbox.operation = 'DELETE'))
            """, [.text(id.rawValue)]
        ) { _ in true } ?? false
    }
}
