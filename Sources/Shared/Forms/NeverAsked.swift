/// Questions that no answers bring on the screen, as far as that can be told without trying: a
/// condition that is false by itself, that wants a choice that is not offered, a number beyond its
/// limits, two choices of one question at once, or the answer to a question that is never asked.
///
/// What is not understood may hold, so nothing is called unreachable that is not.
package struct NeverAsked {
    /// With the condition that never holds, in the order of the form.
    package private(set) var questions: [(path: String, condition: FormExpression)] = []
    private let form: FormDefinition
    private var paths: Set<String> = []
    /// Of the question that is looked at.
    private var place = ""

    package init(_ form: FormDefinition) {
        self.form = form
        // Each round may find what rests on what the round before has found.
        var before = -1
        while before != paths.count {
            before = paths.count
            for question in form.allQuestions where !paths.contains(question.path) {
                guard let condition = neverHolding(of: question.path) else { continue }
                paths.insert(question.path)
                questions.append((question.path, condition))
            }
        }
        questions.sort { (form.index(of: $0.path) ?? 0) < (form.index(of: $1.path) ?? 0) }
    }

    private mutating func neverHolding(of path: String) -> FormExpression? {
        place = path
        let conditions = form.relevance(of: path)
        var wanted: [String: String] = [:]
        for condition in conditions {
            if !mayHold(condition.tree, at: path, &wanted) { return condition }
        }
        return nil
    }

    /// - Parameter wanted: the choice that each question must have, by what must hold as well.
    private func mayHold(
        _ tree: ExpressionTree, at path: String, _ wanted: inout [String: String]
    ) -> Bool {
        switch tree {
        case .chain(let first, let links):
            return mayHold(first, links, at: path, &wanted)
        case .call(let call):
            if call.name == "selected", call.arguments.count == 2,
                case .text(let name) = call.arguments[1],
                let question = question(call.arguments[0], at: path)
            {
                return mayBe(name, question, &wanted)
            }
            return constant(tree) ?? true
        default:
            return constant(tree) ?? true
        }
    }

    private func mayHold(
        _ first: ExpressionTree, _ links: [ChainLink], at path: String,
        _ wanted: inout [String: String]
    ) -> Bool {
        let operands = [first] + links.map(\.operand)
        if links.allSatisfy({ $0.sign == .and }) {
            return operands.allSatisfy { mayHold($0, at: path, &wanted) }
        }
        if links.allSatisfy({ $0.sign == .or }) {
            return operands.contains { operand in
                var branch = wanted
                return mayHold(operand, at: path, &branch)
            }
        }
        guard links.count == 1, let value = constantValue(links[0].operand) else {
            return constant(.chain(first, links)) ?? true
        }
        guard let question = question(first, at: path) else {
            return constant(.chain(first, links)) ?? true
        }
        return mayHold(question, links[0].sign, value, &wanted)
    }

    private enum Value {
        case text(String)
        case number(Double)
    }

    private func constantValue(_ tree: ExpressionTree) -> Value? {
        switch tree {
        case .text(let text): .text(text)
        case .number(let number): .number(number)
        case .negate(.number(let number)): .number(-number)
        default: nil
        }
    }

    private func mayHold(
        _ question: Question, _ sign: Operator, _ value: Value, _ wanted: inout [String: String]
    ) -> Bool {
        switch (sign, value) {
        case (.equal, .text(let text)) where !text.isEmpty:
            return mayBe(text, question, &wanted)
        case (.equal, .number(let number)):
            let name = NumberText.write(number)
            if !question.choices.isEmpty {
                // `1` and `01` are one number.
                let same = question.choices.filter { NumberText.parse($0.name) == number }
                guard let only = same.first else { return !mustBeOffered(question) }
                return same.count > 1 || mayBe(only.name, question, &wanted)
            }
            return isWithin(question, number, number) && mayBe(name, question, &wanted)
        case (.greater, .number(let number)), (.greaterOrEqual, .number(let number)):
            return isWithin(question, number, .infinity, isOpen: sign == .greater)
        case (.less, .number(let number)), (.lessOrEqual, .number(let number)):
            return isWithin(question, -.infinity, number, isOpen: sign == .less)
        default:
            return true
        }
    }

    /// Whether the answer may be this name, beside what else is wanted of it.
    private func mayBe(
        _ name: String, _ question: Question, _ wanted: inout [String: String]
    ) -> Bool {
        if paths.contains(question.path) { return false }
        guard mustBeOffered(question) else { return true }
        guard question.choice(named: name) != nil else { return false }
        guard question.type.isChoice, isOne(question) else { return true }
        if let other = wanted[question.path] { return other == name }
        wanted[question.path] = name
        return true
    }

    /// Whether there is one answer to it from here: of rows elsewhere one may be this and one that.
    private func isOne(_ question: Question) -> Bool {
        guard let repetition = form.repetition(around: question.path) else { return true }
        return place.hasPrefix(repetition.path + "/")
    }

    /// A choice whose list other answers fill, or that is calculated, may be anything.
    private func mustBeOffered(_ question: Question) -> Bool {
        !question.choices.isEmpty && question.rules.calculate == nil && !question.isHidden
    }

    /// Whether some answer within the question's limits lies between these, ends included unless
    /// `isOpen`.
    private func isWithin(
        _ question: Question, _ lowest: Double, _ highest: Double, isOpen: Bool = false
    ) -> Bool {
        if paths.contains(question.path) { return false }
        guard question.type.isNumber, question.rules.calculate == nil else { return true }
        let least = question.limits.hardMinimum ?? -.infinity
        let most = question.limits.hardMaximum ?? .infinity
        return isOpen ? lowest < most && least < highest : lowest <= most && least <= highest
    }

    /// What the expression comes to, where it looks at nothing.
    private func constant(_ tree: ExpressionTree) -> Bool? {
        guard tree.isConstant else { return nil }
        let expression = FormExpression(source: "", tree: tree)
        let surroundings = FormFilling(form, in: .looking(at: 0)).expressionSurroundings
        do throws(ExpressionError) {
            let nowhere = NodeTree(root: NodeContent(form.parts.root)).root
            return try expression.boolean(at: nowhere, in: surroundings)
        } catch {
            return nil
        }
    }

    private func question(_ tree: ExpressionTree, at path: String) -> Question? {
        guard case .path(let location) = tree, location.hasNoPredicates else { return nil }
        let node = RuleDependencies.node(path, root: form.parts.root)
        let found = FormExpression(source: "", tree: tree).dependencies(at: node)
        guard !found.isUnbounded, found.instances.isEmpty, found.paths.count == 1,
            let only = found.paths.first
        else { return nil }
        return form.question(atNode: only)
    }
}

extension ExpressionTree {
    private static let pure: Set<String> = [
        "true", "false", "not", "boolean", "number", "string", "int", "round", "abs", "if",
        "concat",
        "contains", "starts-with", "ends-with", "string-length", "coalesce", "pow",
    ]

    /// Whether it comes to the same whatever was answered, by functions that ask nothing.
    fileprivate var isConstant: Bool {
        switch self {
        case .path: false
        case .call(let call): Self.pure.contains(call.name) && children.allSatisfy(\.isConstant)
        default: children.allSatisfy(\.isConstant)
        }
    }
}

extension LocationPath {
    fileprivate var hasNoPredicates: Bool {
        switch start {
        case .root, .context: steps.allSatisfy(\.predicates.isEmpty)
        case .expression(.call(let call), let predicates):
            call.name == "current" && predicates.isEmpty
                && steps.allSatisfy(\.predicates.isEmpty)
        case .expression: false
        }
    }
}
