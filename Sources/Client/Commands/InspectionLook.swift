internal import Coding
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

/// One inspection as 'show' tells of it: what is stored, what its form makes of that, and what the last
/// visit to the same equipment found.
struct InspectionLook {
    let detail: InspectionDetail
    /// Nil where its form is not on this device.
    let filling: FormFilling?
    let visit: Visit?
    /// Of its rows in conflict, those that are deleted too.
    let places: [RecordID: RowPlace]
    /// A newer version of the form that is here, to which the inspection could move.
    var newerVersion: String?

    func address(of conflict: ConflictView) -> String {
        if let about = conflict.about {
            return conflict.isDeletion ? about : "\(conflict.column) of the \(about)"
        }
        guard let place = places[conflict.recordId] else { return conflict.column }
        return conflict.isDeletion ? place.address : place.address(of: conflict.column)
    }

    /// A line of a list.
    struct Line {
        let key: AnswerKey
        let address: String
        var value: FieldValue?
        /// Nil where nothing was ever answered.
        var sync: SyncBadge?
        /// What a supervisor has before him, where the value waits behind it.
        var inReview: FieldValue?
        var previous: PreviousValue?
    }

    /// Answers that the form does not ask for in the version of the inspection.
    var orphans: [Line] {
        let rows = detail.bareRows
        return orphanKeys.map { key in
            let row = detail.rows.first { $0.id.rawValue == key.row }
            let field = row.map { $0.fields[key.path] } ?? detail.fields[key.path]
            return Line(
                key: key, address: rows.address(of: key), value: field?.value,
                sync: field?.sync)
        }
    }

    private var orphanKeys: [AnswerKey] { filling?.orphans ?? [] }

    var score: Score? { filling?.score(since: visit) }

    /// Answers as the form asks for them, what it does not ask behind; questions without one where the last
    /// visit's answer stands beside them.
    var lines: [Line] {
        let rows = detail.bareRows
        let orphans = Set(orphanKeys)
        var lines: [Line] = []
        func add(_ fields: [FieldName: InspectionDetail.Field?], in row: String?) {
            for (path, field) in fields {
                let key = AnswerKey(row: row, path)
                guard !orphans.contains(key) else { continue }
                lines.append(
                    Line(
                        key: key, address: rows.address(of: key), value: field?.value,
                        sync: field?.sync, inReview: field?.inReview,
                        previous: previous(at: key)))
            }
        }
        add(own, in: nil)
        for row in detail.rows {
            let fields = fields(of: row)
            let key = AnswerKey(row: row.id.rawValue, row.path)
            if fields.isEmpty { lines.append(Line(key: key, address: rows.address(of: key))) }
            add(fields, in: row.id.rawValue)
        }
        return lines.map { (place: place(of: $0.key, among: rows), line: $0) }.sorted {
            $0.place == $1.place
                ? $0.line.address < $1.line.address
                : $0.place.lexicographicallyPrecedes($1.place)
        }.map(\.line)
    }

    /// Where an answer stands in the form: a row where its repeat begins, and all in it with it.
    private func place(of key: AnswerKey, among rows: FormAnswers) -> [Int] {
        guard let form = filling?.form else { return [] }
        let isRow = key.row.flatMap { rows.row($0)?.path } == key.path
        var place = [form.index(of: key.path) ?? (isRow ? 0 : .max)]
        var next = key.row.flatMap { rows.row($0) }
        while let row = next {
            let begin = form.allQuestions.firstIndex { $0.path.hasPrefix(row.path + "/") }
            place = [begin ?? .max, rows.number(ofRow: row.id) ?? .max] + place
            next = row.parent.flatMap { rows.row($0) }
        }
        return place
    }

    private var own: [FieldName: InspectionDetail.Field?] {
        withPrevious(detail.fields, row: nil)
    }

    private func fields(of row: InspectionDetail.Row) -> [FieldName: InspectionDetail.Field?] {
        withPrevious(row.fields, row: row)
    }

