internal import Coding
package import Replication
internal import SQLite

extension SQLiteStore {
    package func history(of id: RecordID) throws -> RecordHistory {
        try readForOffice { connection in
            let isHere = try connection.record(id) != nil
            let entries = try connection.query(
                """
                SELECT history.name, history.value, history.node, device.name, history.lamport,
                    history.version, history.rule, history.mutation_id, history.at
                FROM history LEFT JOIN device_node ON device_node.node = history.node
                LEFT JOIN device ON device.id = device_node.device_id
                WHERE history.record_id = ? ORDER BY history.id
                """, [.text(id.rawValue)], RecordHistory.Entry.init(row:))
            guard try isHere || !entries.isEmpty || connection.isPruned(id) else {
                throw ServerStoreError(.unknownRecord, "there is no record '\(id)'")
            }
            return RecordHistory(
                isHere: isHere, replacedBy: try connection.rescued(id), entries: entries,
                copies: try connection.copies(of: id))
        }
    }
}

extension RecordHistory.Entry {
    fileprivate init(row: Row) throws {
        self.init(
            column: try row.text(0), value: try row.fieldValue(1), node: NodeID(try row.text(2)),
            device: try row.optionalText(3), lamport: try row.integer(4),
            version: try row.integer(5), rule: try row.text(6),
            mutation: MutationID(try row.text(7)), movedAt: try row.integer(8))
    }
}
