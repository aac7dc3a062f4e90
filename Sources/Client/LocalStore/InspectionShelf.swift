internal import Coding
internal import Forms
internal import Inspections
internal import Replication
internal import SQLite

/// Inspections with what their lines need: fields, rows, assets, sites, forms. Each kind is read once.
struct InspectionShelf {
    struct Record {
        var parent: RecordID?
        var version: Int64
        var isDeleted: Bool
    }

    private let database: Connection
    private let formShelf: FormShelf
    private let remembered: RememberedLooks
    private let surroundings: FillingSurroundings
    private(set) var records: [RecordID: Record] = [:]
    private var stored: [RecordID: InspectionAnswers] = [:]
    /// Cleared fields too.
    private var allFields: [RecordID: [FieldName: FieldValue]] = [:]
    private var badges: [RecordID: SyncBadge] = [:]
    private var forms: [String: Held?] = [:]
    private var assets: [RecordID: AssetSummary] = [:]

    /// A form, and whether the same answers come to the same with it all day.
    private struct Held {
        let form: FormDefinition
        let isSteady: Bool
    }

    init(
        _ database: Connection, forms: FormShelf, remembered: RememberedLooks,
        surroundings: FillingSurroundings
    ) {
        self.database = database
        formShelf = forms
        self.remembered = remembered
        self.surroundings = surroundings
    }

    mutating func loadAll() throws {
        try loadRecords(where: "table_name = 'inspection'", [])
        for asset in try database.assets() { assets[asset.id] = asset }
        try database.each(
            """
            SELECT field.record_id, field.name, field.value
            FROM record JOIN field ON field.record_id = record.id
            WHERE record.table_name = 'inspection'
            """
        ) {
            allFields[RecordID(try $0.text(0)), default: [:]][try $0.text(1)] =
                try $0.fieldValue(2)
        }
        let rows = RowRecord.byInspection(try database.rows())
        for (id, fields) in allFields {
            stored[id] = InspectionAnswers(id, fields: fields, rows: rows[id] ?? [])
        }
        badges = try database.recordBadges()
        for (part, inspection) in try database.inspectionsOfParts() {
            guard let badge = badges[part] else { continue }
            badges[inspection] = max(badges[inspection] ?? .synced, badge)
        }
    }

    mutating func load(_ id: RecordID) throws {
        try loadRecords(
            where: "table_name = 'inspection' AND id = ?", [.text(id.rawValue)])
        guard records[id] != nil else { return }
        let fields = try database.fields(of: id)
        allFields[id] = fields
        stored[id] = InspectionAnswers(id, fields: fields, rows: try database.rows(below: id))
        let family = try [id] + database.parts(of: id)
        badges[id] = try family.map { try database.recordBadge(of: $0) }.max()
        if let asset = assetID(of: id), let found = try database.assets(only: asset).first {
            assets[asset] = found
        }
    }

