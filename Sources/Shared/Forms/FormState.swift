package import Coding

/// What a form is like with some answers given: which questions count, what is wrong, how far it
/// has come.
package struct FormState: Equatable, Sendable {
    /// Paths of the questions that are asked now. The answers of the others are kept and left out.
    package let relevant: Set<String>
    /// In the order of the form: required ones without an answer, and answers that break a rule.
    package let problems: [FormProblem]
    /// One for each section of the form.
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

extension FormDefinition {
    /// - Parameter drafts: questions where something was typed and not accepted; a relevant one
    ///   stands among the problems.
    package func evaluate(
        answers: [String: FieldValue], drafts: Set<String> = []
    ) -> FormState {
        let relevant = relevantQuestions(answers: answers)
        var problems: [FormProblem] = []
        var progress: [FormState.Progress] = []
        for section in sections {
            var state = FormState.Progress()
            for question in section.questions where relevant.contains(question.path) {
                state.isRelevant = true
                guard question.type.takesAnswer else { continue }
                let value = answers[question.path] ?? .null
                state.total += 1
                if !value.isNull { state.answered += 1 }
                if let problem = problem(
                    of: question, value: value, hasDraft: drafts.contains(question.path))
                {
                    problems.append(FormProblem(path: question.path, problem: problem))
                    state.problems += 1
                }
            }
            progress.append(state)
        }
        return FormState(relevant: relevant, problems: problems, sections: progress)
    }

    private func problem(
        of question: Question, value: FieldValue, hasDraft: Bool
    ) -> AnswerProblem? {
        if hasDraft { return .unfinishedDraft }
        if value.isNull { return question.required ? .required : nil }
        return question.problem(with: value)
    }

    /// Goes through the questions in the order of their dependencies; an irrelevant question
    /// counts as unanswered for those that look at it.
    private func relevantQuestions(answers: [String: FieldValue]) -> Set<String> {
        var relevant: Set<String> = []
        let answer: (String) -> FieldValue = { path in
            relevant.contains(path) ? answers[path] ?? .null : .null
        }
        for index in evaluationOrder {
            let question = questions[index]
            let section = sections[sectionOfQuestion[index]]
            if section.relevant?.holds(answer) ?? true, question.relevant?.holds(answer) ?? true {
                relevant.insert(question.path)
            }
        }
        return relevant
    }
}
