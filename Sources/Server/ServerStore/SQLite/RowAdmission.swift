internal import Forms
internal import Inspections
internal import Replication

/// Rows of repeats: a record each, whose questions are those of its repeat.
extension Admission {
    var isRow: Bool { mutation.table == RecordTable.repetition }

    /// A row says which repeat of its form it is one time of, for ever, and stands where that repeat
    /// stands: everybody who shares the inspection shows it there.
    func checkRow(of form: FormDefinition) throws {
        let path = text(BuiltInField.repetition)
        if let before = existing?.text(BuiltInField.repetition), path != before {
            throw rejected(
                .notAllowed, column: BuiltInField.repetition, "a row keeps its repeat")
        }
        guard let path, form.repetitions.contains(where: { $0.path == path }) else {
            throw rejected(
                .unknownQuestion, column: BuiltInField.repetition,
                "version \(form.version) of the form has no such repeat")
        }
        guard existing == nil, let parent, session.model.knows(table: parent.table) else { return }
        guard parent.text(BuiltInField.repetition) == form.repetition(around: path)?.path else {
            throw rejected(.wrongParent, "such a row cannot stand under that parent")
        }
        guard parent.text(BuiltInField.form) == form.id else {
            throw rejected(
                .notAllowed, column: BuiltInField.form, "a row has the form of its inspection")
        }
    }

    /// The question that a field answers, where the record stands at its place.
    func question(_ column: FieldName, of form: FormDefinition) -> Question? {
        let place = isRow ? text(BuiltInField.repetition) : nil
        guard let index = form.index(of: column), form.repetition(around: column)?.path == place
        else { return nil }
        return form.allQuestions[index]
    }
}
