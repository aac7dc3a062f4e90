package import Coding
package import Forms

/// Whether an inspection can be finished, and if not, what is in the way.
package enum Completion {
    package enum Refusal: Error, Equatable, Sendable {
        case state(StateRefusal)
        /// In the order of the form; the screen goes to the first, the command lists them all.
        case problems([FormProblem])
    }

    /// Complete needs all relevant required answers and no problem, in every row too; hidden answers
    /// never block.
    package static func check(
        _ filling: FormFilling, state: InspectionState
    ) throws(Refusal) {
        let begun: InspectionState = state == .assigned ? .inProgress : state
        guard begun.mayBecome(.complete, by: .inspector) else {
            throw .state(StateRefusal(from: state, to: .complete, role: .inspector))
        }
        let problems = filling.state.problems
        guard problems.isEmpty else { throw .problems(problems) }
    }

    /// The same for an inspection without rows, seen from nowhere.
    /// - Parameter drafts: questions with text that was typed and not accepted.
    package static func check(
        _ form: FormDefinition, answers: [String: FieldValue], drafts: Set<String> = [],
        state: InspectionState
    ) throws(Refusal) {
        let filling = FormFilling(
            form, answers: FormAnswers(answers), drafts: Set(drafts.map { AnswerKey($0) }),
            in: .looking(at: 0))
        try check(filling, state: state)
    }

    /// The answers that count: those of relevant questions. The others stay where they are.
    package static func submission(
        _ form: FormDefinition, answers: [String: FieldValue]
    ) -> [String: FieldValue] {
        let relevant = form.evaluate(answers: answers).relevant
        return answers.filter { relevant.contains($0.key) && !$0.value.isNull }
    }
}
