internal import Coding
internal import Forms
internal import Inspections
internal import Replication
internal import SQLite

extension Connection {
    /// The rows of an inspection's repeats. What stands in a row that was deleted went with it.
    func rows(of inspection: RecordID) throws -> [RowRecord] {
        var rows: [RowRecord] = []
        var above = [inspection]
        while let parent = above.popLast() {
            let ids = try query(
                """
                SELECT id FROM record
                WHERE parent_id = ? AND table_name = 'repeat' AND is_deleted = 0
                """, [.text(parent.rawValue)]
            ) { RecordID(try $0.text(0)) }
            for id in ids {
                rows.append(
                    RowRecord(
                        id: id.rawValue, parent: parent.rawValue,
                        fields: try fields(of: id).mapValues(\.value)))
            }
            above += ids
        }
        return rows
    }

    /// How people name the fields of a row: with its number among those of its repeat. Nil for what
    /// is no row.
    func rowAddress(of record: StoredRecord) throws -> ((FieldName) -> String)? {
        guard record.table == RecordTable.repetition, let inspection = try inspection(of: record)
        else { return nil }
        let answers = FormAnswers(
            [:], of: inspection.id.rawValue, records: try rows(of: inspection.id), in: [])
        return { answers.address(of: AnswerKey(row: record.id.rawValue, $0)) }
    }
}
