extension Canvas {
    /// Draws one line of text from a place and returns the columns that it took. At most `limit`
    /// columns; text that does not fit ends with the tier's ellipsis. Controls are not drawn.
    @discardableResult
    package mutating func text(
        _ text: String, column: Int, row: Int, limit: Int = .max, style: Style = .plain
    ) -> Int {
        let shown = limit == .max ? text : TextFlow.truncated(text, to: limit, tier: tier)
        var at = column
        for character in shown {
            for group in groups(of: character) {
                put(group, column: at, row: row, style: style)
                at += group.width
            }
            if at >= clip.endColumn { break }
        }
        return at - column
    }

    /// Draws text that ends before `end`.
    package mutating func textEnding(
        _ text: String, before end: Int, row: Int, limit: Int = .max, style: Style = .plain
    ) {
        let shown = limit == .max ? text : TextFlow.truncated(text, to: limit, tier: tier)
        self.text(shown, column: end - CellWidth.of(shown), row: row, style: style)
    }

    /// Draws lines of text from the top of `rect`, as many as fit.
    package mutating func lines(_ lines: [String], in rect: Rect, style: Style = .plain) {
        for (offset, line) in lines.prefix(rect.rows).enumerated() {
            text(
                line, column: rect.column, row: rect.row + offset, limit: rect.columns, style: style
            )
        }
    }

    package mutating func horizontalLine(_ rect: Rect, style: Style = .plain) {
        let line = String(repeating: Glyphs.of(tier).horizontal, count: rect.columns)
        text(line, column: rect.column, row: rect.row, style: style)
    }

    package mutating func verticalLine(_ rect: Rect, style: Style = .plain) {
        for row in rect.row..<rect.endRow {
            text(Glyphs.of(tier).vertical, column: rect.column, row: row, style: style)
        }
    }

    /// Draws a frame with a title in its upper edge and returns the space inside.
    package mutating func box(_ rect: Rect, title: String = "", style: Style = .plain) -> Rect {
        guard rect.columns >= 2, rect.rows >= 2 else { return rect }
        let glyphs = Glyphs.of(tier)
        let middle = String(repeating: glyphs.horizontal, count: rect.columns - 2)
        text(
            glyphs.topLeft + middle + glyphs.topRight, column: rect.column, row: rect.row,
            style: style)
        for row in rect.row + 1..<rect.endRow - 1 {
            text(glyphs.vertical, column: rect.column, row: row, style: style)
            text(glyphs.vertical, column: rect.endColumn - 1, row: row, style: style)
        }
        text(
            glyphs.bottomLeft + middle + glyphs.bottomRight, column: rect.column,
            row: rect.endRow - 1, style: style)
        if !title.isEmpty, rect.columns > 6 {
            text(
                " \(title) ", column: rect.column + 2, row: rect.row, limit: rect.columns - 4,
                style: style.adding(.bold))
        }
        return rect.inset(columns: 1, rows: 1)
    }

    /// In the ASCII tier a letter loses its accent, and any other character outside ASCII becomes question marks
    /// of its own width.
    private func groups(of character: Character) -> [CellGroup] {
        let groups = CellGroup.groups(of: character)
        guard tier == .ascii else { return groups }
        return groups.flatMap { group -> [CellGroup] in
            let plain = group.base.isASCII ? group.base : PlainLetters.standIn(for: group.base)
            if let plain { return [CellGroup(base: plain, marks: [], width: 1)] }
            return Array(
                repeating: CellGroup(base: "?", marks: [], width: 1), count: group.width)
        }
    }
}
