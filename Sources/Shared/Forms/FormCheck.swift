import Coding

/// The rules that a form keeps, checked once when a definition is made.
struct FormCheck {
    private(set) var indexByPath: [String: Int] = [:]
    private(set) var evaluationOrder: [Int] = []

    private let questions: [Question]
    /// Where each question stands in the document, for errors.
    private let places: [String]
    let sectionOf: [Int]
    private let sections: [Section]

    init(
        id: String, version: String, recordName: String?, sections: [Section]
    ) throws(FormError) {
        self.sections = sections
        var questions: [Question] = []
        var places: [String] = []
        var sectionOf: [Int] = []
        for (number, section) in sections.enumerated() {
            for (position, question) in section.questions.enumerated() {
                questions.append(question)
                places.append("sections[\(number)].questions[\(position)]")
                sectionOf.append(number)
            }
        }
        self.questions = questions
        self.places = places
        self.sectionOf = sectionOf

        try checkNames(id: id, version: version)
        try checkSize()
        try checkEachQuestion()
        try checkConditions()
        if let recordName, indexByPath[recordName] == nil {
            throw FormError(
                .unknownQuestion, at: "recordName", "no question is called \(recordName)")
        }
        evaluationOrder = try orderOfEvaluation()
    }

    private mutating func checkNames(id: String, version: String) throws(FormError) {
        try FormName.check(id, at: "id")
        try FormName.check(version, at: "version", digitsMayLead: true)
        var sectionNames: Set<String> = []
        for (number, section) in sections.enumerated() {
            try FormName.check(section.name, at: "sections[\(number)].name")
            guard sectionNames.insert(section.name).inserted else {
                throw FormError(
                    .duplicateName, at: "sections[\(number)].name",
                    "another section is called \(section.name)")
            }
        }
        for (index, question) in questions.enumerated() {
            try FormName.check(path: question.path, at: places[index] + ".path")
            if let other = indexByPath.updateValue(index, forKey: question.path) {
                throw FormError(
                    .duplicateName, at: places[index] + ".path",
                    "\(places[other]) is called \(question.path) too")
            }
        }
    }

    private func checkSize() throws(FormError) {
        guard sections.count <= FormLimits.sections else {
            throw FormError(.tooLarge, at: "sections", "more than \(FormLimits.sections) sections")
        }
        guard questions.count <= FormLimits.questions else {
            throw FormError(
                .tooLarge, at: "sections", "more than \(FormLimits.questions) questions")
        }
        guard !questions.isEmpty else {
            throw FormError(.malformed, at: "sections", "a form needs at least one question")
        }
        let choices = questions.reduce(0) { $0 + $1.choices.count }
        guard choices <= FormLimits.choicesInAll else {
            throw FormError(
                .tooLarge, at: "sections", "more than \(FormLimits.choicesInAll) choices in all")
        }
    }

    private func checkEachQuestion() throws(FormError) {
        for (index, question) in questions.enumerated() {
            try QuestionCheck(question: question, place: places[index]).run()
        }
    }

    private func checkConditions() throws(FormError) {
        for (number, section) in sections.enumerated() {
            try check(section.relevant, at: "sections[\(number)].relevant")
        }
        for (index, question) in questions.enumerated() {
            try check(question.relevant, at: places[index] + ".relevant")
        }
    }

    private func check(_ condition: Condition?, at place: String) throws(FormError) {
        guard let condition else { return }
        let size = condition.size
        guard size.depth <= FormLimits.conditionDepth, size.terms <= FormLimits.conditionTerms
        else {
            throw FormError(
                .tooLarge, at: place,
                "nested deeper than \(FormLimits.conditionDepth) or longer than "
                    + "\(FormLimits.conditionTerms) terms")
        }
        guard !condition.comparesWithNothing else {
            throw FormError(.badCondition, at: place, "compares with nothing; use answered")
        }
        for name in condition.questions.sorted() {
            guard let index = indexByPath[name] else {
                throw FormError(.unknownQuestion, at: place, "no question is called \(name)")
            }
            guard questions[index].type.takesAnswer else {
                throw FormError(.badCondition, at: place, "\(name) is a note and has no answer")
            }
        }
    }

    private func dependencies(of index: Int) -> [Int] {
        var names = questions[index].relevant?.questions ?? []
        names.formUnion(sections[sectionOf[index]].relevant?.questions ?? [])
        return names.compactMap { indexByPath[$0] }.sorted()
    }

    /// Depth-first, with a stack of its own: a chain of thousands of questions must not use up the
    /// thread's. A question that is met again while it is open closes a circle.
    private func orderOfEvaluation() throws(FormError) -> [Int] {
        enum Mark { case new, open, done }
        var marks = [Mark](repeating: .new, count: questions.count)
        var order: [Int] = []
        for start in questions.indices where marks[start] == .new {
            var stack = [(index: start, rest: dependencies(of: start)[...])]
            marks[start] = .open
            while let top = stack.indices.last {
                guard let next = stack[top].rest.popFirst() else {
                    order.append(stack[top].index)
                    marks[stack[top].index] = .done
                    stack.removeLast()
                    continue
                }
                switch marks[next] {
                case .done: break
                case .open: throw circle(closedBy: next, in: stack.map(\.index))
                case .new:
                    marks[next] = .open
                    stack.append((next, dependencies(of: next)[...]))
                }
            }
        }
        return order
    }

    private func circle(closedBy index: Int, in stack: [Int]) -> FormError {
        let start = stack.firstIndex(of: index) ?? 0
        let names = (stack[start...] + [index]).map { questions[$0].path }
        return FormError(
            .cycle, at: places[index] + ".relevant",
            "relevance goes in a circle: " + names.joined(separator: " → "))
    }
}

extension Condition {
    fileprivate var comparesWithNothing: Bool {
        switch self {
        case .compare(_, _, let value): value.isNull
        case .selected, .answered: false
        case .all(let conditions), .any(let conditions):
            conditions.contains(where: \.comparesWithNothing)
        case .not(let condition): condition.comparesWithNothing
        }
    }

    fileprivate var size: (depth: Int, terms: Int) {
        switch self {
        case .compare, .selected, .answered:
            return (1, 1)
        case .all(let conditions), .any(let conditions):
            let sizes = conditions.map(\.size)
            return (1 + (sizes.map(\.depth).max() ?? 0), 1 + sizes.reduce(0) { $0 + $1.terms })
        case .not(let condition):
            let size = condition.size
            return (1 + size.depth, 1 + size.terms)
        }
    }
}
