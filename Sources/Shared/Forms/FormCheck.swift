/// The rules that a form keeps, checked once when a definition is made; and what is made of it on the
/// way.
struct FormCheck {
    private(set) var questions: [Question] = []
    private(set) var repetitions: [Repetition] = []
    private(set) var indexByPath: [String: Int] = [:]
    private(set) var rules: [String: PathRules] = [:]
    private(set) var record: RecordNode
    private(set) var graph: DependencyGraph

    private let parts: FormParts
    /// Where each question stands in the document, for errors.
    private var places: [String] = []

    init(_ parts: FormParts) throws(FormError) {
        self.parts = parts
        record = RecordNode(name: parts.root, path: "", kind: .group)
        graph = .none
        try checkNames()
        let walk = FormWalk(parts)
        guard walk.depth <= FormLimits.depth else {
            throw FormError(
                .tooLarge, at: "sections", "groups nest deeper than \(FormLimits.depth)")
        }
        questions = walk.questions.map(\.question)
        places = walk.questions.map(\.place)
        repetitions = walk.repetitions.map(\.repetition)
        try checkSize()
        try checkPaths(of: walk)
        var known: [Bool: Set<ObjectIdentifier>] = [:]
        for (index, question) in questions.enumerated() {
            let takesChoices = question.type.isChoice || question.type.isChoices
            let isNew =
                !takesChoices
                || known[question.type.isChoices, default: []]
                    .insert(ObjectIdentifier(question.list)).inserted
            try QuestionCheck(
                question: question, place: places[index], isListKnown: !isNew
            ).run()
        }
        try check(parts.rows)
        rules = walk.rules
        var building = RecordBuilding(root: parts.root)
        for repetition in repetitions { building.add(repetition.path, .repetition) }
        for (index, question) in questions.enumerated() {
            building.add(question.path, .value(index))
        }
        record = building.node
        if let recordName = parts.recordName, indexByPath[recordName] == nil {
            throw FormError(
                .unknownQuestion, at: "recordName", "no question is called \(recordName)")
        }
        graph = try orderOfEvaluation()
    }

    func repetition(around path: String) -> Repetition? {
        repetitions.last { path.hasPrefix($0.path + "/") }
    }

    private func checkNames() throws(FormError) {
        try FormName.check(parts.id, at: "id", digitsMayLead: true)
        try FormName.check(parts.version, at: "version", digitsMayLead: true)
        try FormName.check(parts.root, at: "root")
        var sectionNames: Set<String> = []
        for (number, section) in parts.sections.enumerated() {
            try FormName.check(section.name, at: "sections[\(number)].name")
            guard sectionNames.insert(section.name).inserted else {
                throw FormError(
                    .duplicateName, at: "sections[\(number)].name",
                    "another section is called \(section.name)")
            }
        }
    }

    /// Each path once, and none inside another's value.
    private mutating func checkPaths(of walk: FormWalk) throws(FormError) {
        var containers: Set<String> = []
        for (repetition, place) in walk.repetitions {
            try FormName.check(path: repetition.path, at: place + ".path")
            guard containers.insert(repetition.path).inserted else {
                throw FormError(
                    .duplicateName, at: place + ".path",
                    "another repeat is called \(repetition.path)")
            }
        }
        for (index, question) in questions.enumerated() {
            let place = places[index] + ".path"
            try FormName.check(path: question.path, at: place)
            if let other = indexByPath.updateValue(index, forKey: question.path) {
                throw FormError(
                    .duplicateName, at: place, "\(places[other]) is called \(question.path) too")
            }
        }
        for path in questions.map(\.path) + repetitions.map(\.path) {
            for end in path.indices where path[end] == "/" {
                let outer = String(path[..<end])
                guard let index = indexByPath[outer] else { continue }
                throw FormError(
                    .duplicateName, at: places[index] + ".path", "\(path) stands inside \(outer)")
            }
        }
        for (index, question) in questions.enumerated() where containers.contains(question.path) {
            throw FormError(
                .duplicateName, at: places[index] + ".path",
                "a repeat is called \(question.path) too")
        }
    }

    private func checkSize() throws(FormError) {
        guard parts.sections.count <= FormLimits.sections else {
            throw FormError(.tooLarge, at: "sections", "more than \(FormLimits.sections) sections")
        }
        guard questions.count <= FormLimits.questions else {
            throw FormError(
                .tooLarge, at: "sections", "more than \(FormLimits.questions) questions")
        }
        guard questions.contains(where: { !$0.isHidden }) else {
            throw FormError(.malformed, at: "sections", "a form needs at least one question")
        }
        var lists: Set<ObjectIdentifier> = []
        let choices = questions.reduce(0) {
            $0 + (lists.insert(ObjectIdentifier($1.list)).inserted ? $1.choices.count : 0)
        }
        guard choices <= FormLimits.choicesInAll else {
            throw FormError(
                .tooLarge, at: "sections", "more than \(FormLimits.choicesInAll) choices in all")
        }
    }

    private func orderOfEvaluation() throws(FormError) -> DependencyGraph {
        for (index, question) in questions.enumerated() {
            let node = RuleDependencies.node(question.path, root: parts.root)
            let relevant = rules[question.path]?.relevant ?? []
            guard relevant.contains(where: { $0.dependencies(at: node).paths.contains(node) })
            else { continue }
            throw FormError(
                .cycle, at: places[index] + ".relevant",
                "\(question.path) is asked depending on its own answer")
        }
        do throws(DependencyGraph.Cycle) {
            return try DependencyGraph(
                RuleDependencies(root: parts.root, rules: rules, questions).all)
        } catch {
            throw circle(error)
        }
    }

    private func circle(_ cycle: DependencyGraph.Cycle) -> FormError {
        let names = cycle.paths.map { String($0.dropFirst(parts.root.count + 2)) }
        let first = names.lazy.compactMap { indexByPath[$0] }.first
        let rule = first.map { questions[$0].rules.calculate == nil ? ".relevant" : ".calculate" }
        return FormError(
            .cycle, at: (first.map { places[$0] } ?? "groups") + (rule ?? ""),
            "these look at each other in a circle: "
                + (names + names.prefix(1)).joined(separator: " → "))
    }
}

extension QuestionRules {
    /// The expressions by the key that they have in the compiled format.
    var named: [(String, FormExpression)] {
        [
            ("relevant", relevant), ("required", required), ("readonly", readonly),
            ("constraint", constraint), ("calculate", calculate),
        ].compactMap { name, expression in expression.map { (name, $0) } }
    }
}
