import Phrases

/// What is wrong with one answer, in words that a person on the spot can act on. The words name
/// limits, never the answer: they may end in a log.
package enum AnswerProblem: Error, Hashable, Sendable {
    /// A relevant required question without an answer.
    case required
    case notANumber
    /// Both a comma and a point, or two of one kind: which is the decimal mark?
    case ambiguousNumber
    case notWhole
    /// More digits than the device can keep exactly.
    case tooManyDigits
    case belowMinimum(Double)
    case aboveMaximum(Double)
    case notADate
    case notOffered
    /// What was typed fits several choices.
    case severalChoices
    case controlCharacter
    case tooLong
    /// The stored value is of another type than the question's, as after a change of the form.
    case wrongType
    /// Typed on the screen and not accepted: the text stands in a draft.
    case unfinishedDraft
    /// A critical finding on it does not say what is wrong.
    case unexplainedFinding
    /// Something typed in a finding on it stands in a draft.
    case unfinishedFinding
    case takesNoAnswer
    /// A rule of the form does not hold; what its author says of it, if anything.
    case constraint(String?)
    case notATime
    case notAMoment
    case notAPoint
    case notATrace
    /// The same choice is named twice.
    case choiceTwice
    /// An order that leaves choices out.
    case partialOrder
    /// Between two of the steps that a range offers.
    case notAStep(Double)
    /// The question is hidden at the moment; what was answered before is kept.
    case notAsked
    /// The form lets it be read only.
    case readonly
    /// The form works it out by itself.
    case calculated

    /// A sentence without a final stop; `unit` stands after limits.
    package func message(unit: String? = nil) -> String {
        switch self {
        case .required: say("needs an answer")
        case .notANumber: say("is not a number")
        case .ambiguousNumber: say("has more than one decimal mark")
        case .notWhole: say("must be a whole number")
        case .tooManyDigits: say("has too many digits")
        case .belowMinimum(let limit): say("must be at least \(Self.quantity(limit, unit))")
        case .aboveMaximum(let limit): say("must be at most \(Self.quantity(limit, unit))")
        case .notADate: say("is not a date: YYYY-MM-DD, t for today, +3d")
        case .notOffered: say("is not one of the choices")
        case .severalChoices: say("fits more than one choice")
        case .controlCharacter: say("contains control characters")
        case .tooLong: say("is too long")
        case .wrongType: say("is of another type than the question asks")
        case .unfinishedDraft: say("was typed but not accepted")
        case .unexplainedFinding: say("has a critical finding: say in its note what is wrong")
        case .unfinishedFinding: say("has a finding with something typed but not accepted")
        case .takesNoAnswer: say("is a note and takes no answer")
        case .constraint(let words?): say("is refused by the form: \(words)")
        case .constraint(nil): say("is refused by a rule of the form")
        case .notATime: say("is not a time: HH:MM")
        case .notAMoment: say("is not a day and time: YYYY-MM-DD HH:MM, with an offset as +01:00")
        case .notATrace: say("is not a line of positions: 52.1 4.3; 52.2 4.4, a shape closed")
        case .choiceTwice: say("names a choice twice")
        case .partialOrder: say("has to name every choice, the first one first")
        case .notAStep(let step): say("must be in steps of \(Self.quantity(step, unit))")
        case .notAsked: say("is not asked now, going by the other answers")
        case .readonly: say("can only be read")
        case .calculated: say("is filled in by the form itself")
        case .notAPoint: say("is not a position: degrees north and east, as 52.1 4.3")
        }
    }

    private static func quantity(_ value: Double, _ unit: String?) -> String {
        plainNumber(value) + (unit.map { " " + $0 } ?? "")
    }
}

/// A number in the C locale, whole ones without a fraction.
package func plainNumber(_ value: Double) -> String {
    Int64(exactly: value).map(String.init) ?? value.description
}

/// A problem and the question that has it.
package struct FormProblem: Hashable, Sendable {
    package let path: String
    package let problem: AnswerProblem
    /// The row that the question stands in; nil for the inspection.
    package let row: String?

    package init(path: String, problem: AnswerProblem, row: String? = nil) {
        self.path = path
        self.problem = problem
        self.row = row
    }
}
