/// Fields that records have of themselves. They begin with `@`, so that no question collides.
package enum BuiltInField {
    // Inspections.
    package static let state = "@state"
    package static let form = "@form"
    package static let formVersion = "@formVersion"
    package static let asset = "@asset"
    package static let assignee = "@assignee"
    package static let due = "@due"
    /// What the supervisor says when an inspection is returned.
    package static let comment = "@comment"
    /// Also the name of a site and of an asset.
    package static let title = "@title"

    // Assets.
    package static let tag = "@tag"
    package static let model = "@model"
    package static let serial = "@serial"

    // Rows of repeats, which have form and version too.
    /// The repeat's path; as it began.
    package static let repetition = "@repeat"
    /// A number by which the rows of one repeat are ordered; equal ones go by their ids.
    package static let order = "@order"

    // Findings, which have `due` too.
    /// The path of the question whose answer raised it; as it began.
    package static let question = "@question"
    /// The row that the question stands in; as it began.
    package static let row = "@row"
    package static let severity = "@severity"
    package static let owner = "@owner"
    package static let status = "@status"
    package static let note = "@note"
    /// Whether the last visit had found the same.
    package static let repeated = "@repeated"
    /// An answer by failing, or a person by hand.
    package static let raisedBy = "@raisedBy"

    /// Those that this version knows; a newer peer may have others.
    package static let all: Set<String> = [
        state, form, formVersion, asset, assignee, due, comment, title, tag, model, serial,
        repetition, order, question, row, severity, owner, status, note, repeated,
        raisedBy,
    ]

    package static func isBuiltIn(_ field: String) -> Bool { field.utf8.first == UInt8(ascii: "@") }

    /// How concurrent changes of a built-in field merge, in the words of Replication's
    /// `MergePolicy`. The state goes by rank, so that a late *in progress* never takes back an
    /// approval; so do severity and status of a finding, the graver and the further one standing. What
    /// somebody wrote of it is asked about; the rest is office data, where the later one stands.
    package static func mergePolicy(of field: String) -> String {
        switch field {
        case state: rank(InspectionState.ranked.map(\.rawValue))
        case severity: rank(Finding.Severity.allCases.reversed().map(\.rawValue))
        case status: rank(Finding.Status.allCases.reversed().map(\.rawValue))
        case note: "ask"
        default: "lww"
        }
    }

    private static func rank(_ words: [String]) -> String {
        "rank:" + words.joined(separator: ",")
    }
}
