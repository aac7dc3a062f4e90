internal import Coding
internal import Forms
internal import Inspections
package import Replication
internal import SQLite

extension SQLiteStore {
    package func close(
        finding id: RecordID, comment: String?, by supervisor: Supervisor
    ) throws {
        try write { session in
            guard let record = try session.connection.record(id),
                record.table == RecordTable.finding, !record.isDeleted
            else { throw ServerStoreError(.unknownRecord, "there is no finding '\(id)'") }
            // Nobody would see what is closed below a tombstone.
            guard try !session.connection.lineage(of: id).contains(where: \.isDeleted) else {
                throw ServerStoreError(.stateRefused, "the inspection of finding \(id) was deleted")
            }
            var values = [
                BuiltInField.status: FieldValue.string(Finding.Status.closed.rawValue)
            ]
            if let comment { values[BuiltInField.comment] = try FieldValue(text: comment) }
            try session.put(
                id, table: record.table, parent: record.parent, values, by: supervisor.node)
        }
    }
}

extension Connection {
    /// The findings of an inspection in the order of its form.
    /// - Parameter answers: with its rows; what was found in others is left out.
    func findings(
        of inspection: RecordID, _ answers: FormAnswers, in form: FormDefinition?
    ) throws -> [FindingRow] {
        let ids = try query(
            """
            SELECT id, version FROM record
            WHERE parent_id = ? AND table_name = 'finding' AND is_deleted = 0 ORDER BY id
            """, [.text(inspection.rawValue)]
        ) { (id: RecordID(try $0.text(0)), version: try $0.integer(1)) }
        let rows = try ids.compactMap { id, version -> FindingRow? in
            guard let finding = Finding(fields: try fields(of: id).mapValues(\.value)),
                finding.row.map({ answers.row($0) != nil }) ?? true
            else { return nil }
            return FindingRow(
                id: id, finding: finding, address: answers.address(of: finding.key),
                version: version)
        }
        func place(_ row: FindingRow) -> (Int, Int) {
            let index = answers.rows.firstIndex { $0.id == row.finding.row } ?? -1
            return (form?.index(of: row.finding.question) ?? .max, index)
        }
        // Stable: those of one question stay in the order of their ids.
        return rows.enumerated().sorted { left, right in
            let (first, second) = (place(left.element), place(right.element))
            return first != second ? first < second : left.offset < right.offset
        }.map(\.element)
    }
}
