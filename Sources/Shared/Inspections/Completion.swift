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
}
