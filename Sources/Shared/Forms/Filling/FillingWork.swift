/// What one change of a form being filled in has cost so far. A form is untrusted: each of its
/// expressions may be cheap, and all of them, for each row of a repeat, without end.
struct FillingWork: Equatable, Sendable {
    private let most: Int
    private var left: Int

    init(_ surroundings: FillingSurroundings) {
        most = surroundings.stepsOfOneChange
        left = most
    }

    /// Then nothing more is evaluated: what has not been keeps the value that it had.
    var isSpent: Bool { left <= 0 }

    /// - Throws: what the expression does, or that there is no work left for it.
    mutating func value(
        of expression: FormExpression, at node: Node, in surroundings: ExpressionSurroundings
    ) throws(ExpressionError) -> ExpressionValue {
        guard !isSpent else { throw error }
        let evaluation = Evaluation(
            surroundings: surroundings, origin: node,
            mostSteps: min(left, ExpressionLimits.steps))
        do throws(ExpressionError) {
            let value = try evaluation.value(
                of: expression.tree, Evaluation.Context(node: node))
            left -= evaluation.cost
            return value
        } catch {
            left -= evaluation.cost
            throw isSpent ? self.error : error
        }
    }

    private var error: ExpressionError {
        ExpressionError(
            .tooLarge, at: Place(1), "the form needs more than \(most) steps for one change")
    }
}
