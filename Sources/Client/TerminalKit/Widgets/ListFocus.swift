/// Which item of a list is focused. It hangs on the item's id, so that rows which come, go or move
/// under it (a sync, a filter) never move the focus to another item. `ScrollAnchor` does the same
/// for its place on the screen.
package struct ListFocus<ID: Hashable & Sendable>: Hashable, Sendable {
    package private(set) var focused: ID?
    /// The index of `focused` when the list was last settled: where the focus goes if its item left.
    private var index = 0

    package init(_ focused: ID? = nil) { self.focused = focused }

    package mutating func focus(_ id: ID) { focused = id }

    /// Brings the focus into the list: its item, or the one that took its place, or none.
    package mutating func settle(_ ids: [ID]) {
        if let focused, let found = ids.firstIndex(of: focused) {
            index = found
        } else if ids.isEmpty {
            focused = nil
            index = 0
        } else {
            index = min(index, ids.count - 1)
            focused = ids[index]
        }
    }

    /// Moves by items and stops at the ends.
    package mutating func move(by distance: Int, in ids: [ID]) {
        settle(ids)
        guard !ids.isEmpty else { return }
        index = min(max(0, index + distance), ids.count - 1)
        focused = ids[index]
    }

    package mutating func moveToFirst(in ids: [ID]) { move(by: -ids.count, in: ids) }
    package mutating func moveToLast(in ids: [ID]) { move(by: ids.count, in: ids) }
}
