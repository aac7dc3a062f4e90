internal import Arguments
internal import Coding
internal import Inspections
internal import LocalStore
internal import Replication

enum ListCommand {
    static let entry = Entry(name: "list", summary: "The inspections on this device.") { run in
        let rows = try run.withStore(for: .reading) { try $0.inspections() }
        try run.emit(.array(rows.map(\.json))) { table(of: rows) }
        return .done
    }

    private static func table(of rows: [InspectionSummary]) -> String {
        var table = TextTable(["ID", "SYNC", "STATE", "ASSET", "FORM", "DUE", "DONE"])
        for row in rows {
            table.append([
                row.id.rawValue, row.sync.words, row.stateWords, row.asset ?? row.name, row.form,
                row.dueOn ?? "", "\(row.answered)/\(row.total)",
            ])
        }
        return table.text
    }
}

extension SyncBadge {
    /// As people read it.
    var words: String { self == .inReview ? "in review" : rawValue }
}

extension InspectionSummary {
    /// As people read it; a word that this version does not know stays what it is.
    var stateWords: String {
        isDeleted ? "deleted" : InspectionState(rawValue: state)?.label ?? state
    }

    /// The keys of a row of `list`.
    var json: JSON { .object(members) }

    var members: [String: JSON] {
        [
            "id": .string(id.rawValue), "form": .string(form), "formVersion": .string(formVersion),
            "asset": JSON(asset), "site": JSON(site), "state": .string(state),
            "dueOn": JSON(dueOn), "sync": .string(sync.rawValue),
            "answered": .integer(Int64(answered)), "total": .integer(Int64(total)),
            "version": .integer(version), "name": .string(name),
        ]
    }
}
