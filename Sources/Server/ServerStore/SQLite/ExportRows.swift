internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

extension SQLiteStore {
    package func export(form: String?) throws -> [ExportRow] {
        try read { connection in
            let rows = try connection.query(
                StoredRecord.select
                    + " WHERE table_name = 'inspection' AND is_deleted = 0 ORDER BY id", [],
                StoredRecord.init(row:))
            return try rows.compactMap { row in
                var record = row
                record.state.fields = try connection.fields(of: row.id)
                guard form == nil || record.text(BuiltInField.form) == form else { return nil }
                return ExportRow(record)
            }
        }
    }
}

extension ExportRow {
    init(_ record: StoredRecord) {
        var answers: [String: FieldValue] = [:]
        for (name, register) in record.fields
        where !BuiltInField.isBuiltIn(name) && !register.value.isNull {
            answers[name] = register.value
        }
        self.init(
            id: record.id, form: record.text(BuiltInField.form) ?? "",
            formVersion: record.text(BuiltInField.formVersion) ?? "",
            asset: record.text(BuiltInField.asset),
            state: record.text(BuiltInField.state) ?? "", version: record.version,
            fields: answers)
    }
}
