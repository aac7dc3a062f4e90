internal import Coding
internal import Forms
internal import Inspections
internal import Replication
internal import SQLite

extension SQLiteStore {
    package func export(form: String?) throws -> [ExportRow] {
        let now = environment.now()
        return try readForOffice { connection in
            let rows = try connection.query(
                StoredRecord.select
                    + " WHERE table_name = 'inspection' AND is_deleted = 0 ORDER BY id", [],
                StoredRecord.init(row:))
            return try rows.compactMap { row in
                var record = row
                record.state.fields = try connection.fields(of: row.id)
                guard form == nil || record.text(BuiltInField.form) == form else { return nil }
                return try exported(record, at: now, connection)
            }
        }
    }
}

extension SQLiteStore {
    private func exported(
        _ record: StoredRecord, at now: Int64, _ connection: Connection
    ) throws -> ExportRow {
        let form = try publishedForm(of: record, connection)
        let versions = try publishedVersions(of: record, connection)
        let answers = FormAnswers(
            record.fields.mapValues(\.value), of: record.id.rawValue,
            records: try connection.rows(of: record.id), in: versions)
        var row = ExportRow(
            record, answers.handedOut(of: record, in: form, at: now),
            asset: try connection.assetTag(of: record), versions: versions)
        row.findings = try connection.findings(of: record.id, answers, in: form)
        return row
    }

    /// nil where this server has not published it.
    private func publishedForm(of record: StoredRecord, _ connection: Connection) throws
        -> FormDefinition?
    {
        guard let id = record.text(BuiltInField.form),
            let version = record.text(BuiltInField.formVersion)
        else { return nil }
        return try forms.policies(ofForm: id, version: version, from: connection)?.form
    }

    /// All of its form: answers that its present version does not ask for were given in another.
    private func publishedVersions(
        of record: StoredRecord, _ connection: Connection
    ) throws -> [FormDefinition] {
        guard let id = record.text(BuiltInField.form) else { return [] }
        return try forms.allPolicies(ofForm: id, from: connection).compactMap(\.form)
    }

    package func census() throws -> Census {
        try readForOffice { connection in
            func count(_ rows: String) throws -> Int64 {
                try connection.first("SELECT count(*) FROM " + rows) { try $0.integer(0) } ?? 0
            }
            // Devices say what they like; the bound keeps the sum within an integer.
            func told(_ column: String) throws -> Int64 {
                try connection.first(
                    "SELECT ifnull(sum(min(\(column), 1000000000)), 0) FROM device"
                ) { try $0.integer(0) } ?? 0
            }
            let epoch = try connection.counters.epoch
            return Census(
                epoch: epoch, epochBegan: try connection.beginning(of: epoch),
                offeredAgain: try connection.offeredAgain(in: epoch), teams: try count("team"),
                devices: try count("device WHERE state = 'active'"),
                revokedDevices: try count("device WHERE state <> 'active'"),
                pending: try told("pending"), failed: try told("failed"),
                conflict: try told("conflict"), inReview: try told("in_review"),
                forms: try count("form"),
                inspections: try count(
                    "record WHERE table_name = 'inspection' AND is_deleted = 0"),
                openReviews: try count("review WHERE decision IS NULL"))
        }
    }
}

extension Connection {
    fileprivate func offeredAgain(in epoch: Int64) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        try each(
            "SELECT device_id, mutations FROM offered_again WHERE epoch = ?", [.integer(epoch)]
        ) { counts[try $0.text(0)] = try $0.integer(1) }
        return counts
    }

    /// The tag of the asset that a record's inspection stands under; what the inspection itself calls
    /// its asset may be anything that its maker knew it by, and counts only without one.
    func assetTag(of part: StoredRecord) throws -> String? {
        let record = try inspection(of: part) ?? part
        let tag = try record.parent.flatMap { parent in
            try first(
                """
                SELECT field.value FROM field JOIN record ON record.id = field.record_id
                WHERE record.id = ? AND record.table_name = 'asset' AND field.name = ?
                """, [.text(parent.rawValue), .text(BuiltInField.tag)]
            ) { try $0.fieldValue(0) }
        }
        guard case .string(let text) = tag else { return record.text(BuiltInField.asset) }
        return text
    }
}

extension Connection {
    /// The inspection that a record is or is a part of.
    func inspection(of part: StoredRecord) throws -> StoredRecord? {
        if part.table == RecordTable.inspection { return part }
        let found = try part.parent.flatMap { parent in
            try lineage(of: parent).first { $0.table == RecordTable.inspection }
        }
        return try found.flatMap { try record($0.id) }
    }
}

extension ExportRow {
    /// Without what a newer device has put beside the questions of the form: nobody here knows what
    /// it means. It stays in the record.
    /// - Parameter versions: all of its form.
    init(
        _ record: StoredRecord, _ all: FormAnswers, asset: String?,
        versions: [FormDefinition]
    ) {
        func answers(_ fields: [String: FieldValue]) -> [String: FieldValue] {
            fields.filter { name, value in
                !BuiltInField.isBuiltIn(name) && !value.isNull
                    && (versions.isEmpty || versions.contains { $0.index(of: name) != nil })
            }
        }
        self.init(
            id: record.id, form: record.text(BuiltInField.form) ?? "",
            formVersion: record.text(BuiltInField.formVersion) ?? "",
            asset: asset,
            state: record.text(BuiltInField.state) ?? "", version: record.version,
            fields: answers(all.fields),
            parts: all.rows.map { row in
                Part(
                    id: RecordID(row.id), parent: row.parent.map { RecordID($0) }, path: row.path,
                    position: all.number(ofRow: row.id) ?? 1, fields: answers(row.fields))
            })
    }
}
