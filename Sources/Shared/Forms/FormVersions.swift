/// All versions of one form that are known, in the order in which they were published: what a table
/// of its answers has to have columns for.
package struct FormVersions: Sendable {
    package let id: String
    package let versions: [FormDefinition]

    package init(id: String, versions: [FormDefinition]) {
        self.id = id
        self.versions = versions
    }

    /// A question that some version has.
    package struct Field: Equatable, Sendable {
        package let path: String
        /// Whether every version that has it asks for a number.
        package let isNumber: Bool

        package init(path: String, isNumber: Bool) {
            self.path = path
            self.isNumber = isNumber
        }
    }

    /// The union of what has an answer, the newest version's first: what a later version renamed or
    /// left away has its column still.
    /// - Parameter path: of a repeat, or nil for the inspection itself.
    package func fields(ofRepeat path: String?) -> [Field] {
        var order: [String] = []
        var isNumber: [String: Bool] = [:]
        for form in versions.reversed() {
            for question in form.allQuestions where question.hasColumn {
                guard form.repetition(around: question.path)?.path == path else { continue }
                if isNumber[question.path] == nil { order.append(question.path) }
                isNumber[question.path] =
                    (isNumber[question.path] ?? true) && question.type.isNumber
            }
        }
        return order.map { Field(path: $0, isNumber: isNumber[$0] ?? false) }
    }

    package var repeats: [String] {
        Set(versions.flatMap { $0.repetitions.map(\.path) }).sorted()
    }

    /// Where a repeat stands, by the version of the form.
    package struct RepeatPlacing: Equatable, Sendable {
        /// The repeats around it, from the outermost.
        package let around: [String]
        package fileprivate(set) var versions: [String]
    }

    /// Each way in which a version has the repeat, the newest's first.
    package func placings(ofRepeat path: String) -> [RepeatPlacing] {
        var placings: [RepeatPlacing] = []
        for form in versions.reversed() where form.repetitions.contains(where: { $0.path == path })
        {
            let around = form.repetitions.map(\.path).filter { path.hasPrefix($0 + "/") }
            if let known = placings.firstIndex(where: { $0.around == around }) {
                placings[known].versions.append(form.version)
            } else {
                placings.append(RepeatPlacing(around: around, versions: [form.version]))
            }
        }
        return placings
    }
}

extension Question {
    /// Whether the form works the answer out by itself.
    package var isDerived: Bool { isHidden || rules.calculate != nil }

    /// Whether there is ever an answer to it.
    fileprivate var hasColumn: Bool { type.takesAnswer || isDerived }
}
