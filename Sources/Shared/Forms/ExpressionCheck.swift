/// What is wrong with the expressions of a form that can be put in order all the same: paths to
/// nothing, functions that there are not, formats and patterns that cannot be read. An author wants to
/// know; whoever fills the form in sees no more of it than a rule that says nothing.
package struct ExpressionCheck {
    /// Where, as in `FormError`, the question's or group's path, and what is the matter.
    package struct Problem: Equatable, Sendable {
        package let error: FormError
        package let path: String
    }

    package private(set) var problems: [Problem] = []
    private let root: String
    /// Of all nodes of the record, as absolute paths.
    private var paths: Set<String> = ["/"]

    package init(_ form: FormDefinition) {
        root = form.parts.root
        collect(form.record)
        for (number, section) in form.sections.enumerated() {
            check(section.relevant, of: "", at: "sections[\(number)].relevant")
        }
        let walk = FormWalk(form.parts)
        for (question, place) in walk.questions {
            for (name, expression) in question.rules.named {
                check(expression, of: question.path, at: place + "." + name)
            }
            check(question.filter?.nodeset, of: question.path, at: place + ".filter")
        }
        for (repetition, place) in walk.repetitions {
            check(repetition.count, of: repetition.path, at: place + ".count")
        }
        for (number, group) in form.parts.groups.enumerated() {
            check(group.relevant, of: group.path, at: "groups[\(number)].relevant")
            check(group.readonly, of: group.path, at: "groups[\(number)].readonly")
        }
        for (number, action) in form.parts.actions.enumerated() {
            guard case .expression(let expression) = action.value else { continue }
            check(expression, of: action.target, at: "actions[\(number)].expression")
        }
    }

    private mutating func collect(_ node: RecordNode) {
        paths.insert(RuleDependencies.node(node.path, root: root))
        for child in node.children { collect(child) }
    }

    private mutating func check(_ expression: FormExpression?, of path: String, at place: String) {
        guard let expression else { return }
        for problem in expression.callProblems + expression.patternProblems {
            add(.badCondition, problem.description, path, place)
        }
        let node = RuleDependencies.node(path, root: root)
        for other in expression.dependencies(at: node).paths.sorted()
        where !paths.contains(other) {
            add(.unknownQuestion, "there is nothing at \(other)", path, place)
        }
    }

    private mutating func add(
        _ code: FormError.Code, _ message: String, _ path: String, _ place: String
    ) {
        problems.append(Problem(error: FormError(code, at: place, message), path: path))
    }
}
