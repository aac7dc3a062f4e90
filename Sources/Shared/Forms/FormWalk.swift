/// Goes through the parts of a form once and gathers what stands where.
package struct FormWalk {
    package private(set) var questions: [(question: Question, place: String)] = []
    package private(set) var repetitions: [(repetition: Repetition, place: String)] = []
    /// By path; those of sections are laid on their questions.
    private(set) var rules: [String: PathRules] = [:]
    private(set) var depth = 0

    package init(_ parts: FormParts) {
        for group in parts.groups {
            if let relevant = group.relevant {
                rules[group.path, default: PathRules()].relevant.append(relevant)
            }
            if let readonly = group.readonly {
                rules[group.path, default: PathRules()].readonly.append(readonly)
            }
        }
        for (number, section) in parts.sections.enumerated() {
            walk(
                section.items, at: "sections[\(number)]", relevant: section.relevant, depth: 1)
        }
        for (number, question) in parts.hidden.enumerated() {
            add(question, at: "hidden[\(number)]", relevant: nil)
        }
    }

    /// Looks no deeper than a form may be.
    private mutating func walk(
        _ items: [FormItem], at place: String, relevant: FormExpression?, depth: Int
    ) {
        self.depth = max(self.depth, depth)
        guard depth <= FormLimits.depth else { return }
        for (number, item) in items.enumerated() {
            let place = "\(place).questions[\(number)]"
            switch item {
            case .question(let question): add(question, at: place, relevant: relevant)
            case .group(let group):
                walk(group.items, at: place, relevant: relevant, depth: depth + 1)
            case .repetition(let repetition):
                if let relevant {
                    rules[repetition.path, default: PathRules()].relevant.append(relevant)
                }
                repetitions.append((repetition, place))
                walk(repetition.items, at: place, relevant: nil, depth: depth + 1)
            }
        }
    }

    private mutating func add(_ question: Question, at place: String, relevant: FormExpression?) {
        questions.append((question, place))
        var own = rules[question.path] ?? PathRules()
        own.relevant += [relevant, question.rules.relevant].compactMap(\.self)
        own.readonly += [question.rules.readonly].compactMap(\.self)
        own.required = question.rules.required
        own.constraint = question.rules.constraint
        own.calculate = question.rules.calculate
        own.filter = question.filter
        rules[question.path] = own
    }
}
