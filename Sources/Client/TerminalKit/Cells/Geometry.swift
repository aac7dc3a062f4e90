/// A place on the screen, in cells from the top left corner.
package struct Position: Hashable, Sendable {
    package var column: Int
    package var row: Int

    package init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}

/// An extent in cells. Never negative: a terminal that says 0×0 or less is the caller's to correct.
package struct Size: Hashable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}

/// A part of the screen. The cuts never leave the rectangle, whatever they are asked for, so that a
/// screen of any size down to 1×1 can be laid out without arithmetic that underflows.
package struct Rect: Hashable, Sendable {
    package var column: Int
    package var row: Int
    package var columns: Int
    package var rows: Int

    package init(column: Int, row: Int, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }

    package init(_ size: Size) {
        self.init(column: 0, row: 0, columns: size.columns, rows: size.rows)
    }

    package var endColumn: Int { column + columns }
    package var endRow: Int { row + rows }
    package var isEmpty: Bool { columns == 0 || rows == 0 }
    package var size: Size { Size(columns: columns, rows: rows) }

    package func contains(_ position: Position) -> Bool {
        position.column >= column && position.column < endColumn
            && position.row >= row && position.row < endRow
    }

    package func intersection(_ other: Rect) -> Rect {
        let left = max(column, other.column)
        let top = max(row, other.row)
        return Rect(
            column: left, row: top,
            columns: min(endColumn, other.endColumn) - left,
            rows: min(endRow, other.endRow) - top)
    }

    /// Takes up to `count` rows from the top and returns them.
    package mutating func cutTop(_ count: Int) -> Rect {
        let taken = min(max(0, count), rows)
        let cut = Rect(column: column, row: row, columns: columns, rows: taken)
        row += taken
        rows -= taken
        return cut
    }

    /// Takes up to `count` rows from the bottom and returns them.
    package mutating func cutBottom(_ count: Int) -> Rect {
        let taken = min(max(0, count), rows)
        rows -= taken
        return Rect(column: column, row: row + rows, columns: columns, rows: taken)
    }

    /// Takes up to `count` columns from the left and returns them.
    package mutating func cutLeft(_ count: Int) -> Rect {
        let taken = min(max(0, count), columns)
        let cut = Rect(column: column, row: row, columns: taken, rows: rows)
        column += taken
        columns -= taken
        return cut
    }

    /// Takes up to `count` columns from the right and returns them.
    package mutating func cutRight(_ count: Int) -> Rect {
        let taken = min(max(0, count), columns)
        columns -= taken
        return Rect(column: column + columns, row: row, columns: taken, rows: rows)
    }

    package func inset(columns horizontal: Int, rows vertical: Int) -> Rect {
        var inner = self
        _ = inner.cutLeft(horizontal)
        _ = inner.cutRight(horizontal)
        _ = inner.cutTop(vertical)
        _ = inner.cutBottom(vertical)
        return inner
    }

    /// A rectangle of at most this size in the middle of the receiver.
    package func centred(_ wanted: Size) -> Rect {
        let width = min(columns, wanted.columns)
        let height = min(rows, wanted.rows)
        return Rect(
            column: column + (columns - width) / 2, row: row + (rows - height) / 2,
            columns: width, rows: height)
    }
}
