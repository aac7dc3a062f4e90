import Forms

extension FormCompiler {
    /// Each group or repeat at the top is a section of its own; what stands between them too.
    mutating func compileSections() throws(FormImportError) {
        var loose: [FormItem] = []
        for item in topItems {
            switch item {
            case .control:
                loose += try items([item])
            case .group(let group):
                closeSection(&loose)
                if let repetition = group.onlyRepeat {
                    try addSection(of: repetition, label: group.label)
                    continue
                }
                let items = try items(group.items)
                guard !items.isEmpty else { continue }
                let text = try text(group.label) ?? FormText(parts.title)
                var top = Group(path: group.path.map(path), items: items)
                top.isFieldList = group.isFieldList
                addSection(text, group.isFieldList ? [.group(top)] : items)
            case .repeat(let repetition):
                closeSection(&loose)
                try addSection(of: repetition, label: nil)
            }
        }
        closeSection(&loose)
        guard !parts.sections.isEmpty else {
            throw FormImportError(form.primary.place, "the form asks nothing")
        }
    }

    /// One group around everything is no section: what is in it are the sections.
    private var topItems: [BodyItem] {
        var items = form.body
        while items.count == 1, case .group(let group) = items[0], !group.isFieldList,
            group.onlyRepeat == nil, group.items.contains(where: \.isContainer)
        {
            items = group.items
        }
        return items
    }

    private mutating func addSection(
        of item: BodyRepeat, label: Caption?
    ) throws(FormImportError) {
        let repetition = try self.repetition(item, label: label)
        addSection(repetition.text ?? FormText(parts.title), [.repetition(repetition)])
    }

    private mutating func closeSection(_ loose: inout [FormItem]) {
        guard !loose.isEmpty else { return }
        addSection(FormText(parts.title), loose)
        loose = []
    }

    private mutating func addSection(_ text: FormText, _ items: [FormItem]) {
        parts.sections.append(
            Section(name: "s\(parts.sections.count + 1)", text: text, items: items))
    }

    mutating func items(_ items: [BodyItem]) throws(FormImportError) -> [FormItem] {
        var compiled: [FormItem] = []
        for item in items {
            switch item {
            case .control(let control):
                guard asked.insert(control.path).inserted else {
                    warnings.unsupported(
                        "second question for \(control.path)", at: control.place)
                    continue
                }
                compiled.append(.question(try question(control)))
            case .group(let group):
                if let repetition = group.onlyRepeat {
                    compiled.append(
                        .repetition(try self.repetition(repetition, label: group.label)))
                    continue
                }
                var inner = Group(
                    path: group.path.map(path), text: try text(group.label),
                    items: try self.items(group.items))
                inner.isFieldList = group.isFieldList
                compiled.append(.group(inner))
            case .repeat(let repetition):
                compiled.append(.repetition(try self.repetition(repetition, label: nil)))
            }
        }
        return compiled
    }

    private mutating func repetition(
        _ item: BodyRepeat, label: Caption?
    ) throws(FormImportError) -> Repetition {
        var repetition = Repetition(
            path: path(item.path), text: try text(label),
            count: try expression(item.count, "the count of the repeat"),
            items: try items(item.items))
        if let fixed = item.noAddRemove?.text.trimmed {
            repetition.isFixed = fixed != "false()"
        }
        return repetition
    }

    /// Values of the record that nobody is asked for.
    mutating func compileHidden(
        _ node: InstanceNode, at path: String
    ) throws(FormImportError) {
        guard node.children.isEmpty else {
            var seen: Set<String> = []
            for child in node.children where seen.insert(child.name).inserted {
                try compileHidden(
                    child, at: path.isEmpty ? child.name : path + "/" + child.name)
            }
            return
        }
        guard !path.isEmpty, !asked.contains("/\(parts.root)/\(path)"),
            !isRepeat(path)
        else { return }
        let bind = bind(at: path)
        var question = Question(path: path, label: path, type: type(of: bind, node: node))
        question.isHidden = true
        try fill(&question, from: bind, own: [:])
        parts.hidden.append(question)
    }

    private func isRepeat(_ path: String) -> Bool {
        FormWalk(parts).repetitions.contains { $0.repetition.path == path }
    }

    private func type(of bind: XFormBind?, node: InstanceNode) -> QuestionType {
        switch bind?.type {
        case "int", "integer", "long": .integer
        case "decimal", "double", "float": .decimal
        default: .text(multiline: true)
        }
    }

    mutating func compileGroups() throws(FormImportError) {
        for bind in binds.values.sorted(by: { $0.path < $1.path }) {
            let path = path(bind.path)
            guard let node = nodes[path], !node.children.isEmpty || isRepeat(path) else {
                continue
            }
            let relevant = try expression(bind.relevant, "relevant")
            let readonly = try expression(bind.readonly, "readonly")
            guard relevant != nil || readonly != nil else { continue }
            parts.groups.append(GroupRules(path: path, relevant: relevant, readonly: readonly))
        }
    }
}

extension BodyGroup {
    /// A group that only holds a repeat is the repeat's label.
    fileprivate var onlyRepeat: BodyRepeat? {
        guard items.count == 1, case .repeat(let repetition) = items[0] else { return nil }
        return repetition
    }
}

extension BodyItem {
    fileprivate var isContainer: Bool {
        if case .control = self { false } else { true }
    }
}