    private func withPrevious(
        _ stored: [FieldName: InspectionDetail.Field], row: InspectionDetail.Row?
    ) -> [FieldName: InspectionDetail.Field?] {
        var fields = stored.mapValues { InspectionDetail.Field?.some($0) }
        guard let filling, visit != nil else { return fields }
        for question in filling.form.allQuestions
        where question.showsPrevious && fields[question.path] == nil {
            let key = AnswerKey(row: row?.id.rawValue, question.path)
            guard filling.form.repetition(around: question.path)?.path == row?.path,
                filling.isRelevant(key), previous(at: key) != nil
            else { continue }
            fields[question.path] = .some(nil)
        }
        return fields
    }

    private func previous(at key: AnswerKey) -> PreviousValue? {
        guard let filling, let visit,
            let index = filling.form.index(of: key.path),
            filling.form.allQuestions[index].mayShowPrevious
        else { return nil }
        return filling.previous(at: key, in: visit)
    }

    // MARK: JSON

    var json: JSON {
        let summary = detail.summary
        return [
            "id": .string(summary.id.rawValue), "form": .string(summary.form),
            "formVersion": .string(summary.formVersion), "asset": JSON(summary.asset),
            "site": JSON(summary.site), "state": .string(summary.state),
            "dueOn": JSON(summary.dueOn), "sync": .string(summary.sync.rawValue),
            "version": .integer(summary.version), "comment": JSON(detail.comment),
            "fields": json(of: own, row: nil), "repeats": repeats,
            "findings": .array(detail.findings.map { .object($0.view.members) }),
            "orphans": .array(
                zip(orphanKeys, orphans).map { key, line in
                    [
                        "question": .string(line.address), "row": JSON(key.row),
                        "value": line.value?.json ?? .null, "sync": JSON(line.sync?.rawValue),
                    ]
                }),
            "newerVersion": JSON(newerVersion),
            "conflicts": .array(
                detail.conflicts.map { $0.json(at: address(of: $0)) }),
            "previousVisit": visit.map { visit in
                [
                    "inspection": .string(visit.inspection), "date": JSON(visit.day),
                    "formVersion": .string(visit.formVersion),
                ]
            } ?? .null,
        ]
    }

    private var repeats: JSON {
        let rows = detail.rows.map { row -> (String, JSON) in
            (
                row.path,
                [
                    "id": .string(row.id.rawValue), "index": .integer(Int64(row.index)),
                    "parent": JSON(row.parent?.rawValue),
                    "fields": json(of: fields(of: row), row: row.id.rawValue),
                ]
            )
        }
        return .object(
            Dictionary(grouping: rows, by: \.0).mapValues { .array($0.map(\.1)) })
    }

    private func json(of fields: [FieldName: InspectionDetail.Field?], row: String?) -> JSON {
        var members: [String: JSON] = [:]
        for (path, field) in fields {
            var member: [String: JSON] = [
                "value": field?.value.json ?? .null, "sync": JSON(field?.sync.rawValue),
            ]
            if let asked = field?.inReview { member["inReview"] = asked.json }
            if visit != nil {
                member["previous"] = previous(at: AnswerKey(row: row, path))?.json ?? .null
            }
            members[path] = .object(member)
        }
        return .object(members)
    }
}

extension PreviousValue {
    var json: JSON {
        [
            "value": value.json, "date": JSON(day), "inspection": .string(inspection),
            "change": change.map { FieldValue.double($0).canonical.json } ?? .null,
            "failedAgain": .bool(isRepeatViolation),
        ]
    }
}

extension DeviceStore {
    /// - Throws: what `inspectionID(matching:)` does.
    func look(matching text: String) throws -> InspectionLook {
        let id = try inspectionID(matching: text)
        let detail = try inspection(id)
        let places = try rowPlaces(of: Set(detail.conflicts.map(\.recordId)))
        // One that was deleted elsewhere is in the list as long as somebody has to decide.
        guard !detail.summary.isDeleted else {
            return InspectionLook(detail: detail, filling: nil, visit: nil, places: places)
        }
        do {
            return InspectionLook(
                detail: detail, filling: try filling(of: id), visit: try previousVisit(of: id),
                places: places, newerVersion: try newerVersion(for: id))
        } catch StoreError.unknownForm {
            return InspectionLook(detail: detail, filling: nil, visit: nil, places: places)
        }
    }
}
