internal import Coding
internal import Forms
internal import Inspections
package import Replication
internal import SQLite

extension DeviceStore {
    /// The worklist: what is due first, then by name. On one snapshot, without the writer.
    package func inspections() throws -> [InspectionSummary] {
        try read { database in
            var shelf = InspectionShelf(database)
            try shelf.loadAll()
            return try shelf.records.keys.compactMap { try shelf.summary(of: $0) }
                .sorted(by: InspectionSummary.isListedBefore)
        }
    }

    /// - Throws: `unknownRecord`.
    package func inspection(_ id: RecordID) throws -> InspectionDetail {
        try read { database in
            var shelf = InspectionShelf(database)
            try shelf.load(id)
            guard let summary = try shelf.summary(of: id) else {
                throw StoreError.unknownRecord(id.rawValue)
            }
            let badges = try database.fieldBadges(of: id)
            let values = (shelf.fields[id] ?? [:]).filter { !BuiltInField.isBuiltIn($0.key) }
            var fields: [FieldName: InspectionDetail.Field] = [:]
            for (name, value) in values where !value.isNull || badges[name] != nil {
                fields[name] = InspectionDetail.Field(value: value, sync: badges[name] ?? .synced)
            }
            return InspectionDetail(
                summary: summary, assetID: shelf.assetID(of: id),
                comment: shelf.text(BuiltInField.comment, of: id), fields: fields,
                conflicts: try database.conflicts(of: id))
        }
    }
}

extension InspectionSummary {
    fileprivate static func isListedBefore(_ left: Self, _ right: Self) -> Bool {
        // A day beyond all days for what has none.
        let days = (left.dueOn ?? "9999-12-31", right.dueOn ?? "9999-12-31")
        if days.0 != days.1 { return days.0 < days.1 }
        return left.name != right.name ? left.name < right.name : left.id < right.id
    }
}

/// Inspections with what their lines need: fields, assets, sites, forms. Each kind is read once.
private struct InspectionShelf {
    struct Record {
        var parent: RecordID?
        var version: Int64
        var isDeleted: Bool
    }

    private let database: Connection
    private(set) var records: [RecordID: Record] = [:]
    private(set) var fields: [RecordID: [FieldName: FieldValue]] = [:]
    private var badges: [RecordID: SyncBadge] = [:]
    private var forms: [String: FormDefinition?] = [:]
    private var assets: [RecordID: AssetSummary] = [:]

    init(_ database: Connection) { self.database = database }

    mutating func loadAll() throws {
        try loadRecords(where: "table_name = 'inspection'", [])
        for asset in try database.assets() { assets[asset.id] = asset }
        let rows = try database.query(
            """
            SELECT field.record_id, field.name, field.value
            FROM record JOIN field ON field.record_id = record.id
            WHERE record.table_name = 'inspection'
            """
        ) { (RecordID(try $0.text(0)), try $0.text(1), try $0.fieldValue(2)) }
        for (id, name, value) in rows { fields[id, default: [:]][name] = value }
        badges = try database.recordBadges()
    }

    mutating func load(_ id: RecordID) throws {
        let key: [DatabaseValue] = [.text(id.rawValue)]
        try loadRecords(where: "table_name = 'inspection' AND id = ?", key)
        guard records[id] != nil else { return }
        let rows = try database.query("SELECT name, value FROM field WHERE record_id = ?", key) {
            (try $0.text(0), try $0.fieldValue(1))
        }
        fields[id] = Dictionary(uniqueKeysWithValues: rows)
        badges[id] = try database.fieldBadges(of: id).values.max()
        badges[id] = try max(badges[id] ?? .synced, database.recordBadge(of: id))
        if let asset = assetID(of: id), let found = try database.assets(only: asset).first {
            assets[asset] = found
        }
    }

    /// Deleted ones only where a decision of the inspector waits.
    private mutating func loadRecords(where condition: String, _ values: [DatabaseValue]) throws {
        let rows = try database.query(
            """
            SELECT id, parent_id, version, is_deleted FROM record
            WHERE \(condition) AND (is_deleted = 0 OR EXISTS (
                SELECT 1 FROM __sync_outbox
                WHERE record_id = record.id AND status = 'CONFLICT'))
                AND NOT EXISTS (SELECT 1 FROM __sync_archived WHERE record_id = record.id)
            """, values
        ) { row in
            (
                RecordID(try row.text(0)),
                Record(
                    parent: try row.optionalText(1).map { RecordID($0) },
                    version: try row.integer(2), isDeleted: try row.flag(3))
            )
        }
        for (id, record) in rows { records[id] = record }
    }

    func assetID(of id: RecordID) -> RecordID? {
        records[id]?.parent ?? text(BuiltInField.asset, of: id).map { RecordID($0) }
    }

    func text(_ field: FieldName, of id: RecordID) -> String? {
        guard let value = fields[id]?[field], !value.isNull else { return nil }
        return value.plainText
    }

    mutating func summary(of id: RecordID) throws -> InspectionSummary? {
        guard let record = records[id] else { return nil }
        let formID = text(BuiltInField.form, of: id) ?? ""
        let version = text(BuiltInField.formVersion, of: id) ?? ""
        let form = try form(formID, version: version)
        let answers = (fields[id] ?? [:]).filter {
            !BuiltInField.isBuiltIn($0.key) && !$0.value.isNull
        }
        let progress = form?.evaluate(answers: answers)
        let asset = assetID(of: id).flatMap { assets[$0] }
        let due = text(BuiltInField.due, of: id)
        let name = InspectionName.text(
            title: text(BuiltInField.title, of: id), form: form, formID: formID, answers: answers,
            asset: asset.map {
                Asset(
                    id: $0.id.rawValue, tag: $0.tag, title: $0.name, model: $0.model,
                    serial: $0.serial)
            },
            due: due, id: id.rawValue)
        return InspectionSummary(
            id: id, name: name, form: formID, formVersion: version, asset: asset?.tag,
            site: asset?.site,
            state: text(BuiltInField.state, of: id) ?? InspectionState.inProgress.rawValue,
            dueOn: due, sync: badges[id] ?? .synced,
            answered: progress?.answered ?? answers.count, total: progress?.total ?? answers.count,
            version: record.version, isDeleted: record.isDeleted)
    }

    /// nil where the form has not arrived or is of a kind that this version cannot read; the
    /// inspection is listed all the same.
    private mutating func form(_ id: String, version: String) throws -> FormDefinition? {
        let key = id + "\n" + version
        if let known = forms[key] { return known }
        let definition = try database.first(
            "SELECT definition FROM form WHERE id = ? AND version = ?",
            [.text(id), .text(version)]
        ) { try $0.optionalText(0) }
        let form = (definition ?? nil).flatMap { text -> FormDefinition? in
            guard let json = try? JSON.parse(Array(text.utf8)) else { return nil }
            return try? FormDefinition(json: json)
        }
        forms[key] = .some(form)
        return form
    }
}
