internal import Coding
internal import Phrases

/// A rule of the form behind a question, and what it comes to with the present answers: why the
/// question is required, hidden, refused or not to be changed.
package struct Explanation: Equatable, Sendable {
    package enum Rule: String, Sendable, CaseIterable {
        case relevant, required, readonly, calculate, constraint, choices
    }

    package let rule: Rule
    /// As its author wrote it, with paths that begin behind the record's root.
    package let expression: String
    /// What it comes to; nil where it comes to nothing.
    package let result: String?
    /// What it looks at, in the order of the form.
    package let values: [Present]

    /// A present answer that an expression looks at.
    package struct Present: Equatable, Sendable {
        package let label: String
        /// Empty for no answer.
        package let shown: String

        package var sentence: String {
            shown.isEmpty ? say("\(label) has no answer") : say("\(label) is \(shown)")
        }
    }

    /// The rule in words, without a final stop.
    package var sentence: String {
        switch rule {
        case .relevant: say("Asked only while \(expression)")
        case .required: say("An answer is required while \(expression)")
        case .readonly: say("Can only be read while \(expression)")
        case .calculate: say("Filled in by the form: \(expression)")
        case .constraint: say("An answer is taken only where \(expression)")
        case .choices: say("Offers what fits \(expression)")
        }
    }

    /// The whole of it, a line each.
    package var lines: [String] {
        let outcome =
            switch rule {
            case .choices: [String]()
            case .calculate: [now(result.flatMap { $0.isEmpty ? nil : $0 } ?? say("nothing"))]
            case .relevant, .required, .readonly, .constraint: [now(word)]
            }
        return [sentence] + values.map(\.sentence) + outcome
    }

    private func now(_ outcome: String) -> String { say("now: \(outcome)") }

    private var word: String {
        switch result {
        case "true": say("yes")
        case "false": say("no")
        default: say("this comes to nothing, which is the form's mistake")
        }
    }
}

extension FormFilling {
    /// The rules behind a question, those of what it stands in too; what always holds is left out.
    package func why(_ key: AnswerKey) -> [Explanation] {
        var explanations = whyRelevant(key)
        guard let rules = form.rules[key.path], let index = nodes.index(of: key) else {
            return explanations
        }
        func add(_ rule: Explanation.Rule, _ expression: FormExpression?) {
            guard let expression, expression != .always else { return }
            explanations.append(explain(expression, rule, at: index))
        }
        add(.required, rules.required)
        for readonly in rules.readonly { add(.readonly, readonly) }
        add(.calculate, rules.calculate)
        if !answers[key].isNull { add(.constraint, rules.constraint) }
        add(.choices, rules.filter?.nodeset)
        return explanations
    }

    /// Under which conditions a question is asked: its own, and those of the groups and rows around it.
    package func whyRelevant(_ key: AnswerKey) -> [Explanation] {
        guard var index = nodes.index(of: key) else { return [] }
        var explanations: [Explanation] = []
        // The document and its root, 0 and 1, have no rules.
        while index > 1 {
            let rules = form.rules[nodes.paths[index]]?.relevant ?? []
            explanations =
                rules.map { explain($0, .relevant, at: index) } + explanations
            index = tree.entries[index].parent
        }
        return explanations
    }

    /// The questions of these items that are not asked now, without those of rows.
    package func hidden(among items: [FormItem], in row: String?) -> [Question] {
        items.flatMap(\.questions).filter {
            $0.type.takesAnswer && !isRelevant(AnswerKey(row: row, $0.path))
        }
    }

    private func explain(
        _ expression: FormExpression, _ rule: Explanation.Rule, at index: Int
    ) -> Explanation {
        let node = RuleDependencies.node(nodes.paths[index], root: form.parts.root)
        var paths: [String] = []
        for path in expression.dependencies(at: node).paths {
            paths.append(String(path.dropFirst(form.parts.root.count + 2)))
        }
        let looked = Set(paths)
        let values = form.allQuestions.filter { looked.contains($0.path) }.map {
            present($0, seenFrom: nodes.rows[index])
        }
        return Explanation(
            rule: rule,
            expression: ShownText.clean(
                expression.source.replacing("/\(form.parts.root)/", with: "")),
            result: result(of: expression, rule, at: index), values: values)
    }

    private func result(
        of expression: FormExpression, _ rule: Explanation.Rule, at index: Int
    ) -> String? {
        guard rule != .choices else { return nil }
        do throws(ExpressionError) {
            let value = try expression.value(at: tree.node(at: index), in: expressionSurroundings)
            if rule == .calculate { return ShownText.clean(value.answer(in: surroundings.zone)) }
            return value.boolean ? "true" : "false"
        } catch {
            return nil
        }
    }

    /// The answer in the row that is nearest; of other rows, how many there are.
    private func present(_ question: Question, seenFrom row: String?) -> Explanation.Present {
        let around = form.repetition(around: question.path)?.path
        var own = row.flatMap { answers.row($0) }
        while let each = own, each.path != around {
            own = each.parent.flatMap { answers.row($0) }
        }
        let key = AnswerKey(row: own?.id, question.path)
        let label = text(question.text, at: key)
        guard let around, own == nil else {
            return Explanation.Present(label: label, shown: shown(answers[key], at: key))
        }
        let count = answers.rows.count { $0.path == around }
        return Explanation.Present(
            label: label, shown: count == 0 ? "" : say("asked in \(count) rows"))
    }
}
