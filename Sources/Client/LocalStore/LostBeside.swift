internal import Coding
internal import Replication
internal import SQLite

/// What two restores have lost of one field, one after the other. Counters tell no order between them,
/// for the server's was set back in between: one stands beside the other, and takes its turn to be
/// offered when the server has that one or refuses it.
extension Connection {
    /// Of two, the one with the lower count.
    /// - Parameter values: record, name, value, counter, node and version of what was lost now.
    func keepBeside(_ values: [DatabaseValue]) throws {
        let columns = "record_id, name, value, lamport, node, version"
        let other = """
            FROM __sync_lost_field AS kept
            WHERE kept.record_id = ?1 AND kept.name = ?2 AND kept.refusal IS NOT ''
                AND NOT (kept.lamport = ?4 AND kept.node = ?5)
            """
        try execute(
            """
            INSERT OR IGNORE INTO __sync_lost_beside (\(columns))
            SELECT ?1, ?2, ?3, ?4, ?5, ?6 \(other) AND kept.lamport >= ?4
            """, values)
        try execute(
            """
            INSERT OR IGNORE INTO __sync_lost_beside (\(columns), refusal)
            SELECT \(columns), refusal \(other) AND kept.lamport < ?4
            """, Array(values[..<2]) + [.null] + Array(values[3..<5]))
    }

    /// Where nothing of a field is kept any more, what was kept beside it takes its place.
    func moveUpBeside(in id: RecordID) throws {
        let names = try query(
            """
            SELECT DISTINCT name FROM __sync_lost_beside AS beside
            WHERE record_id = ? AND NOT EXISTS (
                SELECT 1 FROM __sync_lost_field AS kept
                WHERE kept.record_id = beside.record_id AND kept.name = beside.name)
            """, [.text(id.rawValue)]
        ) { try $0.text(0) }
        for name in names { try moveUpBeside(name, of: id) }
    }

    /// What was refused stands behind what was not yet.
    func giveTurn(after name: FieldName, of id: RecordID) throws {
        let key: [DatabaseValue] = [.text(id.rawValue), .text(name)]
        let hasNext = try first(
            """
            SELECT 1 FROM __sync_lost_beside
            WHERE record_id = ? AND name = ? AND refusal IS NULL LIMIT 1
            """, key
        ) { _ in true }
        guard hasNext ?? false else { return }
        try execute(
            """
            INSERT OR REPLACE INTO __sync_lost_beside
                (record_id, name, value, lamport, node, version, refusal)
            SELECT record_id, name, value, lamport, node, version, refusal
            FROM __sync_lost_field WHERE record_id = ? AND name = ?
            """, key)
        try letGoLost(name, of: id)
        try moveUpBeside(name, of: id)
    }

    /// The server shows the record: what stands there need not be kept, and what was refused may be taken
    /// now.
    func letGoBeside(shownIn shown: WireRecord) throws {
        let id = DatabaseValue.text(shown.id.rawValue)
        try execute(
            "UPDATE __sync_lost_beside SET refusal = NULL WHERE record_id = ? AND refusal <> ''",
            [id])
        for (name, field) in shown.fields {
            try execute(
                "DELETE FROM __sync_lost_beside WHERE record_id = ? AND name = ? AND value IS ?",
                [id, .text(name), DatabaseValue(field.value)])
        }
    }

    private func moveUpBeside(_ name: FieldName, of id: RecordID) throws {
        let key: [DatabaseValue] = [.text(id.rawValue), .text(name)]
        let next = try first(
            """
            SELECT lamport, node FROM __sync_lost_beside WHERE record_id = ? AND name = ?
            ORDER BY refusal IS NOT NULL, lamport DESC, node LIMIT 1
            """, key
        ) { (DatabaseValue.integer(try $0.integer(0)), DatabaseValue.text(try $0.text(1))) }
        guard let next else { return }
        let one = key + [next.0, next.1]
        try execute(
            """
            INSERT INTO __sync_lost_field
                (record_id, name, value, lamport, node, version, refusal)
            SELECT record_id, name, value, lamport, node, version, refusal
            FROM __sync_lost_beside
            WHERE record_id = ? AND name = ? AND lamport = ? AND node = ?
            """, one)
        try execute(
            """
            DELETE FROM __sync_lost_beside
            WHERE record_id = ? AND name = ? AND lamport = ? AND node = ?
            """, one)
    }
}
