internal import Coding
internal import Forms
internal import Inspections
internal import Replication

/// What a form works out of its answers, where the answers of several devices have met since it was worked
/// out. A device does it again with its next answer and with *complete*; here it is done where nobody
/// answers any more.
extension FormAnswers {
    /// The answers as they are handed out: what rests on them alone follows them, and what the form does
    /// not ask as things stand is left out, with the rows of such a repeat. It was answered before
    /// another answer hid it, and stays in the record. What is signed stands as it was signed.
    ///
    /// - Parameter form: nil where it is not known here: then they are handed out as they are stored.
    func handedOut(
        of record: StoredRecord, in form: FormDefinition?, at now: Int64
    ) -> FormAnswers {
        guard let form else { return self }
        var surroundings = FillingSurroundings.reckoning(at: now)
        if record.text(BuiltInField.state) == InspectionState.approved.rawValue {
            surroundings.calculates = .none
        }
        let filling = FormFilling(form, answers: self, in: surroundings)
        var asked = filling.askedAnswers
        let repetitions = Dictionary(form.repetitions.map { ($0.path, $0) }) { first, _ in first }
        for row in asked.rows {
            guard let repetition = repetitions[row.path] else { continue }
            if !filling.isAsked(repetition, in: row.parent) { _ = asked.remove(rows: [row.id]) }
        }
        return asked
    }
}

extension FillingSurroundings {
    /// What a device reckoned may rest on what only it has, such as its user's name, its zone or what was
    /// saved there before: that stands. Nor is judged anew what a rule said there and then.
    static func reckoning(at now: Int64) -> FillingSurroundings {
        var surroundings = looking(at: now)
        surroundings.calculates = .answers
        surroundings.judges = .answers
        return surroundings
    }
}

extension WriteSession {
    /// Two devices can bring about together what neither would: one completes the inspection while
    /// another clears an answer, adds a row or changes what is summed up. What is signed has no gap, and
    /// sums that are those of its answers.
    /// - Returns: what is stored otherwise than the form works it out, by record.
    /// - Throws: where something is missing or wrong.
    func reckonedAnswers(
        ofFinished record: StoredRecord
    ) throws -> [RecordID: [FieldName: FieldValue]] {
        guard let id = record.text(BuiltInField.form),
            let version = record.text(BuiltInField.formVersion),
            let form = try forms.policies(ofForm: id, version: version, from: connection)?.form
        else {
            throw ServerStoreError(
                .stateRefused, "this server has not published the form of the inspection")
        }
        let answers = FormAnswers(
            record.fields.mapValues(\.value), of: record.id.rawValue,
            records: try connection.rows(of: record.id), in: [form])
        let filling = FormFilling(form, answers: answers, in: .reckoning(at: now))
        let problems = filling.state.problems
        guard problems.isEmpty else {
            throw ServerStoreError(
                .stateRefused,
                "the inspection is not finished: "
                    + problems.map { problem in
                        let key = AnswerKey(row: problem.row, problem.path)
                        return "\(answers.address(of: key)) \(problem.problem.message())"
                    }
                    .joined(separator: "; "))
        }
        var reckoned: [RecordID: [FieldName: FieldValue]] = [:]
        for key in filling.changes(from: answers) {
            let owner = key.row.map { RecordID($0) } ?? record.id
            let value = filling.value(of: key)
            // A calculation may come to more than an answer may be.
            if case .string(let text) = value, (try? FieldValue(text: text)) == nil { continue }
            reckoned[owner, default: [:]][key.path] = value
        }
        return reckoned
    }

    func put(
        _ reckoned: [RecordID: [FieldName: FieldValue]], inRowsOf inspection: StoredRecord,
        by supervisor: Supervisor
    ) throws {
        for id in reckoned.keys.sorted() {
            guard let row = try connection.record(id), let values = reckoned[id] else { continue }
            try put(row.id, table: row.table, parent: row.parent, values, by: supervisor.node)
        }
    }
}
