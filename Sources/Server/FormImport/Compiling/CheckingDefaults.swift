internal import Coding
import Forms

/// Defaults that stand in a form and that its questions would not take. An inspection begins without
/// them, because a mistake of the author must not stand in the inspector's way.
extension FormCompiler {
    mutating func warnOfDefaults(_ definition: FormDefinition) {
        for question in definition.allQuestions
        where question.rules.calculate == nil && !question.isHidden && question.type.takesAnswer {
            if let initial = question.initial { check(initial, of: question) }
        }
        for row in definition.parts.rows {
            for (path, text) in row.values.sorted(by: { $0.key < $1.key }) {
                guard let question = definition.question(named: path), question.path == path,
                    question.rules.calculate == nil, !question.isHidden,
                    question.type.takesAnswer, text != question.initial
                else { continue }
                check(text, of: question)
            }
        }
    }

    private mutating func check(_ text: String, of question: Question) {
        let value = question.value(
            ofExpression: text, in: ExpressionZone(fixedOffset: 0))
        let place = nodes[question.path]?.place ?? .file
        let subject = "\(question.path): the default \(ShownText.clean(text))"
        if var problem = question.problem(with: value) {
            if problem == .wrongType, question.type.isNumber { problem = .notANumber }
            warnings.note(
                "\(subject) \(problem.message(unit: question.unit)); it is left out",
                kind: "default \(question.path)", at: place)
        } else if question.type == .integer, NumberText.parse(text) != value.number {
            warnings.note(
                "\(subject) is taken as \(value.plainText)", kind: "default \(question.path)",
                at: place)
        }
    }
}
