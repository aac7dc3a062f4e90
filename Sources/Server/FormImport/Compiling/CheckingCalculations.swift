import Forms

/// Words and numbers that a calculation may come to and that its question does not take. They stand as
/// they are and in nobody's way, but hardly as their author meant them.
extension FormCompiler {
    mutating func warnOfCalculations(_ definition: FormDefinition) {
        for question in definition.allQuestions
        where !question.isHidden && question.type.takesAnswer {
            guard let calculate = question.rules.calculate else { continue }
            for text in calculate.tree.constants { check(text, madeFor: question) }
        }
    }

    private mutating func check(_ text: String, madeFor question: Question) {
        let zone = ExpressionZone(fixedOffset: 0)
        guard var problem = question.problem(with: question.value(ofExpression: text, in: zone))
        else { return }
        if problem == .wrongType, question.type.isNumber { problem = .notANumber }
        warnings.note(
            "\(question.path): the calculation may come to \(ShownText.clean(text)), which "
                + "\(problem.message(unit: question.unit)); it stands as it is",
            kind: "calculation \(question.path) \(text)",
            at: nodes[question.path]?.place ?? .file)
    }
}

extension ExpressionTree {
    /// What it may come to that stands in it, as the branches of an `if`.
    fileprivate var constants: [String] {
        switch self {
        case .text(let text): return text.isEmpty ? [] : [text]
        case .number(let number): return [NumberText.write(number)]
        case .call(let call):
            switch call.name {
            case "if": return call.arguments.dropFirst().flatMap(\.constants)
            case "coalesce": return call.arguments.flatMap(\.constants)
            case "once": return call.arguments.prefix(1).flatMap(\.constants)
            default: return []
            }
        case .negate, .chain, .union, .path: return []
        }
    }
}
