/// A form, as data: what an inspection asks, in which order and under which conditions.
///
/// A value of this type has been checked: names are unique, expressions look at what exists and form
/// no circle, limits and merge policies make sense (see `FormCheck`). An inspection keeps the version
/// that it began with, until it is moved to another one.
package struct FormDefinition: Sendable {
    package let parts: FormParts
    /// All questions of the inspection itself, hidden ones behind those that are shown.
    package let questions: [Question]
    /// Those and the questions of all repeats.
    package let allQuestions: [Question]
    /// All repeats, each before those in it.
    package let repetitions: [Repetition]
    /// The tree that answers are put in, in which expressions walk.
    package let record: RecordNode
    /// The form's own lists by id, as trees to look things up in.
    package let instances: [String: LazyTree]
    let graph: DependencyGraph
    let rules: [String: PathRules]
    /// Which answers are truths and numbers.
    let kinds: AnswerKinds

    private let indexByPath: [String: Int]
    private let indexByName: [String: [Int]]

    /// Checks the parts and puts them together. Throws where the form contradicts itself.
    package init(_ parts: FormParts) throws(FormError) {
        let check = try FormCheck(parts)
        self.parts = parts
        allQuestions = check.questions
        questions = check.questions.filter { check.repetition(around: $0.path) == nil }
        repetitions = check.repetitions
        record = check.record
        instances = parts.lists.mapValues { LazyTree($0) }
        graph = check.graph
        rules = check.rules
        kinds = AnswerKinds(check, parts)
        indexByPath = check.indexByPath
        indexByName = Dictionary(
            grouping: check.questions.indices, by: { check.questions[$0].name })
    }

    /// The ids of the lists that stand for the inspection by this form that was saved last on the device.
    package var lastSavedLists: [String] {
        let mark = NodeContent.lastSaved(root: parts.root)
        return parts.lists.filter { $0.value == mark }.keys.sorted()
    }

    /// What its rules and the record's name rest on at most, beside what it works out: with the same of that they
    /// come to the same.
    package var judgesBy: FillingSurroundings.Calculations {
        let judging = rules.values.flatMap { rule in
            rule.relevant + rule.readonly
                + [rule.required, rule.constraint, rule.filter?.nodeset].compactMap(\.self)
        }
        return (judging + [parts.instanceName].compactMap(\.self)).map(\.needs).max() ?? .answers
    }

    /// A form of sections alone, such as one that was written by hand.
    package init(
        id: String, version: String, title: String, recordName: String? = nil, sections: [Section]
    ) throws(FormError) {
        var parts = FormParts(id: id, version: version, title: title)
        parts.recordName = recordName
        parts.sections = sections
        try self.init(parts)
    }

    package var id: String { parts.id }
    package var version: String { parts.version }
    package var title: String { parts.title }
    /// The question whose answer names the record, such as an equipment tag.
    package var recordName: String? { parts.recordName }
    package var sections: [Section] { parts.sections }

    /// A question by its path, or by its bare name where only one question has it.
    package func question(named name: String) -> Question? {
        if let index = indexByPath[name] { return allQuestions[index] }
        guard let same = indexByName[name], same.count == 1 else { return nil }
        return allQuestions[same[0]]
    }

    /// Among `allQuestions`.
    package func index(of path: String) -> Int? { indexByPath[path] }

    /// The innermost repeat that a question or repeat stands in.
    package func repetition(around path: String) -> Repetition? {
        repetitions.last { path.hasPrefix($0.path + "/") }
    }
}

extension FormDefinition: Equatable {
    package static func == (left: FormDefinition, right: FormDefinition) -> Bool {
        left.parts == right.parts
    }
}

/// What a form is made of, before it has been checked.
package struct FormParts: Equatable, Sendable {
    package var id: String
    package var version: String
    package var title: String
    /// The name of the record's outermost element, with which absolute paths begin.
    package var root = "data"
    package var recordName: String?
    /// What an inspection is called, as an expression.
    package var instanceName: FormExpression?
    /// The first is the default; empty for a form in one language that it does not name.
    package var languages: [String] = []
    package var sections: [Section] = []
    /// Values that are not shown, of repeats as well.
    package var hidden: [Question] = []
    package var groups: [GroupRules] = []
    package var actions: [FormAction] = []
    /// Rows of repeats that an inspection begins with, each before those in it.
    package var rows: [InitialRow] = []
    /// Lists to look things up in, by the id that expressions name them with.
    package var lists: [String: NodeContent] = [:]

    package init(id: String, version: String, title: String) {
        self.id = id
        self.version = version
        self.title = title
    }
}

/// What is evaluated for the nodes at one path of the record.
struct PathRules: Sendable {
    /// All must hold.
    var relevant: [FormExpression] = []
    var readonly: [FormExpression] = []
    var required: FormExpression?
    var constraint: FormExpression?
    var calculate: FormExpression?
    var filter: ChoiceFilter?
}
