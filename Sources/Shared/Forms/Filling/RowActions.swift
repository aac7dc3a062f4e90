/// What a form sets in new rows, and which of it can be set in many rows before anything is evaluated.
struct RowActions {
    private let form: FormDefinition
    private var byRepeat: [String: [FormAction]] = [:]
    private var questionsByRepeat: [String: [Question]] = [:]
    /// By the source of an expression, the targets whose values it may look at.
    private var looked: [String: Set<String>] = [:]
    /// Repeats in which an action looks at how many rows there are: those are made one after the other.
    private var counting: Set<String> = []

    /// Whether many rows are made, so that it is worth knowing what looks at what.
    private let areMany: Bool

    init(_ event: FormAction.Event, of form: FormDefinition, rows: Int) {
        self.form = form
        areMany = rows > 1
        guard !form.repetitions.isEmpty else { return }
        questionsByRepeat = Dictionary(
            grouping: form.allQuestions, by: { form.repetition(around: $0.path)?.path ?? "" })
        for action in form.parts.actions where action.events.contains(event) {
            guard let path = form.repetition(around: action.target)?.path else { continue }
            byRepeat[path, default: []].append(action)
        }
        guard areMany else { return }
        compare(Array(byRepeat.values.joined()))
    }

    private mutating func compare(_ actions: [FormAction]) {
        let reached = Dictionary(
            actions.map { ($0.target, reach(of: [node($0.target)])) },
            uniquingKeysWith: { first, _ in first })
        for action in actions {
            guard case .expression(let expression) = action.value else { continue }
            let found = expression.dependencies(at: node(action.target))
            looked[expression.source, default: []].formUnion(
                reached.filter { found.isUnbounded || looks(found, at: $0.value) }.keys)
        }
        for (path, actions) in byRepeat where actions.contains(where: { counts($0, path) }) {
            counting.insert(path)
        }
        for (path, questions) in questionsByRepeat where path != "" {
            let isCounting = questions.contains { question in
                guard let rule = question.rules.calculate, rule.isOnce else { return false }
                return counts(rule, at: question.path, path)
            }
            if isCounting { counting.insert(path) }
        }
    }

    func questions(of path: String) -> [Question] { questionsByRepeat[path] ?? [] }

    func actions(of path: String) -> [FormAction] { byRepeat[path] ?? [] }

    /// Whether what an action sets may hang on these answers.
    func action(_ action: FormAction, looksAtAnyOf keys: Set<AnswerKey>) -> Bool {
        guard !keys.isEmpty, case .expression(let expression) = action.value else { return false }
        guard areMany else { return true }
        guard let targets = looked[expression.source], !targets.isEmpty
        else { return false }
        return keys.contains { targets.contains($0.path) }
    }

    /// Whether the form sets more when a value at this path has changed.
    func isSource(_ path: String) -> Bool {
        form.parts.actions.contains { $0.events.contains(.valueChanged) && $0.source == path }
    }

    /// Rows that may be made together, and those that each have to see the ones before alone.
    func partition(
        _ rows: [FormAnswers.Row]
    ) -> (together: [FormAnswers.Row], apart: [FormAnswers.Row]) {
        (
            rows.filter { !counting.contains($0.path) },
            rows.filter { counting.contains($0.path) }
        )
    }

    private func node(_ path: String) -> String {
        RuleDependencies.node(path, root: form.parts.root)
    }

    /// All that may change when these do, a choice that is dropped included.
    private func reach(of nodes: Set<String>) -> Set<String> {
        var reached = nodes
        while true {
            var next = reached
            for entry in form.graph.affected(by: reached) {
                let path = form.path(ofEntry: entry)
                let isCheck = entry.hasSuffix(RuleDependencies.checkMark)
                if !isCheck || form.rules[path]?.filter != nil { next.insert(node(path)) }
            }
            if next.count == reached.count { return reached }
            reached = next
        }
    }

    private func looks(_ found: ExpressionDependencies, at nodes: Set<String>) -> Bool {
        found.paths.contains { path in
            nodes.contains { $0 == path || $0.hasPrefix(path + "/") || path.hasPrefix($0 + "/") }
        }
    }

    /// Whether it looks at the repeat as a whole, or at what follows from it elsewhere.
    private func counts(_ action: FormAction, _ path: String) -> Bool {
        guard case .expression(let expression) = action.value else { return false }
        return counts(expression, at: action.target, path)
    }

    private func counts(
        _ expression: FormExpression, at target: String, _ path: String
    ) -> Bool {
        let found = expression.dependencies(at: node(target))
        if found.isUnbounded { return true }
        let whole = node(path)
        let inside = form.allQuestions.map { node($0.path) }.filter { $0.hasPrefix(whole + "/") }
        let follows = reach(of: Set(inside + [whole]))
            .filter { !$0.hasPrefix(whole + "/") }.union(reach(of: [whole]))
        if looks(found, at: follows.subtracting([whole])) { return true }
        let isCounted = expression.tree.calls.contains { $0.name.hasPrefix("count") }
        return found.paths.contains { looked in
            looked == whole || whole.hasPrefix(looked + "/")
                || isCounted && looked.hasPrefix(whole + "/")
        }
    }
}
