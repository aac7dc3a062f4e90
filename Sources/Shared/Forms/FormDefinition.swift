/// A form, as data: what an inspection asks, in which order and under which conditions.
///
/// A value of this type has been checked: names are unique, conditions name questions that exist
/// and form no circle, limits and merge policies make sense (see `FormCheck`). An inspection keeps
/// the version that it began with.
package struct FormDefinition: Equatable, Sendable {
    package let id: String
    package let version: String
    package let title: String
    /// The question whose answer names the record, such as an equipment tag.
    package let recordName: String?
    package let sections: [Section]

    /// Indices of `questions` in an order in which each stands after those it depends on.
    let evaluationOrder: [Int]
    /// For each of `questions`, the index of its section.
    let sectionOfQuestion: [Int]
    private let indexByPath: [String: Int]
    private let indexByName: [String: [Int]]
    /// All questions, in the order in which they are asked.
    package let questions: [Question]

    /// Checks the parts and puts them together. Throws where the form contradicts itself.
    package init(
        id: String, version: String, title: String, recordName: String? = nil, sections: [Section]
    ) throws(FormError) {
        let check = try FormCheck(
            id: id, version: version, recordName: recordName, sections: sections)
        self.id = id
        self.version = version
        self.title = title
        self.recordName = recordName
        self.sections = sections
        questions = sections.flatMap(\.questions)
        indexByPath = check.indexByPath
        indexByName = Dictionary(
            grouping: questions.indices, by: { [questions] in questions[$0].name })
        evaluationOrder = check.evaluationOrder
        sectionOfQuestion = check.sectionOf
    }

    /// A question by its path, or by its bare name where only one question has it.
    package func question(named name: String) -> Question? {
        if let index = indexByPath[name] { return questions[index] }
        guard let same = indexByName[name], same.count == 1 else { return nil }
        return questions[same[0]]
    }

    package func index(of path: String) -> Int? { indexByPath[path] }
}

/// Questions under one heading. When it is irrelevant, so are all of its questions.
package struct Section: Equatable, Sendable {
    package var name: String
    package var title: String
    package var relevant: Condition?
    package var questions: [Question]

    package init(
        name: String, title: String, relevant: Condition? = nil, questions: [Question]
    ) {
        self.name = name
        self.title = title
        self.relevant = relevant
        self.questions = questions
    }
}
