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

    /// A line of the list.
    struct Line {
        let address: String
        var value: FieldValue?
        /// Nil where nothing was ever answered.
        var sync: SyncBadge?
        /// What a supervisor has before him, where the value waits behind it.
        var inReview: FieldValue?
        var previous: PreviousValue?
    }

    var score: Score? { filling?.score(since: visit) }

    /// Answers by their paths, then those of rows; questions without one where the last visit's answer
    /// stands beside them.
    var lines: [Line] {
        var lines = own.sorted { $0.key < $1.key }.map { path, field in
            Line(
                address: path, value: field?.value, sync: field?.sync,
                inReview: field?.inReview, previous: previous(at: AnswerKey(path)))
        }
        for row in detail.rows {
            let fields = fields(of: row)
            if fields.isEmpty {
                lines.append(Line(address: detail.address(of: row.path, in: row)))
            }
            lines += fields.sorted { $0.key < $1.key }.map { path, field in
                Line(
                    address: detail.address(of: path, in: row), value: field?.value,
                    sync: field?.sync, inReview: field?.inReview,
                    previous: previous(at: AnswerKey(row: row.id.rawValue, path)))
            }
        }
        return lines
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
            "conflicts": .array(detail.conflicts.map(\.json)),
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
        // One that was deleted elsewhere is in the list as long as somebody has to decide.
        guard !detail.summary.isDeleted else {
            return InspectionLook(detail: detail, filling: nil, visit: nil)
        }
        do {
            return InspectionLook(
                detail: detail, filling: try filling(of: id), visit: try previousVisit(of: id))
        } catch StoreError.unknownForm {
            return InspectionLook(detail: detail, filling: nil, visit: nil)
        }
    }
}
