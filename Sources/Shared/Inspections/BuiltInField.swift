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

    /// Those that this version knows; a newer peer may have others.
    package static let all: Set<String> = [
        state, form, formVersion, asset, assignee, due, comment, title, tag, model, serial,
    ]

    package static func isBuiltIn(_ field: String) -> Bool { field.utf8.first == UInt8(ascii: "@") }

    /// How concurrent changes of a built-in field merge, in the words of Replication's
    /// `MergePolicy`. The state goes by rank, so that a late *in progress* never takes back an
    /// approval; the rest is office data, where the later one stands.
    package static func mergePolicy(of field: String) -> String {
        guard field == state else { return "lww" }
        return "rank:" + InspectionState.ranked.map(\.rawValue).joined(separator: ",")
    }
}
