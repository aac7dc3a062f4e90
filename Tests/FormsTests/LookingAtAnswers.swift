import Coding
import Forms

extension FormDefinition {
    /// The state of the inspection itself, for answers that nobody is changing.
    /// - Parameter drafts: questions where something was typed and not accepted.
    func evaluate(
        answers: [String: FieldValue], drafts: Set<String> = [],
        in surroundings: FillingSurroundings = .looking(at: 0)
    ) -> FormState {
        FormFilling(
            self, answers: FormAnswers(answers), drafts: Set(drafts.map { AnswerKey($0) }),
            in: surroundings
        ).state
    }
}
