internal import Forms
internal import Inspections
package import Replication
internal import SQLite

/// Where a row of a repeat stands, as people name it.
package struct RowPlace: Sendable, Equatable {
    package let inspection: RecordID
    /// `pump[2]`, and `pump[deleted]` of one that is deleted, here or elsewhere: it has no number.
    package let address: String
    /// The repeat's path; empty where nobody knows it any more.
    fileprivate let repetition: String

    /// `pump[2]/tag`; what is no question of the row stands for the row itself.
    package func address(of column: FieldName) -> String {
        guard column.hasPrefix(repetition + "/"), !repetition.isEmpty else { return address }
        return address + column.dropFirst(repetition.count)
    }
}

extension DeviceStore {
    /// Where these records stand; of what is no row there is nothing. Deleted rows too: something of
    /// them may wait for the server or for a person.
    package func rowPlaces(of records: Set<RecordID>) throws -> [RecordID: RowPlace] {
        guard !records.isEmpty else { return [:] }
        return try read { database in
            let tops = Set(try records.compactMap { try database.inspection(ofPart: $0) })
            var places: [RecordID: RowPlace] = [:]
            for top in tops {
                places.merge(try database.rowPlaces(below: top)) { first, _ in first }
            }
            return places.filter { records.contains($0.key) }
        }
    }
}

extension Connection {
    /// The inspection that a row or a finding stands in, deleted ones too; nil for what stands in none.
    func inspection(ofPart id: RecordID) throws -> RecordID? {
        try first(
            """
            WITH RECURSIVE above (id, parent_id, table_name, depth) AS (
                SELECT id, parent_id, table_name, 0 FROM record WHERE id = ?
                UNION ALL
                SELECT record.id, record.parent_id, record.table_name, depth + 1
                FROM above JOIN record ON record.id = above.parent_id
                WHERE above.table_name IN ('repeat', 'finding') AND depth < \(Self.deepestFamily))
            SELECT id FROM above WHERE table_name = 'inspection' AND depth > 0
            """, [.text(id.rawValue)]
        ) { RecordID(try $0.text(0)) }
    }

    private struct Row {
        var record: RowRecord
        /// It, or a row that it stands in.
        var isDeleted: Bool
    }

    private func allRows(of inspection: RecordID) throws -> [Row] {
        try query(
            """
            WITH RECURSIVE inside (id, parent_id, is_deleted, depth) AS (
                SELECT id, NULL, 0, 0 FROM record WHERE id = ?
                UNION ALL
                SELECT record.id, record.parent_id, max(inside.is_deleted, record.is_deleted), depth + 1
                FROM inside JOIN record ON record.parent_id = inside.id
                WHERE record.table_name = 'repeat' AND depth < \(Self.deepestFamily))
            SELECT id, parent_id, is_deleted,
                (SELECT value FROM field WHERE record_id = inside.id AND name = '@repeat'),
                (SELECT value FROM field WHERE record_id = inside.id AND name = '@order')
            FROM inside WHERE depth > 0 ORDER BY depth
            """, [.text(inspection.rawValue)]
        ) { row in
            Row(
                record: RowRecord(
                    id: try row.text(0), parent: try row.text(1),
                    fields: [
                        BuiltInField.repetition: try row.fieldValue(3),
                        BuiltInField.order: try row.fieldValue(4),
                    ]),
                isDeleted: try row.flag(2))
        }
    }

    fileprivate func rowPlaces(below inspection: RecordID) throws -> [RecordID: RowPlace] {
        let rows = try allRows(of: inspection)
        let living = FormAnswers(
            [:], of: inspection.rawValue,
            records: rows.filter { !$0.isDeleted }.map(\.record), in: [])
        var places: [RecordID: RowPlace] = [:]
        for row in rows {
            let (id, path) = (row.record.id, row.record.repetition ?? "")
            var address = living.address(of: AnswerKey(row: id, path))
            if row.isDeleted {
                let around = places[RecordID(row.record.parent)]
                let rest = path.dropFirst(around?.repetition.count ?? 0)
                address = (around?.address ?? "") + (path.isEmpty ? "row" : rest) + "[deleted]"
            }
            places[RecordID(id)] = RowPlace(
                inspection: inspection, address: address, repetition: path)
        }
        return places
    }
}
