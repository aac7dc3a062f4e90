/// What a form must keep before anyone evaluates it.
struct XFormCheck {
    private let form: XForm
    private var paths: Set<String> = []
    private var repeats: Set<String> = []
    private var instances: Set<String> = []

    static func check(_ form: XForm, _ warnings: inout WarningList) throws(FormImportError) {
        var check = XFormCheck(form: form)
        check.repeats = Set(check.repeatPaths(in: form.body))
        try check.collect(form.primary, at: "/" + form.primary.name)
        try check.instancesOnce()
        try check.binds(&warnings)
        try check.bodyPaths(form.body)
        for action in form.actions { try check.exists(action.target, action.place) }
        try check.references()
        check.texts(&warnings)
    }

    private init(form: XForm) {
        self.form = form
    }

    private func repeatPaths(in items: [BodyItem]) -> [String] {
        items.flatMap { item -> [String] in
            switch item {
            case .group(let group): repeatPaths(in: group.items)
            case .repeat(let item): [item.path] + repeatPaths(in: item.items)
            case .control: []
            }
        }
    }

    /// Every path of the record. The same name twice among siblings is right for a repeat only.
    private mutating func collect(
        _ node: InstanceNode, at path: String
    ) throws(FormImportError) {
        paths.insert(path)
        for attribute in node.attributes.keys { paths.insert(path + "/@" + attribute) }
        var seen: Set<String> = []
        for child in node.children {
            let below = path + "/" + child.name
            if !seen.insert(child.name).inserted, !repeats.contains(below) {
                throw FormImportError(child.place, "\(below) is there twice")
            }
            try collect(child, at: below)
        }
    }

    private mutating func instancesOnce() throws(FormImportError) {
        for instance in form.secondary where !instances.insert(instance.id).inserted {
            throw FormImportError(instance.place, "the instance \(instance.id) is there twice")
        }
    }

    /// Two binds of one node are met in the wild and both apply.
    private func binds(_ warnings: inout WarningList) throws(FormImportError) {
        var seen: Set<String> = []
        for bind in form.binds {
            try exists(bind.path, bind.place)
            guard !seen.insert(bind.path).inserted else { continue }
            warnings.note("\(bind.path) has two binds; both apply", kind: "binds", at: bind.place)
        }
    }

    private func bodyPaths(_ items: [BodyItem]) throws(FormImportError) {
        for item in items {
            switch item {
            case .group(let group):
                if let path = group.path { try exists(path, group.place) }
                try bodyPaths(group.items)
            case .repeat(let item):
                try exists(item.path, item.place)
                try bodyPaths(item.items)
            case .control(let control):
                try exists(control.path, control.place)
                if let itemset = control.itemset, itemset.instance == nil {
                    try exists(itemset.path, control.place)
                }
            }
        }
    }

    private func exists(_ path: String, _ place: FormPlace) throws(FormImportError) {
        guard paths.contains(path) else {
            throw FormImportError(place, "there is no node \(path) in the record")
        }
    }

    /// Each `instance('…')` in any expression must be declared.
    private func references() throws(FormImportError) {
        for expression in form.expressions {
            for id in ExpressionScan.instances(in: expression.text) where !instances.contains(id) {
                throw FormImportError(expression.place, "there is no instance \(id)")
            }
        }
    }

    private func texts(_ warnings: inout WarningList) {
        for (caption, place) in form.captions {
            guard case .key(let key) = caption, !form.texts.holds(key) else { continue }
            warnings.note(
                "there is no text \(key); its key is shown", kind: "missing text", at: place)
        }
    }
}

extension XForm {
    /// Every caption that stands at a question, group or bind.
    var captions: [(Caption, FormPlace)] {
        var found: [(Caption, FormPlace)] = []
        func add(_ captions: [Caption?], _ place: FormPlace) {
            found += captions.compactMap { $0 }.map { ($0, place) }
        }
        func walk(_ items: [BodyItem]) {
            for item in items {
                switch item {
                case .group(let group):
                    add([group.label, group.hint], group.place)
                    walk(group.items)
                case .repeat(let item): walk(item.items)
                case .control(let control):
                    add([control.label, control.hint], control.place)
                    add(control.choices.map(\.label), control.place)
                }
            }
        }
        for bind in binds { add([bind.constraintMessage, bind.requiredMessage], bind.place) }
        walk(body)
        return found
    }

    /// Every expression of the form, with its place.
    package var expressions: [ExpressionText] {
        var found: [ExpressionText] = []
        for bind in binds {
            found += [
                bind.readonly, bind.required, bind.relevant, bind.constraint, bind.calculate,
            ].compactMap { $0 }
        }
        for action in actions {
            if case .expression(let expression) = action.value { found.append(expression) }
        }
        func walk(_ items: [BodyItem]) {
            for item in items {
                switch item {
                case .group(let group): walk(group.items)
                case .repeat(let item):
                    found += [item.count, item.noAddRemove].compactMap { $0 }
                    walk(item.items)
                case .control(let control):
                    if let itemset = control.itemset { found.append(itemset.nodeset) }
                }
            }
        }
        walk(body)
        found += captions.flatMap { caption, _ -> [ExpressionText] in
            switch caption {
            case .literal(let parts): parts.outputs
            case .keyExpression(let expression): [expression]
            case .key: []
            }
        }
        for language in texts.languages {
            // By key, so that the same file gives the same value and the same words each time.
            for (_, entry) in (texts.entries[language] ?? [:]).sorted(by: { $0.key < $1.key }) {
                let forms = entry.forms.sorted { $0.key < $1.key }
                found += (entry.text ?? []).outputs + forms.flatMap(\.value.outputs)
            }
        }
        return found
    }
}

extension [TextPart] {
    package var outputs: [ExpressionText] {
        compactMap { part in
            if case .output(let expression) = part { expression } else { nil }
        }
    }
}