    /// Deleted ones only where a decision of the inspector waits.
    mutating func loadRecords(where condition: String, _ values: [DatabaseValue]) throws {
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

    func fields(of id: RecordID) -> [FieldName: FieldValue] { allFields[id] ?? [:] }

    func answers(of id: RecordID) -> FormAnswers { stored[id]?.answers ?? FormAnswers() }

    func assetID(of id: RecordID) -> RecordID? {
        records[id]?.parent ?? text(BuiltInField.asset, of: id).map { RecordID($0) }
    }

    func text(_ field: FieldName, of id: RecordID) -> String? {
        stored[id]?.fields[field]?.plainText
    }

    /// Of a record that is not an inspection.
    func badge(of id: RecordID) throws -> SyncBadge { try database.recordBadge(of: id) }

    mutating func summary(of id: RecordID) throws -> InspectionSummary? {
        guard let record = records[id] else { return nil }
        let formID = text(BuiltInField.form, of: id) ?? ""
        let version = text(BuiltInField.formVersion, of: id) ?? ""
        let look = try look(at: id)
        let answers = look?.answers ?? answers(of: id)
        let asset = assetID(of: id).flatMap { assets[$0] }
        let count = answers.rows.reduce(answers.fields.count) { $0 + $1.fields.count }
        return InspectionSummary(
            id: id, name: try name(of: id, formID, look, asset), form: formID,
            formVersion: version, asset: asset?.tag, site: asset?.site,
            state: text(BuiltInField.state, of: id) ?? InspectionState.inProgress.rawValue,
            dueOn: text(BuiltInField.due, of: id), sync: badges[id] ?? .synced,
            answered: look?.answered ?? count, total: look?.total ?? count,
            version: record.version, isDeleted: record.isDeleted)
    }

    /// The inspection as its form takes it, with what the form works out brought up to date: what a
    /// colleague changed may have come in since the last answer was given here. Nothing of that is written
    /// by looking, and by *complete* all of it. nil where its form is not here.
    mutating func filling(of id: RecordID) throws -> FormFilling? {
        let formID = text(BuiltInField.form, of: id) ?? ""
        let version = text(BuiltInField.formVersion, of: id) ?? ""
        guard let form = try form(formID, version: version)?.form else { return nil }
        var surroundings = surroundings
        surroundings.calculates = .day
        surroundings.settle(for: stored[id]?.state)
        surroundings.remember(try database.lastSaved(by: form, but: id), by: form)
        return FormFilling(form, answers: answers(of: id), in: surroundings)
    }

    /// What it comes to in a list. nil where its form is not here.
    private mutating func look(at id: RecordID) throws -> RememberedLooks.Look? {
        let formID = text(BuiltInField.form, of: id) ?? ""
        let version = text(BuiltInField.formVersion, of: id) ?? ""
        guard let held = try form(formID, version: version) else { return nil }
        guard held.isSteady else { return try filling(of: id).map(RememberedLooks.Look.init) }
        let basis = RememberedLooks.Basis(
            form: formID, version: version, state: stored[id]?.state, answers: answers(of: id),
            day: day)
        if let known = remembered.look(at: id, on: basis) { return known }
        let look = try filling(of: id).map(RememberedLooks.Look.init)
        if let look { remembered.remember(look, of: id, on: basis) }
        return look
    }

    private var day: Int64 {
        let seconds = surroundings.now() / 1000
        return Int64(
            (Double(seconds + Int64(surroundings.zone.offset(seconds))) / 86_400).rounded(.down))
    }

    /// Never blank, whatever the form's own rule comes to.
    private func name(
        of id: RecordID, _ formID: String, _ look: RememberedLooks.Look?, _ asset: AssetSummary?
    ) throws -> String {
        let version = text(BuiltInField.formVersion, of: id) ?? ""
        let title = text(BuiltInField.title, of: id)
        let due = text(BuiltInField.due, of: id)
        let instanceName = look?.instanceName
        let isNamed = [title, instanceName, asset?.name, due].contains {
            $0?.contains { !$0.isWhitespace } ?? false
        }
        return InspectionName.text(
            title: title, instanceName: instanceName,
            form: (forms[formID + "\n" + version] ?? nil)?.form,
            formID: formID, answers: look?.answers.fields ?? answers(of: id).fields,
            asset: asset.map {
                Asset(
                    id: $0.id.rawValue, tag: $0.tag, title: $0.name, model: $0.model,
                    serial: $0.serial)
            },
            due: due, startedAt: isNamed ? nil : try startedAt(id), id: id.rawValue)
    }

    /// When it was begun here, as the clock on the wall showed; nil where that is not known any more.
    private func startedAt(_ id: RecordID) throws -> String? {
        let created = try database.first(
            """
            SELECT created_at_utc FROM __sync_outbox
            WHERE record_id = ? AND operation = 'INSERT' ORDER BY seq_id LIMIT 1
            """, [.text(id.rawValue)]
        ) { try $0.text(0) }
        guard let created, let milliseconds = try? SyncTimestamp.milliseconds(created) else {
            return nil
        }
        let offset = Int64(surroundings.zone.offset(milliseconds / 1000)) * 1000
        // `2026-03-14T09:30:…` on the wall.
        return String(SyncTimestamp.text(milliseconds + offset).prefix(16))
            .replacing("T", with: " ")
    }

    /// nil where the form has not arrived or is of a kind that this version cannot read; the
    /// inspection is listed all the same.
    private mutating func form(_ id: String, version: String) throws -> Held? {
        let key = id + "\n" + version
        if let known = forms[key] { return known }
        let form: FormDefinition?
        do {
            form = try formShelf.form(id, version: version, in: database)
        } catch StoreError.unknownForm {
            form = nil
        } catch is FormError {
            form = nil
        } catch is CodingError {
            form = nil
        }
        let held = form.map { Held(form: $0, isSteady: $0.judgesBy <= .day) }
        forms[key] = .some(held)
        return held
    }
}

extension RowRecord {
    /// Rows by the inspection that they stand in, however deep.
    fileprivate static func byInspection(_ rows: [RowRecord]) -> [RecordID: [RowRecord]] {
        let known = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return Dictionary(grouping: rows) { row in
            var parent = row.parent
            while let outer = known[parent] { parent = outer.parent }
            return RecordID(parent)
        }
    }
}
