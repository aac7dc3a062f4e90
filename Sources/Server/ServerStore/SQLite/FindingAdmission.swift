internal import Coding
internal import Forms
internal import Inspections
internal import Replication

/// Findings: a record each, on a question of their inspection.
extension Admission {
    /// A finding stands where it was raised: everybody who shares the inspection shows it there.
    func checkFinding() throws {
        guard mutation.table == RecordTable.finding else { return }
        for (field, words) in [
            (BuiltInField.question, "a finding keeps its question"),
            (BuiltInField.row, "a finding keeps its row"),
        ] {
            guard mutation.changes[field] != nil, let existing,
                existing.value(field) != .null, text(field) != existing.text(field)
            else { continue }
            throw rejected(.notAllowed, column: field, words)
        }
        guard mutation.changes[BuiltInField.question] != nil,
            let form = try formOfInspection(), let path = text(BuiltInField.question)
        else { return }
        // As with an answer: it may have been found before the inspection was moved to this version.
        let isTaken = try session.forms.allPolicies(ofForm: form.id, from: session.connection)
            .compactMap(\.form)
            .contains { other in try passes { try checkPlace(path, in: other) } }
        if !isTaken { try checkPlace(path, in: form) }
    }

    private func checkPlace(_ path: String, in form: FormDefinition) throws {
        guard let index = form.index(of: path) else {
            throw rejected(
                .unknownQuestion, column: BuiltInField.question,
                "version \(form.version) of the form has no such question")
        }
        let isInRow = form.repetition(around: form.allQuestions[index].path) != nil
        guard isInRow == (text(BuiltInField.row) != nil) else {
            throw rejected(
                .invalidValue, column: BuiltInField.row,
                isInRow ? "which row is it about?" : "the question stands in no row")
        }
    }

    /// Nil where it is not known, as of an inspection whose form is not published here.
    private func formOfInspection() throws -> FormDefinition? {
        let above = try existing?.parent.flatMap { try session.connection.record($0) } ?? parent
        guard let id = above?.text(BuiltInField.form),
            let version = above?.text(BuiltInField.formVersion)
        else { return nil }
        return try session.forms.policies(
            ofForm: id, version: version, from: session.connection)?.form
    }
}
