package import Coding
package import Forms
package import Inspections
package import Replication

// What the store shows, as values: the screen keeps pictures and asks for new ones, it never holds
// the store itself.

/// A row of the worklist.
package struct WorklistRow: Equatable, Sendable, Identifiable {
    package var id: RecordID
    /// The asset's tag, or the record's own name; never blank.
    package var name: String
    /// What the form calls the record, to be found by.
    package var recordName: String
    package var site: String
    package var form: String
    package var formID: String
    /// YYYY-MM-DD.
    package var due: String?
    package var state: InspectionState
    package var badge: Badge
    package var answered: Int
    package var total: Int
    /// Something was typed in it and not accepted.
    package var hasDraft: Bool

    package init(
        id: RecordID, name: String, recordName: String = "", site: String, form: String,
        due: String?, state: InspectionState, badge: Badge, answered: Int, total: Int,
        hasDraft: Bool = false, formID: String = ""
    ) {
        self.id = id
        self.name = name
        self.recordName = recordName
        self.site = site
        self.form = form
        self.due = due
        self.state = state
        self.badge = badge
        self.answered = answered
        self.total = total
        self.hasDraft = hasDraft
        self.formID = formID
    }
}

/// One inspection as it is stored on this device.
package struct InspectionPicture: Equatable, Sendable {
    package var id: RecordID
    package var name: String
    package var site: String
    package var form: FormDefinition
    package var state: InspectionState
    package var due: String?
    /// Of the inspection itself and of its rows.
    package var answers: [AnswerKey: AnswerPicture]
    /// The rows of repeats, in order; their answers stand in `answers`.
    package var rows: [RowPicture]
    /// What was typed and not accepted.
    package var drafts: [AnswerKey: String]
    /// When the newest of them was typed, in milliseconds since 1970.
    package var lastTyped: Int64?
    /// In the order of the form; those of deleted rows are not here.
    package var findings: [FindingPicture] = []
    /// The records with an answer in a conflict review: the inspection, rows or findings.
    package var conflicts: [RecordID]
    /// Why nothing of it can be changed; nil where the state alone decides.
    package var whyReadOnly: String?
    /// The last visit to the same equipment.
    package var visit: Visit?
    /// A newer version of the form that is here, to which the inspection could move.
    package var newerVersion: String?
    /// What the form finds of the inspection that was saved last; nil where it asks for none.
    package var lastSaved: FormAnswers?

    package init(
        id: RecordID, name: String, site: String, form: FormDefinition, state: InspectionState,
        due: String? = nil, answers: [AnswerKey: AnswerPicture] = [:], rows: [RowPicture] = [],
        drafts: [AnswerKey: String] = [:], conflicts: [RecordID] = [], whyReadOnly: String? = nil
    ) {
        self.id = id
        self.name = name
        self.site = site
        self.form = form
        self.state = state
        self.due = due
        self.answers = answers
        self.rows = rows
        self.drafts = drafts
        self.conflicts = conflicts
        self.whyReadOnly = whyReadOnly
    }

    /// The answers without how far each has come.
    package var stored: FormAnswers {
        var values: [String?: [String: FieldValue]] = [:]
        for (key, answer) in answers where !answer.value.isNull {
            values[key.row, default: [:]][key.path] = answer.value
        }
        return FormAnswers(
            values[nil] ?? [:],
            rows: rows.map { row in
                FormAnswers.Row(
                    id: row.id, parent: row.parent, path: row.path, fields: values[row.id] ?? [:])
            })
    }
}

/// One row of a repeat.
package struct RowPicture: Equatable, Sendable {
    /// The id of its record.
    package var id: String
    /// The row that it stands in; nil for one of the inspection itself.
    package var parent: String?
    /// The repeat's path.
    package var path: String

    package init(id: String, parent: String? = nil, path: String) {
        self.id = id
        self.parent = parent
        self.path = path
    }
}

package struct AnswerPicture: Equatable, Sendable {
    package var value: FieldValue
    package var standing: Standing

    package init(value: FieldValue, standing: Standing) {
        self.value = value
        self.standing = standing
    }
}

