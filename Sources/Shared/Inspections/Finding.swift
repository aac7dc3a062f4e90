package import Coding
package import Forms
import Phrases

/// What is wrong at the equipment, raised by a failed answer or by hand: a record of its own below the
/// inspection, because somebody has to mend it and others have to see when.
package struct Finding: Equatable, Sendable {
    /// From the least to the gravest.
    package enum Severity: String, Sendable, CaseIterable {
        case minor, major, critical

        /// The word on a screen.
        package var label: String {
            switch self {
            case .minor: say("minor")
            case .major: say("major")
            case .critical: say("critical")
            }
        }
    }

    /// From the beginning to the end.
    package enum Status: String, Sendable, CaseIterable {
        case pending
        /// Mended before the inspector left.
        case corrected
        case closed

        /// The words on a screen.
        package var label: String {
            switch self {
            case .pending: say("to be mended")
            case .corrected: say("corrected on site")
            case .closed: say("closed")
            }
        }
    }

    /// What raised it.
    package enum Raiser: String, Sendable, CaseIterable {
        /// By failing.
        case answer
        /// A person, whatever the answer is.
        case hand
    }

    package var question: String
    package var row: String?
    package var severity: Severity
    package var status: Status
    package var owner: String?
    /// YYYY-MM-DD.
    package var due: String?
    package var note: String?
    /// Whether the last visit had found the same.
    package var isRepeated: Bool
    /// Whether an answer raised it by failing, and no person by hand; a person who takes it away makes it
    /// his own.
    package var isFromAnswer: Bool
    /// What a supervisor said of it.
    package var comment: String?

    package init(
        question: String, row: String? = nil, severity: Severity, status: Status = .pending,
        owner: String? = nil, due: String? = nil, note: String? = nil, isRepeated: Bool = false,
        isFromAnswer: Bool = false
    ) {
        self.question = question
        self.row = row
        self.severity = severity
        self.status = status
        self.owner = owner
        self.due = due
        self.note = note
        self.isRepeated = isRepeated
        self.isFromAnswer = isFromAnswer
    }

    /// Where the question stands that it is about.
    package var key: AnswerKey { AnswerKey(row: row, question) }

    /// How grave it is until somebody says otherwise.
    package static func severity(on question: Question) -> Severity {
        question.critical ? .critical : .major
    }

    /// What a failed answer raises, where its question asks for it; nil where it does not.
    /// - Parameter isRepeated: whether the last visit had found the same.
    package static func raised(
        by question: Question, row: String?, isRepeated: Bool
    ) -> Finding? {
        guard question.findingOnFail else { return nil }
        return Finding(
            question: question.path, row: row, severity: severity(on: question),
            isRepeated: isRepeated, isFromAnswer: true)
    }

    /// Whether nobody has worked on it since an answer raised it: then it goes with its cause.
    package func isAsRaised(by question: Question) -> Bool {
        isFromAnswer && status == .pending && owner == nil && due == nil && note == nil
            && severity == Self.severity(on: question)
    }

    /// A grave one that still has to be mended, and of which nobody knows what it is.
    package var isUnexplained: Bool {
        severity == .critical && status == .pending && firstWithText(note) == nil
    }
}

// MARK: As a record

extension Finding {
    /// Nil where the record names no question. A word that only a newer version knows counts as grave
    /// and as not mended, so that nobody overlooks it.
    package init?(fields: [String: FieldValue]) {
        func text(_ name: String) -> String? {
            guard case .string(let text)? = fields[name] else { return nil }
            return firstWithText(text)
        }
        guard let question = text(BuiltInField.question) else { return nil }
        let repeated = fields[BuiltInField.repeated]?.number
        self.init(
            question: question, row: text(BuiltInField.row),
            severity: text(BuiltInField.severity).map { Severity(rawValue: $0) ?? .critical }
                ?? .major,
            status: text(BuiltInField.status).flatMap(Status.init) ?? .pending,
            owner: text(BuiltInField.owner), due: text(BuiltInField.due),
            note: text(BuiltInField.note), isRepeated: (repeated ?? 0) != 0,
            isFromAnswer: Self.isFromAnswer(text(BuiltInField.raisedBy), repeated: repeated))
        comment = text(BuiltInField.comment)
    }

    /// - Parameter repeated: what tells it of a record of before there was a word for it: false stands in
    ///   those alone that an answer raised. True says nothing, and what may be a person's stays.
    private static func isFromAnswer(_ word: String?, repeated: Double?) -> Bool {
        word.map { $0 == Raiser.answer.rawValue } ?? (repeated == 0)
    }

    /// Those that say something, as a new record gets them.
    package var fields: [(name: String, value: FieldValue)] {
        let texts: [(String, String?)] = [
            (BuiltInField.question, question), (BuiltInField.row, row),
            (BuiltInField.severity, severity.rawValue), (BuiltInField.status, status.rawValue),
            (BuiltInField.owner, owner), (BuiltInField.due, due), (BuiltInField.note, note),
            (BuiltInField.comment, comment),
            (BuiltInField.raisedBy, (isFromAnswer ? Raiser.answer : .hand).rawValue),
        ]
        var fields = texts.compactMap { name, text in text.map { (name, FieldValue.string($0)) } }
        // False as well where an answer raised it: by that a program of before knows one.
        if isFromAnswer || isRepeated {
            fields.append((BuiltInField.repeated, .integer(isRepeated ? 1 : 0)))
        }
        return fields.map { (name: $0.0, value: $0.1) }
    }
}
