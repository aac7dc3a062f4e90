package import Coding

/// One question of a form: what is asked, what may be answered, and what happens when two people
/// answer it at once.
package struct Question: Equatable, Sendable {
    /// The name of the answer's field: `valve_pressure_psi`, or a path such as `doors/seal`.
    package var path: String
    package var text: FormText
    package var hintText: FormText?
    package var type: QuestionType
    package var rules = QuestionRules()
    /// What a number is counted in, shown beside it: `psi`, `°C`.
    package var unit: String?
    package var limits: NumberLimits
    /// What is offered; empty for types without choices.
    package var list: ChoiceList
    /// Which of the list is offered at the moment; nil for all of it.
    package var filter: ChoiceFilter?
    /// What the answer is before anyone gave one.
    package var initial: String?
    /// How the author wishes it shown, in the words of ODK: `minimal`, `numbers`, `multiline`.
    package var appearance: Set<String> = []
    /// A value that is never shown: calculated, or there for other programs.
    package var isHidden = false
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
    /// Texts that the form has ready for what is written here: for the note of a finding, or for the
    /// answer itself where that is a text.
    package var comments: ChoiceList = .none

    package init(
        path: String, label: String, type: QuestionType, hint: String? = nil,
        required: Bool = false, relevant: FormExpression? = nil, unit: String? = nil,
        limits: NumberLimits = NumberLimits(), choices: [Choice] = [], merge: String = "ask",
        previous: Bool = false, critical: Bool = false, weight: Double = 1,
        photoOnFail: Bool = false, findingOnFail: Bool = false
    ) {
        self.path = path
        text = FormText(label)
        hintText = hint.map { FormText($0) }
        self.type = type
        rules.relevant = relevant
        rules.required = required ? .always : nil
        self.unit = unit
        self.limits = limits
        let offered = type == .verdict && choices.isEmpty ? Choice.standardVerdicts : choices
        list = offered.isEmpty ? .none : ChoiceList(offered)
        self.merge = merge
        self.previous = previous
        self.critical = critical
        self.weight = weight
        self.photoOnFail = photoOnFail
        self.findingOnFail = findingOnFail
    }

    /// In the form's default language.
    package var label: String { text.plain }
    package var hint: String? { hintText?.plain }
    package var choices: [Choice] { list.choices }
    /// Whether an answer is required whenever the question is asked; a form may also ask for one
    /// under a condition.
    package var required: Bool { rules.required == .always }

    /// The last part of the path, which people type when it is unique in the form.
    package var name: String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    package func choice(named name: String) -> Choice? { list.choice(named: name) }

    /// What the answer means for the score, where the form says so.
    package func verdict(of value: FieldValue) -> Verdict? {
        guard case .string(let name) = value else { return nil }
        return choice(named: name)?.verdict
    }
}

/// The expressions of a question.
package struct QuestionRules: Equatable, Sendable {
    package var relevant: FormExpression?
    package var required: FormExpression?
    package var readonly: FormExpression?
    package var constraint: FormExpression?
    package var calculate: FormExpression?
    /// What is said when the constraint does not hold.
    package var constraintText: FormText?
    package var requiredText: FormText?

    package init() {}
}

/// What kind of answer a question takes.
package enum QuestionType: Hashable, Sendable {
    case text(multiline: Bool)
    case integer
    case decimal
    /// One of many.
    case choice
    /// Any of many: names joined by spaces.
    case choices
    /// All of them, in an order: names joined by spaces.
    case ranking
    /// One of a few verdicts, each with its own key.
    case verdict
    /// A day, `YYYY-MM-DD`.
    case date
    /// A time of day, `HH:MM:SS` with fraction and offset as they were given.
    case time
    /// A day and time with its offset: `2026-03-14T09:30:00.000+01:00`.
    case dateTime
    /// Degrees north and east, metres up and of accuracy: `52.1 4.3 0 12`.
    case point
    /// Several points joined by `;`.
    case trace
    /// A trace that ends where it began.
    case shape
    case barcode
    /// A picture, recording, signature or other file; the answer is its name.
    case file
    /// A statement that is acknowledged: `OK`.
    case acknowledge
    /// Text to read; takes no answer.
    case note

    package var isNumber: Bool { self == .integer || self == .decimal }
    /// One of its list.
    package var isChoice: Bool { self == .choice || self == .verdict }
    /// Several of its list.
    package var isChoices: Bool { self == .choices || self == .ranking }
    package var takesAnswer: Bool { self != .note }
}

/// The bounds of a number. Beyond a hard one the answer is refused, on the screen and in the
/// database; beyond a soft one the screen asks once whether the unusual value is right.
package struct NumberLimits: Equatable, Sendable {
    package var hardMinimum: Double?
    package var hardMaximum: Double?
    package var softMinimum: Double?
    package var softMaximum: Double?
    /// Between the values that are offered, counted from the hard minimum.
    package var step: Double?

    package init(
        hardMinimum: Double? = nil, hardMaximum: Double? = nil, softMinimum: Double? = nil,
        softMaximum: Double? = nil, step: Double? = nil
    ) {
        self.hardMinimum = hardMinimum
        self.hardMaximum = hardMaximum
        self.softMinimum = softMinimum
        self.softMaximum = softMaximum
        self.step = step
    }

    package var isEmpty: Bool { self == NumberLimits() }
}
