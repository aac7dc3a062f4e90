package import Coding

/// One question of a form: what is asked, what may be answered, and what happens when two people
/// answer it at once.
package struct Question: Equatable, Sendable {
    /// The name of the answer's field: `valve_pressure_psi`, or a path such as `doors/seal`.
    package var path: String
    package var label: String
    package var hint: String?
    package var type: QuestionType
    package var required: Bool
    package var relevant: Condition?
    /// What a number is counted in, shown beside it: `psi`, `°C`.
    package var unit: String?
    package var limits: NumberLimits
    /// What a choice or verdict question offers, in order; empty for the other types.
    package var choices: [Choice]
    /// How concurrent answers merge, in the words of Replication's `MergePolicy`: `ask`,
    /// `quarantine`, `rank:A,B`, `lww`, `max`, `min`, `union`.
    package var merge: String
    /// Shows the last visit's answer beside this one.
    package var previous: Bool
    /// A failed critical item fails the inspection.
    package var critical: Bool
    package var weight: Double
    package var photoOnFail: Bool
    package var findingOnFail: Bool

    package init(
        path: String, label: String, type: QuestionType, hint: String? = nil,
        required: Bool = false, relevant: Condition? = nil, unit: String? = nil,
        limits: NumberLimits = NumberLimits(), choices: [Choice] = [], merge: String = "ask",
        previous: Bool = false, critical: Bool = false, weight: Double = 1,
        photoOnFail: Bool = false, findingOnFail: Bool = false
    ) {
        self.path = path
        self.label = label
        self.hint = hint
        self.type = type
        self.required = required
        self.relevant = relevant
        self.unit = unit
        self.limits = limits
        self.choices = type == .verdict && choices.isEmpty ? Choice.standardVerdicts : choices
        self.merge = merge
        self.previous = previous
        self.critical = critical
        self.weight = weight
        self.photoOnFail = photoOnFail
        self.findingOnFail = findingOnFail
    }

    /// The last part of the path, which people type when it is unique in the form.
    package var name: String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    package func choice(named name: String) -> Choice? {
        choices.first { $0.name == name }
    }

    /// What the answer means for the score, where the form says so.
    package func verdict(of value: FieldValue) -> Verdict? {
        guard case .string(let name) = value else { return nil }
        return choice(named: name)?.verdict
    }
}

/// What kind of answer a question takes.
package enum QuestionType: Hashable, Sendable {
    case text(multiline: Bool)
    case integer
    case decimal
    /// One of many.
    case choice
    /// One of a few verdicts, each with its own key.
    case verdict
    /// A day, `YYYY-MM-DD`.
    case date
    /// Text to read; takes no answer.
    case note

    package var isNumber: Bool { self == .integer || self == .decimal }
    package var isChoice: Bool { self == .choice || self == .verdict }
    package var takesAnswer: Bool { self != .note }
}

/// The bounds of a number. Beyond a hard one the answer is refused, on the screen and in the
/// database; beyond a soft one the screen asks once whether the unusual value is right.
package struct NumberLimits: Equatable, Sendable {
    package var hardMinimum: Double?
    package var hardMaximum: Double?
    package var softMinimum: Double?
    package var softMaximum: Double?

    package init(
        hardMinimum: Double? = nil, hardMaximum: Double? = nil, softMinimum: Double? = nil,
        softMaximum: Double? = nil
    ) {
        self.hardMinimum = hardMinimum
        self.hardMaximum = hardMaximum
        self.softMinimum = softMinimum
        self.softMaximum = softMaximum
    }

    package var isEmpty: Bool { self == NumberLimits() }
}

/// One of the answers that a choice or verdict question offers.
package struct Choice: Equatable, Sendable {
    /// What is stored and sent.
    package var name: String
    package var label: String
    package var verdict: Verdict?

    package init(name: String, label: String, verdict: Verdict? = nil) {
        self.name = name
        self.label = label
        self.verdict = verdict
    }

    /// What a verdict question offers when its form lists nothing.
    package static let standardVerdicts = [
        Choice(name: "pass", label: "Pass", verdict: .pass),
        Choice(name: "fail", label: "Fail", verdict: .fail),
        Choice(name: "na", label: "Not applicable", verdict: .notApplicable),
        Choice(name: "not_observed", label: "Not observed", verdict: .notObserved),
    ]
}

/// What an answer means in this trade. *Not applicable* and *not observed* both leave numerator
/// and denominator of a score.
package enum Verdict: String, Sendable, CaseIterable {
    case pass, fail, notApplicable, notObserved
}
