import Coding

/// What a form is like with some answers given, for the inspection itself or for one row of a repeat:
/// which questions count, what is wrong, how far it has come.
package struct FormState: Equatable, Sendable {
    /// Paths of the questions that are asked now. The answers of the others are kept and left out.
    package let relevant: Set<String>
    /// In the order of the form: required ones without an answer, and answers that break a rule. For
    /// the inspection those of all rows too, behind its own. Last what is wrong with findings on questions
    /// that are not asked: nobody could finish without them, and they count in no section.
    package let problems: [FormProblem]
    /// One for each section of the form; of a row there is one.
    package let sections: [Progress]

    /// How many of the relevant questions that take an answer have one.
    package struct Progress: Equatable, Sendable {
        package var answered = 0
        package var total = 0
        package var problems = 0
        /// Whether any question of the section is asked.
        package var isRelevant = false

        package init() {}
    }

    package var answered: Int { sections.reduce(0) { $0 + $1.answered } }
    package var total: Int { sections.reduce(0) { $0 + $1.total } }
    package var isComplete: Bool { problems.isEmpty }

    package func problem(of path: String) -> AnswerProblem? {
        problems.first { $0.path == path }?.problem
    }
}

extension FormFilling {
    /// The state of the inspection itself. A section counts the rows that stand in it too.
    package var state: FormState {
        var counting = Counting(self)
        let sections = form.sections.map { section in
            counting.progress(of: section.items, in: nil)
        }
        counting.addRelevantHidden()
        counting.addOtherTroubles { _ in true }
        return FormState(
            relevant: counting.relevant, problems: counting.problems, sections: sections)
    }

    /// The state of one row: its own questions, without the rows in it.
    package func state(ofRow id: String) -> FormState {
        guard let row = answers.row(id),
            let repetition = form.repetitions.first(where: { $0.path == row.path })
        else { return FormState(relevant: [], problems: [], sections: []) }
        var counting = Counting(self)
        let progress = counting.progress(of: repetition.items, in: id)
        counting.addOtherTroubles { $0.row == id }
        return FormState(
            relevant: counting.relevantInRow, problems: counting.problems, sections: [progress])
    }

    /// What is wrong with one answer; nil where nothing is, or where it is not asked.
    package func problem(of key: AnswerKey) -> AnswerProblem? {
        guard isRelevant(key), let index = form.index(of: key.path) else { return nil }
        return problem(of: form.allQuestions[index], at: key)
    }

    /// The same as it is told to whoever sees the answers anyway: what the form says of a rule with the
    /// answers put in.
    package func shownProblem(of key: AnswerKey) -> AnswerProblem? {
        guard let problem = problem(of: key) else { return nil }
        guard case .constraint(.some) = problem, let index = form.index(of: key.path),
            let words = form.allQuestions[index].rules.constraintText
        else { return problem }
        return .constraint(text(words, at: key))
    }

    fileprivate func problem(of question: Question, at key: AnswerKey) -> AnswerProblem? {
        if drafts.contains(key) { return .unfinishedDraft }
        let value = answers[key]
        let check = check(of: key)
        if value.isNull {
            guard check.isRequired, question.type.takesAnswer else { return nil }
            return .required
        }
        // What the form works out itself nobody could mend, whatever it comes to. A constraint of it is
        // one on the answers that it follows from.
        if !question.isReckoned {
            if let problem = question.problem(with: value) { return problem }
            if !check.isOffered { return .notOffered }
        }
        guard check.constraintHolds else {
            return .constraint(question.rules.constraintText?.plain(in: surroundings.language))
        }
        return nil
    }

    private struct Counting {
        let filling: FormFilling
        var relevant: Set<String> = []
        var relevantInRow: Set<String> = []
        var problems: [FormProblem] = []

        init(_ filling: FormFilling) { self.filling = filling }

        mutating func progress(of items: [FormItem], in row: String?) -> FormState.Progress {
            var progress = FormState.Progress()
            for item in items { add(item, in: row, to: &progress) }
            return progress
        }

        private mutating func add(
            _ item: FormItem, in row: String?, to progress: inout FormState.Progress
        ) {
            switch item {
            case .question(let question): add(question, in: row, to: &progress)
            case .group(let group):
                for item in group.items { add(item, in: row, to: &progress) }
            case .repetition(let repetition):
                // The list of rows is a thing to be seen even while it is empty.
                if filling.isAsked(repetition, in: row) { progress.isRelevant = true }
                for each in filling.answers.rows(of: repetition.path, in: row) {
                    for item in repetition.items { add(item, in: each.id, to: &progress) }
                }
            }
        }

        private mutating func add(
            _ question: Question, in row: String?, to progress: inout FormState.Progress
        ) {
            let key = AnswerKey(row: row, question.path)
            guard filling.isRelevant(key) else { return }
            if row == nil {
                relevant.insert(question.path)
            } else {
                relevantInRow.insert(question.path)
            }
            progress.isRelevant = true
            guard question.type.takesAnswer else { return }
            if !filling.isReadonly(key) {
                progress.total += 1
                if !filling.answers[key].isNull { progress.answered += 1 }
            }
            let problem = filling.problem(of: question, at: key) ?? filling.findingTroubles[key]
            if let problem {
                problems.append(FormProblem(path: question.path, problem: problem, row: row))
                progress.problems += 1
            }
        }

        /// Findings on what is not asked as things stand, or not by this version of the form.
        mutating func addOtherTroubles(where concerns: (AnswerKey) -> Bool) {
            guard !filling.findingTroubles.isEmpty else { return }
            let told = Set(problems.map { AnswerKey(row: $0.row, $0.path) })
            let rows = filling.answers.rows.map(\.id)
            let others = filling.findingTroubles.filter { key, _ in
                concerns(key) && !told.contains(key)
            }.map { key, problem in
                (
                    key: key, problem: problem,
                    place: (
                        filling.form.index(of: key.path) ?? .max,
                        key.row.flatMap { rows.firstIndex(of: $0) } ?? -1, key.path
                    )
                )
            }
            problems += others.sorted { $0.place < $1.place }.map {
                FormProblem(path: $0.key.path, problem: $0.problem, row: $0.key.row)
            }
        }

        /// Their answers count for the submission, though nobody is asked.
        mutating func addRelevantHidden() {
            for question in filling.form.parts.hidden
            where filling.isRelevant(AnswerKey(question.path)) {
                relevant.insert(question.path)
            }
        }
    }

    /// Whether rows of a repeat count at this place: what it stands in does, and so does it, as far as
    /// that can be told without a row.
    package func isAsked(_ repetition: Repetition, in row: String?) -> Bool {
        let outer = repetition.path.split(separator: "/").dropLast().joined(separator: "/")
        let key = AnswerKey(row: row, outer)
        let index = outer.isEmpty ? 1 : nodes.index(of: key) ?? row.flatMap(indexOfRow) ?? 1
        guard tree.entries[index].isRelevant else { return false }
        guard let rules = form.rules[repetition.path] else { return true }
        return rules.relevant.allSatisfy { expression in
            do throws(ExpressionError) {
                return try expression.boolean(
                    at: tree.node(at: index), in: expressionSurroundings)
            } catch {
                return true
            }
        }
    }

    private func indexOfRow(_ id: String) -> Int? {
        answers.row(id).flatMap { nodes.index(of: AnswerKey(row: id, $0.path)) }
    }
}
