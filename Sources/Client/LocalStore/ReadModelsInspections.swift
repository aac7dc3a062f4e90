internal import Coding
package import Forms
internal import Inspections
package import Replication
internal import SQLite

extension DeviceStore {
    /// The worklist: what is due first, then by name. On one snapshot, without the writer.
    package func inspections() throws -> [InspectionSummary] {
        try read { database in
            var shelf = try shelf(database)
            try shelf.loadAll()
            remembered.forget(allBut: shelf.records.keys)
            return try shelf.records.keys.compactMap { try shelf.summary(of: $0) }
                .sorted(by: InspectionSummary.isListedBefore)
        }
    }

    /// Those of the worklist that are asked for. What waits is of few of them, and to work out a form for
    /// each of a thousand would keep the screen waiting.
    package func inspections(_ ids: Set<RecordID>) throws -> [RecordID: InspectionSummary] {
        guard !ids.isEmpty else { return [:] }
        return try read { database in
            var shelf = try shelf(database)
            if ids.count > Self.fewInspections {
                try shelf.loadAll()
            } else {
                for id in ids { try shelf.load(id) }
            }
            var summaries: [RecordID: InspectionSummary] = [:]
            for id in ids { summaries[id] = try shelf.summary(of: id) }
            return summaries
        }
    }

    /// More are read with all others at once.
    private static let fewInspections = 100

    /// Those of the worklist, in no order, without reading a form.
    package func inspectionIDs() throws -> [RecordID] {
        try read { database in
            var shelf = try shelf(database)
            try shelf.loadRecords(where: "table_name = 'inspection'", [])
            return Array(shelf.records.keys)
        }
    }

    private func conflicts(ofPart id: RecordID, _ database: Connection) throws -> [ConflictView] {
        var conflicts = try database.conflicts(of: id)
        guard !conflicts.isEmpty, let name = try findingName(id, database) else { return conflicts }
        for index in conflicts.indices { conflicts[index].about = name }
        return conflicts
    }

    /// - Throws: `unknownRecord`.
    package func inspection(_ id: RecordID) throws -> InspectionDetail {
        try read { database in
            var shelf = try shelf(database)
            try shelf.load(id)
            guard let summary = try shelf.summary(of: id) else {
                throw StoreError.unknownRecord(id.rawValue)
            }
            let badges = try database.fieldBadges(of: id)
            var values = shelf.fields(of: id).filter { !BuiltInField.isBuiltIn($0.key) }
            let answers = try shelf.filling(of: id)?.answers ?? shelf.answers(of: id)
            values.merge(answers.fields) { $1 }
            for name in values.keys where answers.fields[name] == nil { values[name] = .null }
            let rowBadges = try database.fieldBadges(ofPartsOf: id)
            return InspectionDetail(
                summary: summary, assetID: shelf.assetID(of: id),
                comment: shelf.text(BuiltInField.comment, of: id),
                fields: InspectionDetail.shown(
                    values, badges, try database.valuesInReview(of: id)),
                rows: try answers.rows.map {
                    .init(
                        $0, rowBadges, try database.valuesInReview(of: RecordID($0.id)),
                        in: answers)
                },
                findings: try shelf.findings(of: id, among: try database.findings(below: id)),
                conflicts: try database.conflicts(of: id)
                    + database.parts(of: id).flatMap { try conflicts(ofPart: $0, database) })
        }
    }

    /// The inspection as its form sees it, with what was typed and not accepted.
    /// - Parameter language: in which texts are shown; nil for the form's default.
    /// - Throws: `unknownRecord`; `unknownForm` where its form is not on this device.
    package func filling(of id: RecordID, language: String? = nil) throws -> FormFilling {
        try read { try filling(of: id, language: language, $0) }
    }

    func filling(
        of id: RecordID, language: String? = nil, _ database: Connection
    ) throws -> FormFilling {
        try database.requireRecord(id, table: RecordTable.inspection)
        let own = try database.fields(of: id)
        let form = try formShelf.form(of: own, in: database)
        let rows = form.repetitions.isEmpty ? [] : try database.rows(below: id)
        let stored = InspectionAnswers(id, fields: own, rows: rows)
        let answers = stored.answers
        var surroundings = try lookingSurroundings(database)
        surroundings.settle(for: stored.state)
        surroundings.remember(try database.lastSaved(by: form, but: id), by: form)
        surroundings.language = language
        surroundings.inspection = id.rawValue
        var filling = FormFilling(
            form, answers: answers, drafts: try database.draftKeys(of: id, answers),
            in: surroundings)
        filling.findingTroubles = try database.findingTroubles(of: id, answers)
        return filling
    }

    /// The inspections that these rows of repeats and findings belong to; deleted ones too, of which
    /// something may still wait. What is no part of one is left out.
    package func inspectionsOfParts(
        _ parts: some Sequence<RecordID>
    ) throws -> [RecordID: RecordID] {
        try read { database in
            var owners: [RecordID: RecordID] = [:]
            for part in parts where owners[part] == nil {
                owners[part] = try database.inspection(ofPart: part)
            }
            return owners
        }
    }

    func shelf(_ database: Connection) throws -> InspectionShelf {
        InspectionShelf(
            database, forms: formShelf, remembered: remembered,
            surroundings: try lookingSurroundings(database))
    }

    /// Looking makes nothing up.
    private func lookingSurroundings(_ database: Connection) throws -> FillingSurroundings {
        var surroundings = try surroundings(database)
        surroundings.randomFraction = { 0 }
        surroundings.uuid = { "00000000-0000-4000-8000-000000000000" }
        return surroundings
    }
}

extension InspectionDetail {
    fileprivate static func shown(
        _ values: [FieldName: FieldValue], _ badges: [FieldName: SyncBadge],
        _ inReview: [FieldName: FieldValue]
    ) -> [FieldName: Field] {
        var fields: [FieldName: Field] = [:]
        for (name, value) in values where !value.isNull || badges[name] != nil {
            fields[name] = Field(
                value: value, sync: badges[name] ?? .synced, inReview: inReview[name])
        }
        return fields
    }
}

extension InspectionDetail.Row {
    fileprivate init(
        _ row: FormAnswers.Row, _ badges: [RecordID: [FieldName: SyncBadge]],
        _ inReview: [FieldName: FieldValue], in answers: FormAnswers
    ) {
        id = RecordID(row.id)
        parent = row.parent.map { RecordID($0) }
        path = row.path
        let brothers = answers.rows(of: row.path, in: row.parent)
        index = (brothers.firstIndex { $0.id == row.id } ?? 0) + 1
        let own = (badges[id] ?? [:]).filter { !BuiltInField.isBuiltIn($0.key) }
        var values = row.fields
        for name in own.keys where values[name] == nil { values[name] = .null }
        fields = InspectionDetail.shown(values, own, inReview)
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
