/// A picture of the screen: cells in rows, the marks of their clusters and the cursor. Drawing is
/// clipped to `clip`, so a screen never has to know how small the terminal is.
package struct Canvas: Equatable, Sendable {
    package let size: Size
    package let tier: Tier
    package private(set) var cells: [Cell]
    package private(set) var marks: [[Unicode.Scalar]] = []
    package private(set) var clip: Rect
    /// Where the terminal's own cursor stands: on the focused item, always (screen readers, input
    /// methods and braille lines follow it).
    package var cursor = Position(column: 0, row: 0)
    /// Whether the cursor is drawn: in text fields; on lists it is placed but not shown.
    package var cursorVisible = false
    /// What can be tapped and where, in the order in which it was drawn.
    package private(set) var taps: [TapArea] = []

    package init(size: Size, tier: Tier = .utf8, style: Style = .plain) {
        self.size = size
        self.tier = tier
        self.cells = Array(repeating: .blank(style), count: size.columns * size.rows)
        self.clip = Rect(size)
    }

    package subscript(column column: Int, row row: Int) -> Cell {
        cells[row * size.columns + column]
    }

    /// The cells of a row, first column first.
    package func row(_ row: Int) -> ArraySlice<Cell> {
        cells[row * size.columns..<(row + 1) * size.columns]
    }

    package func marks(of cell: Cell) -> [Unicode.Scalar] {
        cell.marks == 0 ? [] : marks[Int(cell.marks) - 1]
    }

    /// Draws with the clip narrowed to `rect`.
    package mutating func clipped(to rect: Rect, _ draw: (inout Canvas) -> Void) {
        let outer = clip
        clip = outer.intersection(rect)
        draw(&self)
        clip = outer
    }

    /// From here on a tap in `rect`, as far as it is inside of the clip, means `target`.
    package mutating func offerTap(on target: TapTarget, in rect: Rect) {
        let seen = clip.intersection(rect)
        if !seen.isEmpty { taps.append(TapArea(target: target, rect: seen)) }
    }

    /// What was drawn so far is covered, or not what keys go to.
    package mutating func withdrawTaps() { taps = [] }

    package mutating func fill(_ rect: Rect, _ style: Style) {
        let part = clip.intersection(rect)
        guard !part.isEmpty else { return }
        for row in part.row..<part.endRow {
            for column in part.column..<part.endColumn {
                set(.blank(style), column: column, row: row)
            }
        }
    }

    /// Gives the cells of `rect` another style and leaves their text: a focused row.
    package mutating func restyle(_ rect: Rect, _ change: (Style) -> Style) {
        let part = clip.intersection(rect)
        guard !part.isEmpty else { return }
        for row in part.row..<part.endRow {
            for column in part.column..<part.endColumn {
                let index = row * size.columns + column
                cells[index].style = change(cells[index].style)
            }
        }
    }

    /// Puts one group at a place inside the clip; a wide one that would be cut is a blank.
    mutating func put(_ group: CellGroup, column: Int, row: Int, style: Style) {
        guard row >= clip.row, row < clip.endRow else { return }
        guard column >= clip.column, column < clip.endColumn else {
            // The right half of a wide character whose left half is clipped away.
            if group.width == 2, column == clip.column - 1, column + 1 < clip.endColumn {
                set(.blank(style), column: column + 1, row: row)
            }
            return
        }
        guard column + group.width <= clip.endColumn else {
            set(.blank(style), column: column, row: row)
            return
        }
        set(
            Cell(
                group.base, style: style, width: UInt8(group.width), marks: index(of: group.marks)),
            column: column, row: row)
        if group.width == 2 { set(.continuation(style), column: column + 1, row: row) }
    }

    private mutating func index(of list: [Unicode.Scalar]) -> UInt16 {
        guard !list.isEmpty, marks.count < Int(UInt16.max) else { return 0 }
        if let known = marks.firstIndex(of: list) { return UInt16(known + 1) }
        marks.append(list)
        return UInt16(marks.count)
    }

    /// Writes a cell and blanks the other half of a wide character that it cuts in two.
    private mutating func set(_ cell: Cell, column: Int, row: Int) {
        let index = row * size.columns + column
        let old = cells[index]
        if old.isContinuation, !cell.isContinuation, column > 0 {
            cells[index - 1] = .blank(cells[index - 1].style)
        }
        if old.width == 2, column + 1 < size.columns {
            cells[index + 1] = .blank(cells[index + 1].style)
        }
        cells[index] = cell
    }
}
