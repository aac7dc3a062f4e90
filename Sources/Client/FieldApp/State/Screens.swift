package import Coding
package import Forms
package import Inspections
package import Replication
package import TerminalKit

/// PIN entry. The PIN itself is never part of the state: the state counts what was typed, the
/// bytes stand in locked memory (`PINPad`).
package struct UnlockScreen: Equatable, Sendable {
    package var typed = 0
    package var isChecking = false
    /// A demand to lock came during the check: its result counts for nothing.
    package var isCalledOff = false
    package var problem: String?
    /// What `problem` is once the wait is over.
    package var problemAfterWait: String?
    /// Uptime until which the vault refuses to look at a PIN.
    package var waitUntil: Int64?

    package init() {}
}

/// The list of sections, to jump to one.
package struct SectionsScreen: Equatable, Sendable {
    package var focus: ListFocus<Int>

    package init(at section: Int?) { focus = ListFocus(section) }
}

/// The rows of one repeat.
package struct RowsScreen: Equatable, Sendable {
    package let inspection: RecordID
    /// The repeat's path.
    package let path: String
    /// The row that they stand in; nil for rows of the inspection itself.
    package let parent: String?
    package var focus: ListFocus<String>

    package init(
        inspection: RecordID, path: String, parent: String?, focus row: String? = nil
    ) {
        self.inspection = inspection
        self.path = path
        self.parent = parent
        focus = ListFocus(row)
    }
}

/// Why a question is as it is, and what is hidden beside it; to be read.
package struct WhyScreen: Equatable, Sendable {
    package struct Line: Equatable, Sendable {
        package enum Kind: Sendable { case heading, rule, fact }

        package let kind: Kind
        package let text: String

        package init(_ kind: Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    package let title: String
    package let lines: [Line]
    package var focus = ListFocus<Int>(0)

    package init(title: String, lines: [Line]) {
        self.title = title
        self.lines = lines
    }
}

/// What a move to a newer version of the form would do, before it is done.
package struct MoveScreen: Equatable, Sendable {
    package let inspection: RecordID
    package let from: String
    package let to: String
    package let lines: [MoveWords.Line]
    package var focus = ListFocus<Int>(0)

    package init(_ inspection: RecordID, _ words: MoveWords) {
        self.inspection = inspection
        from = words.move.from
        to = words.move.to
        lines = words.lines
    }
}

/// The queue: what waits, and why.
package struct StatusScreen: Equatable, Sendable {
    package var focus = ListFocus<MutationID>()

    package init() {}
}

/// Base, mine and theirs of each answer in conflict, and what has been decided so far.
package struct ReviewScreen: Equatable, Sendable {
    package let id: RecordID
    /// Nil while the store is asked.
    package private(set) var picture: ConflictPicture?
    package private(set) var decisions: [String: Decision] = [:]
    package var focus = ListFocus<String>()
    package var editor: AnswerEditor?
    /// Third values that were begun and left, by path.
    package var begun: [String: String] = [:]
    /// The decisions are with the store.
    package var isSettling = false

    package init(id: RecordID) { self.id = id }

    package var paths: [String] { picture?.fields.map(\.path) ?? [] }
    package var focused: ConflictField? {
        picture?.fields.first { $0.path == focus.focused }
    }
    package var undecided: [String] { paths.filter { decisions[$0] == nil } }

    /// A picture that differs from the one shown takes back the decisions it touches: nobody
    /// decides about a value that was not seen.
    package mutating func show(_ picture: ConflictPicture) {
        for field in picture.fields {
            if self.picture?.field(field.path)?.isSameQuestion(as: field) != true {
                decisions[field.path] = nil
            }
            if begun[field.path] == nil { begun[field.path] = field.draft }
        }
        self.picture = picture
        decisions = decisions.filter { picture.field($0.key) != nil }
        focus.settle(paths)
    }

    package mutating func decide(_ path: String, _ decision: Decision?) {
        decisions[path] = decision
    }
}

extension ConflictField {
    /// Whether what a person decided about the one holds for the other: only the draft may differ.
    fileprivate func isSameQuestion(as other: ConflictField) -> Bool {
        var other = other
        other.draft = draft
        return self == other
    }
}

extension ConflictPicture {
    package func field(_ path: String) -> ConflictField? { fields.first { $0.path == path } }
}

/// How one answer in conflict is settled.
package enum Decision: Equatable, Sendable {
    case mine
    case theirs
    case edited(FieldValue)
}

/// The keys that work here.
package struct HelpScreen: Equatable, Sendable {
    package var filter = LineEditor(limit: 100)
    package var focus = ListFocus<AppState.Entry.Subject>()
    /// The place that the help is about.
    package let place: Place

    package init(about place: Place) { self.place = place }
}

/// Commands by name.
package struct PaletteScreen: Equatable, Sendable {
    package var filter = LineEditor(limit: 100)
    package var focus = ListFocus<AppState.Entry.Subject>()
    /// Where a chosen command acts.
    package let place: Place

    package init(over place: Place) { self.place = place }
}

/// A question before something is destroyed. The default is to keep it: Enter, Esc and every other
/// key cancel. What was typed ahead is swallowed: the confirming key counts only after a pause, so
/// that no burst, scan or cat on the keyboard confirms anything.
package struct Confirmation: Equatable, Sendable {
    package enum Deed: Equatable, Sendable {
        case discardMutation(MutationID)
        case discardDraft(RecordID, AnswerKey)
        case deleteRow(RecordID, String)
        case removeFinding(RecordID, finding: RecordID)
        /// An answer that counts rows, with which rows with answers go.
        case removeRows(RecordID, AnswerKey, FieldValue, text: String?)
    }

    package enum Way: Equatable, Sendable {
        /// This key, which is neither Enter nor the key that asked.
        case key(Unicode.Scalar)
        /// This text, typed; for what holds many answers.
        case word(String)
    }

    package let deed: Deed
    package let title: String
    package let consequence: String
    package let way: Way
    package var line = LineEditor(limit: 200)
    /// Uptime until which keys are swallowed.
    package var quietUntil: Int64

    /// Nothing may be pressed for this long before the confirming key (ms).
    package static let quiet: Int64 = 400

    package init(deed: Deed, title: String, consequence: String, way: Way, now: Moment) {
        self.deed = deed
        self.title = title
        self.consequence = consequence
        self.way = way
        quietUntil = now.uptime + Self.quiet
    }
}
