import Inspections
package import Replication
package import TerminalKit

/// The inspections of this device: grouped and sorted as the person chose, filtered as one types.
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

    package private(set) var order: WorklistOrder

    package init(in order: WorklistOrder = .site) { self.order = order }

    /// The next of the orders; the focus stays on its inspection.
    package mutating func reorder() {
        order = order.next
        rows.sort(by: order.precedes)
        sift()
    }

    package mutating func replace(_ rows: [WorklistRow]) {
        self.rows = rows.sorted(by: order.precedes)
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
}

extension WorklistRow {
    fileprivate var searchText: String {
        [name, recordName, site, form, due ?? "", state.label, badge.label].joined(separator: "\n")
            .lowercased()
    }
}
