/// Which item of a list is focused and how far it is scrolled. Both hang on the item's id, so that
/// rows which come, go or move under it (a sync, a filter, a resize) never move the focus to
/// another item or let it jump on the screen.
package struct ListFocus<ID: Hashable & Sendable>: Hashable, Sendable {
    package private(set) var focused: ID?
    /// The index of `focused` when the list was last settled: where the focus goes if its item left.
    private var index = 0
    /// The first row of the content that is shown.
    package private(set) var top = 0

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

    /// The first row to show of a list whose items have these heights, so that the focused item
    /// (and, at a list's head, what stands above it) is seen and the view moves as little as possible.
    package func scrolled(ids: [ID], heights: [Int], rows: Int) -> Int {
        ListFocus.top(
            from: top, focused: ids.firstIndex { $0 == focused } ?? 0, heights: heights, rows: rows)
    }

    /// Keeps what `scrolled` found, so that the next frame starts from it.
    package mutating func keep(top: Int) { self.top = max(0, top) }

    static func top(from old: Int, focused: Int, heights: [Int], rows: Int) -> Int {
        guard rows > 0, !heights.isEmpty else { return 0 }
        let total = heights.reduce(0, +)
        let start = heights.prefix(focused).reduce(0, +)
        let end = start + min(heights[focused], rows)
        var top = min(old, max(0, total - rows))
        if end > top + rows { top = end - rows }
        if start < top { top = start }
        return max(0, top)
    }
}
