internal import Coding

/// One going through some of a form's rules: what relevance, calculations and checks come to.
struct FillingPass {
    private let form: FormDefinition
    private let nodes: RecordTree
    private let surroundings: ExpressionSurroundings
    private let calculates: FillingSurroundings.Calculations
    private let judges: FillingSurroundings.Calculations
    private(set) var holds: [Bool]
    private(set) var checks: [FormFilling.NodeCheck]
    private(set) var faults: [FormFault]
    private(set) var calculated: [AnswerKey: FieldValue] = [:]
    /// Whether what is reckoned once has to wait.
    private let isSettingUp: Bool
    private(set) var work: FillingWork
    /// In which rows of the entry at hand an expression comes to the same; nil where there is one node.
    private var same: SameForAllRows?
    /// What those came to, by their text.
    private var known: [String: Result<ExpressionValue, ExpressionError>] = [:]

    init(_ filling: FormFilling) {
        form = filling.form
        nodes = filling.nodes
        surroundings = filling.expressionSurroundings
        calculates = filling.surroundings.calculates
        judges = filling.surroundings.judges
        holds = filling.holds
        checks = filling.checks
        faults = filling.faults
        isSettingUp = filling.isSettingUp
        work = filling.work
    }

    /// - Parameter entries: of the graph, each after what it looks at.
    mutating func run(_ entries: [String], _ editor: NodeTree.Editor) {
        let evaluated = Set(entries.map { form.path(ofEntry: $0) })
        faults.removeAll { evaluated.contains($0.path) }
        for entry in entries {
            let path = form.path(ofEntry: entry)
            guard let rules = form.rules[path] else { continue }
            let isCheck = entry.hasSuffix(RuleDependencies.checkMark)
            let indices = nodes.indices(of: path)
            same = indices.count > 1 ? SameForAllRows(path, in: form) : nil
            known = [:]
            for index in indices where !work.isSpent {
                if isCheck {
                    check(rules, at: index, editor.tree)
                } else {
                    decideRelevance(rules, at: index, editor)
                    calculate(rules, at: index, editor)
                }
            }
        }
    }

    private mutating func decideRelevance(
        _ rules: PathRules, at index: Int, _ editor: NodeTree.Editor
    ) {
        guard !rules.relevant.isEmpty else { return }
        let holds = rules.relevant.allSatisfy {
            boolean($0, "relevant", at: index, in: editor.tree, otherwise: true)
        }
        guard self.holds[index] != holds else { return }
        self.holds[index] = holds
        // Parents stand before their children, and all in a node behind it.
        for inner in index..<(index + editor.tree.entries[index].size) {
            let parent = editor.tree.entries[inner].parent
            let isRelevant = self.holds[inner] && editor.tree.entries[parent].isRelevant
            editor.set(isRelevant: isRelevant, at: inner)
        }
    }

    private mutating func calculate(
        _ rules: PathRules, at index: Int, _ editor: NodeTree.Editor
    ) {
        guard let expression = rules.calculate, expression.needs <= calculates,
            let question = nodes.questions[index],
            editor.tree.entries[index].isRelevant, !isSettingUp || !expression.isOnce,
            isSurelyAsked(index, in: editor.tree)
        else { return }
        let node = editor.tree.node(at: index)
        let found: ExpressionValue
        do throws(ExpressionError) {
            found = try value(of: expression, at: node)
        } catch {
            fault("calculate", error, at: index)
            return
        }
        let asked = form.allQuestions[question]
        // Which day a moment falls on is for who is there to say.
        if calculates < .day, asked.isCast(found, in: surroundings.zone) { return }
        let value = asked.value(of: found, in: surroundings.zone)
        guard value.formText != editor.tree.entries[index].text else { return }
        editor.set(text: value.formText, at: index)
        calculated[nodes.key(at: index)] = value
    }

