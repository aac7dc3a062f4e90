/// A canvas as text, for golden files and tests: what stands in it, where the cursor is, and which
/// cells have a style.
package enum TextFrame {
    /// The rows without trailing blanks, as a person reads them.
    package static func text(_ canvas: Canvas) -> String {
        (0..<canvas.size.rows).map { line(canvas, $0) + "\n" }.joined()
    }

    package static func line(_ canvas: Canvas, _ row: Int) -> String {
        var line = String.UnicodeScalarView()
        for cell in canvas.row(row) where !cell.isContinuation {
            line.append(cell.scalar)
            line.append(contentsOf: canvas.marks(of: cell))
        }
        while line.last == " " { line.removeLast() }
        return String(line)
    }

    /// Everything that a golden file holds.
    package static func golden(_ canvas: Canvas) -> String {
        let shown = canvas.cursorVisible ? "shown" : "hidden"
        var parts = [
            "\(canvas.size.columns)x\(canvas.size.rows) \(canvas.tier.rawValue)",
            "cursor column \(canvas.cursor.column) row \(canvas.cursor.row) \(shown)",
            "",
            text(canvas),
        ]
        for row in 0..<canvas.size.rows {
            let runs = styleRuns(canvas, row)
            if !runs.isEmpty { parts.append("\(row): \(runs.joined(separator: ", "))") }
        }
        return parts.joined(separator: "\n") + "\n"
    }

    /// `12-20 red bold` for each run of cells that is not plain.
    private static func styleRuns(_ canvas: Canvas, _ row: Int) -> [String] {
        let cells = Array(canvas.row(row))
        var runs: [String] = []
        var start = 0
        while start < cells.count {
            let style = cells[start].style
            var end = start
            while end + 1 < cells.count, cells[end + 1].style == style { end += 1 }
            if style != .plain { runs.append("\(start)-\(end) \(style.words)") }
            start = end + 1
        }
        return runs
    }
}

extension Style {
    /// The style in words: `red on white bold`.
    package var words: String {
        var words: [String] = []
        if let foreground { words.append("\(foreground)") }
        if let background { words.append("on \(background)") }
        let names: [(Attributes, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.underline, "underline"), (.reverse, "reverse"),
        ]
        for (attribute, name) in names where attributes.contains(attribute) { words.append(name) }
        return words.joined(separator: " ")
    }
}
