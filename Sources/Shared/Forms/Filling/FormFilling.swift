package import Coding

/// A form being filled in: the answers, and all that follows from them.
///
/// A change re-evaluates only what depends on it. What comes out is what a full evaluation would give.
package struct FormFilling: Sendable {
    package let form: FormDefinition
    package private(set) var answers: FormAnswers
    /// Where something was typed and not accepted; a relevant one stands among the problems.
    package private(set) var drafts: Set<AnswerKey>
    /// What is wrong with findings on these questions. No answer is refused for it; it stands among the
    /// problems, whether the question is asked or not.
    package var findingTroubles: [AnswerKey: AnswerProblem] = [:]
    package var surroundings: FillingSurroundings
    /// Expressions that came to nothing: the author's mistakes, never the inspector's.
    package private(set) var faults: [FormFault] = []

    /// What the change at hand has cost.
    private(set) var work: FillingWork

    private(set) var nodes: RecordTree
    private(set) var tree: NodeTree
    /// For each node, whether its own relevance holds, whatever it stands in.
    private(set) var holds: [Bool]
    private(set) var checks: [NodeCheck]
    /// Answers as they were found, nothing reckoned.
    private let found: FormAnswers
    /// While defaults and actions are still at work, what is reckoned `once` waits for them.
    private(set) var isSettingUp = false

    /// What the rules say of one node at the moment.
    struct NodeCheck: Equatable, Sendable {
        var isReadonly = false
        var isRequired = false
        var constraintHolds = true
        var isOffered = true
    }

    package init(
        _ form: FormDefinition, answers: FormAnswers = FormAnswers(),
        drafts: Set<AnswerKey> = [], in surroundings: FillingSurroundings
    ) {
        self.form = form
        self.answers = answers
        found = answers
        self.drafts = drafts
        self.surroundings = surroundings
        work = FillingWork(surroundings)
        nodes = RecordTree(form, answers)
        tree = nodes.tree
        holds = []
        checks = []
        evaluateAll()
    }

    // MARK: Changing

    /// Gives an answer, as a person did, and brings all that depends on it up to date. What the form
    /// calculates is nobody's to give.
    /// - Returns: every answer that changed with it, itself included where it did.
    @discardableResult
    package mutating func set(_ value: FieldValue, at key: AnswerKey) -> Set<AnswerKey> {
        let before = answers
        beginWork()
        drafts.remove(key)
        guard answers[key] != value, nodes.index(of: key) != nil,
            form.rules[key.path]?.calculate == nil
        else { return [] }
        answers[key] = value
        var changed = update([key])
        changed.formUnion(runChain(from: [key]))
        return changed.filter { before[$0] != answers[$0] }
    }

    package mutating func set(draft isDraft: Bool, at key: AnswerKey) {
        if isDraft { drafts.insert(key) } else { drafts.remove(key) }
    }

    /// Adds a row at the end of a repeat.
    /// - Returns: every answer that changed with it.
    package mutating func add(_ row: FormAnswers.Row) -> Set<AnswerKey> {
        let before = answers
        beginWork()
        exchange([], for: [row])
        return changes(from: before)
    }

    /// Rows and defaults have come: all is reckoned, the form sets what it sets, and then what is reckoned
    /// once gets what it finds.
    private mutating func setUp(_ actions: (inout FormFilling) -> Void) {
        let hasOnce = form.rules.values.contains { $0.calculate?.isOnce == true }
        isSettingUp = hasOnce
        rebuild()
        actions(&self)
        isSettingUp = false
        if hasOnce { rebuild() }
    }

    /// Takes a row and all in it away; positions and sums of the others are reckoned anew.
    package mutating func remove(row id: String) -> Set<AnswerKey> {
        let before = answers
        beginWork()
        let gone = exchange([id], for: [])
        return changes(from: before).filter { key in key.row.map { !gone.contains($0) } ?? true }
    }

    /// Takes rows away and adds others at the end of their repeats, with one evaluation for all of them.
    /// - Returns: the rows that went, those in them included.
    @discardableResult
    mutating func exchange(_ ids: [String], for rows: [FormAnswers.Row]) -> Set<String> {
        let gone = answers.remove(rows: ids)
        if !gone.isEmpty {
            drafts = drafts.filter { key in key.row.map { !gone.contains($0) } ?? true }
        }
        let actions = RowActions(.newRepeat, of: form, rows: rows.count)
        let (together, apart) = actions.partition(rows)
        if !together.isEmpty || apart.isEmpty { lay(together, actions) }
        for row in apart where !work.isSpent { lay([row], actions) }
        return gone
    }

    private mutating func lay(_ rows: [FormAnswers.Row], _ actions: RowActions) {
        for row in rows {
            answers.append(FormAnswers.Row(id: row.id, parent: row.parent, path: row.path))
            for question in actions.questions(of: row.path) {
                let value = row.fields[question.path] ?? initialValue(of: question)
                answers[AnswerKey(row: row.id, question.path)] = value
            }
        }
        guard !rows.isEmpty else { return rebuild() }
        setUp { $0.run(actions, in: rows) }
    }

    /// Begins to count anew what a change costs, which consists of several.
    mutating func beginWork() { work = FillingWork(surroundings) }

    /// Sets what the form sets when an inspection is completed.
    package mutating func finish() -> Set<AnswerKey> {
        let before = answers
        beginWork()
        _ = run(.finish)
        return changes(from: before)
    }

    /// Lays down what an inspection begins with: defaults, the rows that the form itself has, and what
    /// it sets at its first load. In rows that stand already, what they would have begun with, where nothing
    /// is answered.
    /// - Parameter concerns: which questions and repeats that is done for, by their paths.
    package mutating func begin(
        newID: () -> String, _ concerns: (String) -> Bool = { _ in true }
    ) -> Set<AnswerKey> {
        let before = answers
        beginWork()
        for question in form.questions
        where answers.fields[question.path] == nil && concerns(question.path) {
            answers[AnswerKey(question.path)] = initialValue(of: question)
        }
        let standing = answers.rows.filter { hasPlace(forRow: $0.id) }
        for row in standing {
            for question in form.allQuestions
            where form.repetition(around: question.path)?.path == row.path
                && row.fields[question.path] == nil && concerns(question.path)
            {
                answers[AnswerKey(row: row.id, question.path)] = initialValue(of: question)
            }
        }
        let rows = initialRows(newID: newID, concerns)
        for row in rows { answers.append(row) }
        // What was reckoned once had seen no default yet.
        for question in form.questions
        where question.rules.calculate?.isOnce == true && concerns(question.path) {
            answers[AnswerKey(question.path)] = found[AnswerKey(question.path)]
        }
        setUp { filling in
            _ = filling.run(.firstLoad, concerns)
            filling.run(RowActions(.firstLoad, of: filling.form, rows: rows.count), in: rows)
            for row in standing {
                for event in [FormAction.Event.firstLoad, .newRepeat] {
                    _ = filling.run(event, in: row) { concerns($0) && row.fields[$0] == nil }
                }
            }
        }
        return changes(from: before)
    }

    private func initialValue(of question: Question) -> FieldValue {
        question.initial.map { question.value(ofExpression: $0, in: surroundings.zone) } ?? .null
    }

    // MARK: Evaluating

    /// The rows changed: a new tree, all of it evaluated.
    private mutating func rebuild() {
        nodes = RecordTree(form, answers)
        tree = nodes.tree
        evaluateAll()
    }

    private mutating func evaluateAll() {
        holds = Array(repeating: true, count: tree.entries.count)
        checks = Array(repeating: NodeCheck(), count: tree.entries.count)
        faults = []
        evaluate(form.graph.order, changed: [])
    }

    /// - Returns: the answers that were calculated anew or dropped, and those given.
    private mutating func update(_ keys: Set<AnswerKey>) -> Set<AnswerKey> {
        var all = keys
        var waiting = keys
        // What is dropped may hide another question, whose choices then change; in a form that drops
        // and hides in a circle some end must be put to it.
        for _ in 0..<Self.mostRounds where !waiting.isEmpty {
            let paths = Set(waiting.map { RuleDependencies.node($0.path, root: form.parts.root) })
            let own = paths.map { $0 + RuleDependencies.checkMark }
            let affected = form.graph.affected(by: paths)
            let known = Set(affected)
            all.formUnion(
                evaluate(affected + own.filter { !known.contains($0) }, changed: waiting))
            waiting = dropWhatIsNotOffered(among: affected)
            all.formUnion(waiting)
        }
        return all
    }

    private static let mostRounds = 20

    /// Evaluates these entries of the graph in a copy of the tree.
    @discardableResult
    private mutating func evaluate(
        _ entries: [String], changed: Set<AnswerKey>
    ) -> Set<AnswerKey> {
        var pass = FillingPass(self)
        let next = tree.edited { editor in
            for key in changed {
                guard let index = nodes.index(of: key) else { continue }
                editor.set(text: answers[key].formText, at: index)
            }
            pass.run(entries, editor)
        }
        tree = next
        holds = pass.holds
        checks = pass.checks
        faults = pass.faults
        work = pass.work
        for (key, value) in pass.calculated { answers[key] = value }
        return Set(pass.calculated.keys)
    }

    /// A choice that is no longer offered is dropped.
    private mutating func dropWhatIsNotOffered(among entries: [String]) -> Set<AnswerKey> {
        var dropped: Set<AnswerKey> = []
        for entry in entries where entry.hasSuffix(RuleDependencies.checkMark) {
            let path = form.path(ofEntry: entry)
            // What the form itself works out nobody could choose anew.
            guard let rules = form.rules[path], rules.filter != nil, rules.calculate == nil else {
                continue
            }
            for index in nodes.indices(of: path) where !checks[index].isOffered {
                let key = nodes.key(at: index)
                guard tree.entries[index].isRelevant, !answers[key].isNull else { continue }
                answers[key] = .null
                dropped.insert(key)
            }
        }
        return dropped
    }

    // MARK: Actions

    /// For the inspection itself.
    private mutating func run(
        _ event: FormAction.Event, _ concerns: (String) -> Bool = { _ in true }
    ) -> Set<AnswerKey> {
        let form = form
        return run(event, concerns) { action in
            form.repetition(around: action.target) == nil ? AnswerKey(action.target) : nil
        }
    }

    private mutating func run(
        _ event: FormAction.Event, in row: FormAnswers.Row,
        _ concerns: (String) -> Bool = { _ in true }
    ) -> Set<AnswerKey> {
        let form = form
        return run(event, concerns) { action in
            form.repetition(around: action.target)?.path == row.path
                ? AnswerKey(row: row.id, action.target) : nil
        }
    }

    /// In new rows. What follows from a value is evaluated when another action looks at it, and at the
    /// end: all rows of a count are one evaluation then, and each action sees what it would see
    /// otherwise.
    private mutating func run(_ actions: RowActions, in rows: [FormAnswers.Row]) {
        var waiting: Set<AnswerKey> = []
        for row in rows {
            var sources: [AnswerKey] = []
            for action in actions.actions(of: row.path) {
                if actions.action(action, looksAtAnyOf: waiting) {
                    _ = update(waiting)
                    waiting = []
                }
                let key = AnswerKey(row: row.id, action.target)
                guard give(action, at: key) else { continue }
                waiting.insert(key)
                if actions.isSource(action.target) { sources.append(key) }
            }
            guard !sources.isEmpty else { continue }
            _ = update(waiting)
            waiting = []
            _ = runChain(from: sources)
        }
        if !waiting.isEmpty { _ = update(waiting) }
    }

    private mutating func run(
        _ event: FormAction.Event, _ concerns: (String) -> Bool,
        at place: (FormAction) -> AnswerKey?
    ) -> Set<AnswerKey> {
        var set: [AnswerKey] = []
        var changed: Set<AnswerKey> = []
        for action in form.parts.actions where action.events.contains(event) {
            guard concerns(action.target), let key = place(action) else { continue }
            let more = perform(action, at: key)
            if !more.isEmpty { set.append(key) }
            changed.formUnion(more)
        }
        return changed.union(runChain(from: set, concerns))
    }

    /// What changes sets off, and what these set off in turn: as in JavaRosa, a value that the form sets
    /// counts for that like one that a person gives.
    private mutating func runChain(
        from keys: [AnswerKey], _ concerns: (String) -> Bool = { _ in true }
    ) -> Set<AnswerKey> {
        var changed: Set<AnswerKey> = []
        var waiting = keys
        // No chain is longer than there are actions; those in a circle come to an end too.
        for _ in form.parts.actions.indices where !waiting.isEmpty {
            var next: [AnswerKey] = []
            for source in waiting {
                for action in form.parts.actions
                where action.events.contains(.valueChanged) && action.source == source.path {
                    guard concerns(action.target) else { continue }
                    let target = AnswerKey(
                        row: row(of: action.target, from: source.row), action.target)
                    let more = perform(action, at: target)
                    if !more.isEmpty, !next.contains(target) { next.append(target) }
                    changed.formUnion(more)
                }
            }
            waiting = next
        }
        return changed
    }

    /// The row that a question stands in, seen from a row in the same or in one around it.
    private func row(of path: String, from row: String?) -> String? {
        let repetition = form.repetition(around: path)?.path
        var next = row.flatMap { answers.row($0) }
        while let row = next, row.path != repetition {
            next = row.parent.flatMap { answers.row($0) }
        }
        return repetition == nil ? nil : next?.id
    }

    private mutating func perform(_ action: FormAction, at key: AnswerKey) -> Set<AnswerKey> {
        give(action, at: key) ? update([key]) : []
    }

    /// - Returns: whether the answer has changed; what depends on it has not been evaluated.
    private mutating func give(_ action: FormAction, at key: AnswerKey) -> Bool {
        guard let index = nodes.index(of: key), let question = nodes.questions[index] else {
            return false
        }
        let found: ExpressionValue
        switch action.value {
        case .literal(let literal): found = .text(literal)
        case .property(let name): found = .text(surroundings.property(name) ?? "")
        case .expression(let expression):
            do throws(ExpressionError) {
                found = try work.value(
                    of: expression, at: tree.node(at: index), in: expressionSurroundings)
            } catch {
                let fault = FormFault(path: action.target, rule: "setvalue", error: error)
                if !faults.contains(fault) { faults.append(fault) }
                return false
            }
        }
        let value = form.allQuestions[question].value(of: found, in: surroundings.zone)
        guard answers[key] != value else { return false }
        answers[key] = value
        return true
    }
}
