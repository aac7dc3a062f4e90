/// An item of a list, or with no id something between the items that takes no focus (a heading).
package struct ListItem<ID: Hashable & Sendable> {
    package var id: ID?
    package var rows: Int
    /// The row inside the item that must be seen while it is focused: where its caret stands.
    package var caretRow: Int
    package var draw: (inout Canvas, Rect) -> Void

    package init(
        _ id: ID?, rows: Int = 1, caretRow: Int = 0,
        draw: @escaping (inout Canvas, Rect) -> Void
    ) {
        self.id = id
        self.rows = max(1, rows)
        self.caretRow = min(max(0, caretRow), max(1, rows) - 1)
        self.draw = draw
    }
}

/// Where a list stood in the last frame, so that the next one moves it as little as possible: the
/// focused item keeps its row on the screen while others come and go above it.
package struct ScrollAnchor<ID: Hashable & Sendable>: Hashable, Sendable {
    private var focused: ID?
    /// The row of `focused` from the list's top edge.
    private var row = 0
    /// The first content row that was shown.
    private var top = 0

    package init() {}

    /// The first content row to show in `rows` rows, with the focused item in view and, where there
    /// is room, the heading before it.
    package mutating func settle(_ items: [ListItem<ID>], focused: ID?, rows: Int) -> Int {
        let index = items.firstIndex { $0.id != nil && $0.id == focused }
        let total = items.reduce(0) { $0 + $1.rows }
        var start = 0
        for item in items.prefix(index ?? 0) { start += item.rows }
        var wanted = focused != nil && focused == self.focused ? start - row : top
        wanted = min(wanted, max(0, total - rows))
        if let index {
            let height = min(items[index].rows, rows)
            wanted = max(wanted, start + height - rows)
            wanted = min(wanted, start - headingRows(items, before: index, room: rows - height))
            wanted = max(wanted, start + items[index].caretRow - rows + 1)
        }
        top = max(0, wanted)
        row = start - top
        self.focused = focused
        return top
    }

    private func headingRows(_ items: [ListItem<ID>], before index: Int, room: Int) -> Int {
        var rows = 0
        for item in items[..<index].reversed() {
            guard item.id == nil, rows + item.rows <= room else { break }
            rows += item.rows
        }
        return rows
    }
}

extension Canvas {
    /// Draws the part of a list that is in view, puts the cursor on the focused item and marks in
    /// the last column that there is more above or below.
    package mutating func list<ID>(
        _ items: [ListItem<ID>], focused: ID?, in rect: Rect, anchor: inout ScrollAnchor<ID>
    ) {
        guard !rect.isEmpty else { return }
        let top = anchor.settle(items, focused: focused, rows: rect.rows)
        var row = rect.row - top
        clipped(to: rect) { canvas in
            for item in items {
                defer { row += item.rows }
                guard row < rect.endRow, row + item.rows > rect.row else { continue }
                if item.id != nil, item.id == focused {
                    canvas.cursor = Position(column: rect.column, row: max(row, rect.row))
                }
                item.draw(
                    &canvas,
                    Rect(column: rect.column, row: row, columns: rect.columns, rows: item.rows))
            }
        }
        let glyphs = Glyphs.of(tier)
        if top > 0 { text(glyphs.up, column: rect.endColumn - 1, row: rect.row) }
        if row > rect.endRow {
            text(glyphs.down, column: rect.endColumn - 1, row: rect.endRow - 1)
        }
    }
}
