internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

extension RemoteApplication {
    /// Values that a verdict settled and that did not come to stand go into the record's history, with
    /// the rule that decided: whoever entered them can find them again.
    func keepLostValues(
        _ names: some Sequence<FieldName>, ofMutation sequence: Int64, on record: RecordID,
        confirmed: WireRecord
    ) throws {
        let names = Set(names)
        let sent = try database.query(
            """
            SELECT name, value, base_value, base_version, lamport
            FROM __sync_outbox_field WHERE seq_id = ?
            """, [.integer(sequence)]
        ) { row in
            (
                try row.text(0), try row.fieldValue(1),
                WaitingMutation.Entry(
                    value: row.value(1), baseValue: row.value(2),
                    baseVersion: try row.integer(3), lamport: try row.integer(4))
            )
        }
        for (name, value, entry) in sent
        where names.contains(name) && confirmed.fields[name]?.value ?? .null != value {
            let rule = try database.rule(for: name, of: record)
            try database.keepInHistory([name: entry], of: record, rule: rule.rawValue)
        }
    }
}

extension Connection {
    /// The rule by which two values of this field are settled. A field that no form here describes
    /// is decided by the last writer, as on the server.
    fileprivate func rule(for field: FieldName, of record: RecordID) throws -> MergeRule {
        let policy =
            try first(
                """
                SELECT question.merge FROM question
                JOIN field AS form ON form.name = ?3 AND form.value = question.form
                JOIN field AS version ON version.name = ?4 AND version.value = question.version
                WHERE question.name = ?1 AND form.record_id = ?2 AND version.record_id = ?2
                """,
                [
                    .text(field), .text(record.rawValue), .text(BuiltInField.form),
                    .text(BuiltInField.formVersion),
                ]
            ) { try $0.text(0) } ?? BuiltInField.mergePolicy(of: field)
        return try MergePolicy(parsing: policy).rule
    }
}
