internal import Coding

/// What a person may do to the answers at the moment, beside what the rules of a value say.
extension FormFilling {
    /// Why nobody can answer here now, whatever the answer; nil where one can.
    package func obstacle(at key: AnswerKey) -> AnswerProblem? {
        guard let index = form.index(of: key.path), nodes.index(of: key) != nil else {
            return .notAsked
        }
        let question = form.allQuestions[index]
        if !question.type.takesAnswer { return .takesNoAnswer }
        if question.isHidden || question.rules.calculate != nil { return .calculated }
        if !isRelevant(key) { return .notAsked }
        return isReadonly(key) ? .readonly : nil
    }

    /// Whether rows of a repeat are added and deleted by people, and not by a count or its author.
    package func takesRows(_ path: String) -> Bool {
        form.repetitions.first { $0.path == path }.map { $0.count == nil && !$0.isFixed } ?? false
    }

    /// Whether a person answered anything in a row, or in the rows in it: what the form lays down by
    /// itself is no loss.
    package func isFilled(row id: String) -> Bool {
        guard let row = answers.row(id) else { return false }
        let isAnswered = form.allQuestions.contains { question in
            guard !question.isHidden, question.rules.calculate == nil,
                let value = row.fields[question.path], !value.isNull
            else { return false }
            return value
                != question.initial.map {
                    question.value(ofExpression: $0, in: surroundings.zone)
                }
        }
        return isAnswered
            || answers.rows.contains { $0.parent == id && isFilled(row: $0.id) }
    }

    /// What a row is called where a person has to tell it from the others: `Pump 2: P-17`.
    package func name(ofRow id: String) -> String {
        guard let row = answers.row(id),
            let repetition = form.repetitions.first(where: { $0.path == row.path })
        else { return "" }
        let key = AnswerKey(row: id, row.path)
        let title = repetition.text.map { text($0, at: key) } ?? ""
        let fallback = row.path.split(separator: "/").last.map(String.init) ?? row.path
        let number = answers.number(ofRow: id).map { " \($0)" } ?? ""
        let first = repetition.questions.lazy.compactMap { question -> String? in
            let key = AnswerKey(row: id, question.path)
            let value = answers[key]
            guard isRelevant(key), !value.isNull else { return nil }
            let choice = question.choice(named: value.plainText)
            return choice.map { text($0.shownText, at: key) } ?? ShownText.clean(value.plainText)
        }.first
        return (title.isEmpty ? fallback : title) + number + (first.map { ": " + $0 } ?? "")
    }
}
