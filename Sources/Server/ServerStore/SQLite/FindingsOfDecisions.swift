internal import Coding
internal import Forms
internal import Inspections
internal import Replication
internal import SQLite

/// A supervisor's decision can make a failing answer stand, or end a failure, that no device brings about:
/// the one whose value was in question hears of it by pull, and a pull makes no edits. So the finding is
/// raised or withdrawn here, once, with the decision.
extension WriteSession {
    /// Of what left a device's scope, or belongs to no record, nothing: its findings wait for a decision of
    /// their own.
    func following(
        _ decision: ReviewDecision, of review: OpenReview, by supervisor: Supervisor,
        _ carryOut: () throws -> Void
    ) throws {
        let tables = [RecordTable.inspection, RecordTable.repetition]
        guard review.kind == .field, let record = try connection.record(review.record),
            tables.contains(record.table),
            let id = try connection.inspection(of: record)?.id
        else { return try carryOut() }
        let before = try failing(in: id)
        try carryOut()
        guard let before, let now = try failing(in: id) else { return }
        let decided = AnswerKey(
            row: record.table == RecordTable.repetition ? record.id.rawValue : nil, review.column)
        var isSaid = false
        if case .value = decision { isSaid = before.answers[decided] != now.answers[decided] }
        let change = FailureChange(
            since: before.keys, now: now.keys, in: now.filling, by: now.answers,
            decided: [decided]
        ) { $0 == decided && isSaid }
        guard !change.isEmpty else { return }
        let known = try connection.knownFindings(of: id)
        // What an earlier visit had found is known where the visits are: on the devices.
        let raised = try change.raised(
            among: known, in: now.filling.form,
            answeredAt: { key in
                // The device raised what it found with its own value.
                if key == decided, case .mine = decision { return review.mineStamp.lamport }
                let owner = key.row.map { RecordID($0) } ?? id
                return try connection.fields(of: owner)[key.path]?.stamp.lamport ?? 0
            }, isRepeated: { _ in false })
        for finding in raised {
            var values = Dictionary(
                uniqueKeysWithValues: finding.fields.map { ($0.name, $0.value) })
            values[BuiltInField.repeated] = nil
            try put(
                RecordID(newID()), table: RecordTable.finding, parent: id, values,
                by: supervisor.node)
        }
        for finding in change.withdrawn(among: known, in: now.filling.form) {
            try put(
                RecordID(finding.id), table: RecordTable.finding, parent: id,
                [Mutation.deletedField: .integer(1)], by: supervisor.node)
        }
    }

    private static let closed = [InspectionState.complete, .approved].map(\.rawValue)

    private struct Failing {
        let filling: FormFilling
        let answers: FormAnswers
        let keys: Set<AnswerKey>
    }

    /// Nil where its form is not here, and of what is deleted, complete or signed: nobody could say there what
    /// is wrong.
    private func failing(in id: RecordID) throws -> Failing? {
        guard let record = try connection.record(id), !record.isDeleted,
            !Self.closed.contains(record.text(BuiltInField.state) ?? ""),
            let name = record.text(BuiltInField.form),
            let version = record.text(BuiltInField.formVersion),
            let form = try forms.policies(ofForm: name, version: version, from: connection)?.form
        else { return nil }
        let answers = FormAnswers(
            record.fields.mapValues(\.value), of: id.rawValue,
            records: try connection.rows(of: id), in: [form])
        let filling = FormFilling(form, answers: answers, in: .reckoning(at: now))
        return Failing(
            filling: filling, answers: answers, keys: filling.findingKeys(by: answers))
    }
}

extension Connection {
    /// Those that were taken away too.
    fileprivate func knownFindings(of inspection: RecordID) throws -> [FailureChange.Known] {
        let found = try query(
            """
            SELECT id, is_deleted FROM record
            WHERE parent_id = ? AND table_name = 'finding' ORDER BY id
            """, [.text(inspection.rawValue)]
        ) { (id: RecordID(try $0.text(0)), isDeleted: try $0.flag(1)) }
        return try found.compactMap { id, isDeleted in
            let fields = try fields(of: id)
            return Finding(fields: fields.mapValues(\.value)).map {
                FailureChange.Known(
                    id: id.rawValue, finding: $0, isDeleted: isDeleted,
                    raisedAt: fields[BuiltInField.question]?.stamp.lamport ?? 0)
            }
        }
    }
}
