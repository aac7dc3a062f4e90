package import Forms

extension FormFilling {
    /// Whether an answer fails as things stand; one that is not asked fails nothing.
    package func fails(_ key: AnswerKey) -> Bool { fails(key, by: answers) }

    func fails(_ key: AnswerKey, by given: FormAnswers) -> Bool {
        form.index(of: key.path).map { fails(key, form.allQuestions[$0], given) } ?? false
    }

    /// Where an answer fails of which the form says that a failure is a finding.
    /// - Parameter given: other answers than those that the form has reckoned with, as what is stored.
    package func findingKeys(by given: FormAnswers? = nil) -> Set<AnswerKey> {
        let answers = given ?? answers
        var keys: Set<AnswerKey> = []
        for index in form.allQuestions.indices where form.allQuestions[index].findingOnFail {
            let question = form.allQuestions[index]
            guard let repetition = form.repetition(around: question.path) else {
                let key = AnswerKey(question.path)
                if fails(key, question, answers) { keys.insert(key) }
                continue
            }
            for row in answers.rows where row.path == repetition.path {
                let key = AnswerKey(row: row.id, question.path)
                if fails(key, question, answers) { keys.insert(key) }
            }
        }
        return keys
    }

    private func fails(_ key: AnswerKey, _ question: Question, _ answers: FormAnswers) -> Bool {
        question.verdict(of: answers[key]) == .fail && isRelevant(key)
    }
}