/// What has still to go, and how the last synchronisation went.
package struct StatusPicture: Equatable, Sendable {
    package var pending = 0
    package var inFlight = 0
    package var failed = 0
    package var conflict = 0
    package var inReview = 0
    /// Milliseconds since 1970, UTC; nil for never.
    package var lastSync: Int64?
    package var oldestUnsynced: Int64?
    package var device = ""
    /// Whether this device and the server agree on what is confirmed; nil where nobody compared.
    package var digestsAgree: Bool?
    /// More waits than `rows` has: nobody scrolls through thousands.
    package var isListCut = false
    /// Nothing goes by itself, because the connection is paid by the byte.
    package var isMetered = false
    /// Nothing goes by itself, because it was switched off.
    package var isBackgroundOff = false
    /// Changes that stand in the journal alone, until a person decides with 'walkdown doctor'.
    package var offered = 0
    /// Changes that were saved and are nowhere any more, until a person says that he knows it.
    package var missing = 0
    package var rows: [QueueRow] = []

    package init() {}

    /// Whether anything is not at the server yet.
    package var unsynced: Int { pending + inFlight + failed + conflict + inReview }
}

/// A mutation that waits, for the server or for a person.
package struct QueueRow: Equatable, Sendable, Identifiable {
    package var id: MutationID
    package var record: RecordID
    /// The name of the record that it changes; of a row that of its inspection.
    package var name: String
    /// Which row of a repeat it changes, as `pump[2]`.
    package var place: String?
    package var badge: Badge
    package var isInFlight: Bool
    /// Whether it creates its record: to discard it is to discard the record.
    package var createsRecord: Bool
    package var isInspection: Bool
    /// The inspection that a row of a repeat belongs to.
    package var inspection: RecordID?
    /// Whether a bundle may bring back what is discarded here.
    package var isInBundle = false
    /// Where this is no change, but a text that was typed where nothing shows the question any more.
    package var stranded: StrandedText?
    /// Why it failed or waits, in the server's words.
    package var reason: String?
    /// The answers that it changes: paths, and what they are called on the screen.
    package var fields: [String]
    package var labels: [FormText]
    package var createdAt: Int64?
    package var tries: Int
    package var nextTry: Int64?

    package init(
        id: MutationID, record: RecordID, name: String, badge: Badge, isInFlight: Bool = false,
        createsRecord: Bool = false, isInspection: Bool = true, reason: String? = nil,
        fields: [String] = [], labels: [FormText] = [], createdAt: Int64? = nil, tries: Int = 0,
        nextTry: Int64? = nil
    ) {
        self.id = id
        self.record = record
        self.name = name
        self.badge = badge
        self.isInFlight = isInFlight
        self.createsRecord = createsRecord
        self.isInspection = isInspection
        self.reason = reason
        self.fields = fields
        self.labels = labels
        self.createdAt = createdAt
        self.tries = tries
        self.nextTry = nextTry
    }
}

/// A text that was typed and not accepted, and whose question nothing shows any more.
package struct StrandedText: Equatable, Sendable {
    package var record: RecordID
    package var field: String
    package var text: String
    /// Whether the inspection moved to a version that does not ask it; else what it was typed in was
    /// deleted.
    package var isOnlyNotAsked = false
    /// Where it would be typed again, where such a place is left: what a finding was about.
    package var question: AnswerKey?

    package init(
        record: RecordID, field: String, text: String, question: AnswerKey? = nil
    ) {
        self.record = record
        self.field = field
        self.text = text
        self.question = question
    }
}

/// Answers that two people changed, for one inspection or one row.
package struct ConflictPicture: Equatable, Sendable {
    package var id: RecordID
    /// The inspection's, with the place of a row, as `RT-1, pump[2]`.
    package var name: String
    package var fields: [ConflictField]
    /// Whether a bundle may bring back what is given up here.
    package var isInBundle = false

    package init(id: RecordID, name: String, fields: [ConflictField]) {
        self.id = id
        self.name = name
        self.fields = fields
    }
}

package struct ConflictField: Equatable, Sendable, Identifiable {
    package var path: String
    /// How to read and check an edited value; nil for a built-in field that is only chosen.
    package var question: Question?
    package var base: FieldValue
    package var mine: FieldValue
    package var theirs: FieldValue
    package var theirsBy: String?
    package var rule: String
    /// A third value that was begun and not decided for.
    package var draft: String?

    package init(
        path: String, question: Question?, base: FieldValue, mine: FieldValue,
        theirs: FieldValue, theirsBy: String? = nil, rule: String = "ask", draft: String? = nil
    ) {
        self.path = path
        self.question = question
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.theirsBy = theirsBy
        self.rule = rule
        self.draft = draft
    }

    package var id: String { path }
    package func label(in language: String?) -> String {
        question?.text.plain(in: language) ?? (isRecord ? "All of it" : path)
    }

    /// Whether the record itself is meant: nobody has changed an answer of it here, but work below it
    /// waits for whether it comes back.
    package var isRecord: Bool { path == "@deleted" }
}