    /// What looks at the node itself and at nothing that depends on it.
    private mutating func check(_ rules: PathRules, at index: Int, _ tree: NodeTree) {
        var check = FormFilling.NodeCheck()
        check.isReadonly = rules.readonly.contains {
            boolean($0, "readonly", at: index, in: tree, otherwise: false)
        }
        if let required = rules.required, isSurelyAsked(index, in: tree) {
            check.isRequired = boolean(required, "required", at: index, in: tree, otherwise: false)
        }
        let text = tree.entries[index].text
        if let constraint = rules.constraint, !text.isEmpty {
            check.constraintHolds = boolean(
                constraint, "constraint", at: index, in: tree, otherwise: true)
        }
        if let filter = rules.filter, filter.nodeset.needs <= judges, !text.isEmpty {
            check.isOffered = isOffered(text, filter, at: index, tree)
        }
        checks[index] = check
    }

    /// Whether all that decides whether a node is asked can be judged here. What was hidden by something else
    /// has no answer, and none that anybody should give.
    private func isSurelyAsked(_ index: Int, in tree: NodeTree) -> Bool {
        guard judges < .all else { return true }
        var index = index
        while index > 0 {
            let rules = form.rules[nodes.paths[index]]?.relevant ?? []
            guard rules.allSatisfy({ $0.needs <= judges }) else { return false }
            index = tree.entries[index].parent
        }
        return true
    }

    private mutating func isOffered(
        _ text: String, _ filter: ChoiceFilter, at index: Int, _ tree: NodeTree
    ) -> Bool {
        do throws(ExpressionError) {
            let value = try value(of: filter.nodeset, at: tree.node(at: index))
            let type = nodes.questions[index].map { form.allQuestions[$0].type } ?? .choice
            var wanted: Set<String> = [text]
            if type.isChoices {
                wanted = Set(text.split(separator: " ").map { String($0) })
            }
            if case .nodes(let offered) = value {
                for node in offered where !wanted.isEmpty {
                    wanted.remove(filter.name(of: node, type))
                }
            }
            return wanted.isEmpty
        } catch {
            fault("filter", error, at: index)
            return true
        }
    }

    private mutating func boolean(
        _ expression: FormExpression, _ rule: String, at index: Int, in tree: NodeTree,
        otherwise: Bool
    ) -> Bool {
        guard expression.needs <= judges else { return otherwise }
        do throws(ExpressionError) {
            return try value(of: expression, at: tree.node(at: index)).boolean
        } catch {
            fault(rule, error, at: index)
            return otherwise
        }
    }

    private mutating func value(
        of expression: FormExpression, at node: Node
    ) throws(ExpressionError) -> ExpressionValue {
        guard let same else { return try work.value(of: expression, at: node, in: surroundings) }
        if let known = known[expression.source] { return try known.get() }
        let result: Result<ExpressionValue, ExpressionError>
        do throws(ExpressionError) {
            result = .success(try work.value(of: expression, at: node, in: surroundings))
        } catch {
            result = .failure(error)
        }
        if same.holds(for: expression) { known[expression.source] = result }
        return try result.get()
    }

    private mutating func fault(_ rule: String, _ error: ExpressionError, at index: Int) {
        let fault = FormFault(path: nodes.paths[index], rule: rule, error: error)
        if !faults.contains(fault) { faults.append(fault) }
    }
}

extension ChoiceFilter {
    /// What is stored of a node that is chosen. Where several are, blanks part their names, so that a
    /// name that is made of an answer cannot have any.
    func name(of node: Node, _ type: QuestionType) -> String {
        let name = node.text(ofChild: valueName)
        guard labelName != nil, type.isChoices else { return name }
        return String(name.map { $0.isWhitespace ? "_" : $0 })
    }

    /// What is offered, in order.
    func nodes(
        at node: Node, in surroundings: ExpressionSurroundings
    ) throws(ExpressionError) -> [Node] {
        guard case .nodes(let nodes) = try nodeset.value(at: node, in: surroundings) else {
            return []
        }
        return nodes
    }
}
