package import Coding

extension FormFilling {
    /// What the form's expressions may ask for besides the answers.
    var expressionSurroundings: ExpressionSurroundings {
        let form = form
        let language = surroundings.language
        var all = ExpressionSurroundings(
            instances: surroundings.instances, lists: form.instances, now: surroundings.now,
            zone: surroundings.zone,
            randomFraction: surroundings.randomFraction, uuid: surroundings.uuid,
            property: surroundings.property, formVersion: form.version)
        // Without labels itself: a label that names itself would have no end.
        let inLabels = all
        all.choiceLabel = { name, path, node in
            form.question(atNode: path)?.choice(named: name)?.text
                .shown(in: language, at: node, inLabels)
        }
        return all
    }

    /// A text of the form with the answers put in, clean for the screen.
    /// - Parameter key: the question, group or row that the text belongs to.
    package func text(_ text: FormText, at key: AnswerKey?) -> String {
        let parts = text.parts(in: surroundings.language)
        if let only = FormText.only(parts) { return only }
        let index = key.flatMap { nodes.index(of: $0) } ?? 1
        let node = tree.node(at: min(index, tree.entries.count - 1))
        return text.shown(in: surroundings.language, at: node, expressionSurroundings)
    }

    /// What a choice question offers at the moment, in order; nil for a question without choices.
    package func choosable(at key: AnswerKey) -> [Choice]? {
        guard let index = form.index(of: key.path) else { return nil }
        let type = form.allQuestions[index].type
        return type.isChoice || type.isChoices ? offered(at: key) : nil
    }

    /// What a choice question offers at the moment, in order.
    package func offered(at key: AnswerKey) -> [Choice] {
        guard let question = form.index(of: key.path).map({ form.allQuestions[$0] }) else {
            return []
        }
        guard let filter = question.filter, let index = nodes.index(of: key) else {
            return question.choices
        }
        do throws(ExpressionError) {
            var shuffling = expressionSurroundings
            let chance = SteadyChance(for: key, of: surroundings.inspection)
            shuffling.randomFraction = { chance.next() }
            let nodes = try filter.nodes(at: tree.node(at: index), in: shuffling)
            guard filter.labelName == nil else { return made(of: nodes, filter, question) }
            return nodes.compactMap { question.choice(named: $0.text(ofChild: filter.valueName)) }
        } catch {
            return question.choices
        }
    }

    /// Choices that are made of answers. A row that has no name yet is nothing to choose; of two with
    /// the same name the first is shown.
    private func made(
        of nodes: [Node], _ filter: ChoiceFilter, _ question: Question
    ) -> [Choice] {
        var names: Set<String> = []
        return nodes.compactMap { node in
            let name = filter.name(of: node, question.type)
            guard !name.isEmpty, names.insert(name).inserted else { return nil }
            let label = filter.labelName.map { node.text(ofChild: $0) } ?? ""
            return Choice(name: name, label: label.isEmpty ? name : label)
        }
    }

    /// A value as it reads where it stands: choices by their labels, a number with its unit, clean for
    /// the screen; empty for no answer.
    package func shown(_ value: FieldValue, at key: AnswerKey) -> String {
        guard let question = form.index(of: key.path).map({ form.allQuestions[$0] }) else {
            return ShownText.clean(value.plainText)
        }
        return question.shown(value) { label(ofChoice: $0, of: question, at: key) }
    }

    /// What a choice is called where it stands; its name where nothing offers it any more.
    package func label(ofChoice name: String, of question: Question, at key: AnswerKey) -> String {
        // Choices that are made of rows stand in no list.
        let choice =
            question.filter?.labelName == nil
            ? question.choice(named: name) : offered(at: key).first { $0.name == name }
        return choice.map { text($0.shownText, at: key) } ?? ShownText.clean(name)
    }

    /// The record's name by the form's own rule; nil where it has none or it comes to nothing.
    package var instanceName: String? {
        guard let expression = form.parts.instanceName else { return nil }
        let name = ShownText.clean(expression.shown(at: tree.root, expressionSurroundings))
        return name.isEmpty ? nil : name
    }
}

extension FormText {
    /// With the answers put in, clean for the screen.
    fileprivate func shown(
        in language: String?, at node: Node, _ surroundings: ExpressionSurroundings
    ) -> String {
        let parts = parts(in: language)
        if let only = Self.only(parts) { return only }
        let shown = parts.map { part in
            switch part {
            case .plain(let text): text
            case .value(let expression): expression.shown(at: node, surroundings)
            }
        }
        return ShownText.clean(shown.joined())
    }
}

extension FormExpression {
    /// An expression that comes to nothing leaves its place empty: the rest of the text still says
    /// something.
    fileprivate func shown(at node: Node, _ surroundings: ExpressionSurroundings) -> String {
        do throws(ExpressionError) {
            return try text(at: node, in: surroundings)
        } catch {
            return "…"
        }
    }
}

extension Question {
    /// A value as it reads: choices by their labels, a number with its unit, clean for the screen; empty
    /// for no answer.
    package func shown(_ value: FieldValue, label: (_ name: String) -> String) -> String {
        switch value {
        case .null: return ""
        case .integer, .double: return value.plainText + (unit.map { " " + $0 } ?? "")
        case .string(let name) where type.isChoice: return label(name)
        case .string(let names) where type.isChoices:
            return names.split(separator: " ").map { label(String($0)) }
                .joined(separator: type == .ranking ? " > " : ", ")
        case .string(let text): return ShownText.clean(text)
        }
    }

    /// The same where no answers are put in.
    /// - Parameter language: nil for the form's default.
    package func shown(_ value: FieldValue, in language: String?) -> String {
        shown(value) { choice(named: $0)?.shownText.plain(in: language) ?? ShownText.clean($0) }
    }
}

extension FormDefinition {
    /// The question at an absolute path of the record.
    func question(atNode path: String) -> Question? {
        let prefix = "/" + parts.root + "/"
        guard path.hasPrefix(prefix) else { return nil }
        return index(of: String(path.dropFirst(prefix.count))).map { allQuestions[$0] }
    }
}
