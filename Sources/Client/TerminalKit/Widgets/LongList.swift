/// A list whose items all have one row, as long as it may be: only what is in view is looked at.
extension Canvas {
    /// Draws the part that is in view, puts the cursor on the focused item and marks in the last column
    /// that there is more above or below.
    package mutating func longList<ID: Hashable & Sendable>(
        _ ids: [ID], focused: ID?, in rect: Rect, anchor: inout LongListAnchor,
        draw: (inout Canvas, ID, Rect) -> Void
    ) {
        guard !rect.isEmpty else { return }
        let index = focused.flatMap { focused in ids.firstIndex { $0 == focused } }
        let top = anchor.settle(on: index, of: ids.count, rows: rect.rows)
        let shown = ids[top..<min(ids.count, top + rect.rows)]
        clipped(to: rect) { canvas in
            for (offset, id) in shown.enumerated() {
                let row = rect.row + offset
                if top + offset == index {
                    canvas.cursor = Position(column: rect.column, row: row)
                }
                let place = Rect(
                    column: rect.column, row: row, columns: rect.columns, rows: 1)
                canvas.offerTap(on: TapTarget(id), in: place)
                draw(&canvas, id, place)
            }
        }
        let glyphs = Glyphs.of(tier)
        if top > 0 { text(glyphs.up, column: rect.endColumn - 1, row: rect.row) }
        if top + rect.rows < ids.count {
            text(glyphs.down, column: rect.endColumn - 1, row: rect.endRow - 1)
        }
    }
}

/// Where a long list stood in the last frame: it moves no further than its focus needs.
package struct LongListAnchor: Hashable, Sendable {
    private var top = 0

    package init() {}

    /// The first item to show, with the focused one in view.
    package mutating func settle(on focused: Int?, of count: Int, rows: Int) -> Int {
        top = min(top, max(0, count - rows))
        if let focused {
            top = min(top, focused)
            top = max(top, focused - rows + 1)
        }
        return top
    }
}
