import Inspections
package import Replication
package import TerminalKit

/// The inspections of this device: grouped by site, sorted by due day, filtered as one types.
package struct Worklist: Equatable, Sendable {
    package private(set) var rows: [WorklistRow] = []
    /// Those that the filter lets through, in the order in which they are shown.
    package private(set) var shown: [WorklistRow] = []
    package var focus = ListFocus<RecordID>()
    /// The text of the filter; empty lets everything through.
    package private(set) var filter = LineEditor(limit: 200)
    /// Whether keys go into the filter.
    package var isFiltering = false
    package var isLoaded = false

    package init() {}

    package mutating func replace(_ rows: [WorklistRow]) {
        self.rows = rows.sorted(by: Self.precedes)
        isLoaded = true
        sift()
    }

    package mutating func editFilter(_ change: (inout LineEditor) -> Void) {
        change(&filter)
        sift()
    }

    package var ids: [RecordID] { shown.map(\.id) }
    package var focused: WorklistRow? { shown.first { $0.id == focus.focused } }

    private mutating func sift() {
        let words = filter.text.lowercased().split(separator: " ")
        shown = rows.filter { row in words.allSatisfy(row.searchText.contains) }
        focus.settle(ids)
    }

    /// By site, then what is due first (undated last), then by name; the id makes the order total.
    private static func precedes(_ left: WorklistRow, _ right: WorklistRow) -> Bool {
        let undated = "9999-99-99"
        return (left.site, left.due ?? undated, left.name, left.id.rawValue)
            < (right.site, right.due ?? undated, right.name, right.id.rawValue)
    }
}

extension WorklistRow {
    fileprivate var searchText: String {
        [name, recordName, site, form, due ?? "", state.label, badge.label].joined(separator: "\n")
            .lowercased()
    }
}
