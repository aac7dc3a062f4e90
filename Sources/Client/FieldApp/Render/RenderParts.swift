import TerminalKit

/// What several screens draw alike.
extension Frame {
    var time: TimeText { TimeText(moment: state.now) }

    func symbol(_ badge: Badge) -> String {
        look.tier == .utf8 ? badge.symbol : badge.asciiSymbol
    }

    /// Cells that every badge fits into.
    var badgeColumns: Int { look.tier == .utf8 ? 1 : 3 }

    func style(of badge: Badge) -> Style {
        switch badge {
        case .synced: theme.good
        case .pending: theme.pending
        case .failed: theme.error
        case .conflict: theme.warning
        case .inReview: theme.accent
        }
    }

    /// The marker before the focused item, and its place kept before the others.
    func marker(_ isFocused: Bool) -> String { isFocused ? glyphs.marker : " " }

    /// How the row of the focused item looks: its own styles, turned around.
    static func highlight(_ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) {
        canvas.restyle(rect) { style in
            theme.focus.attributes.contains(.reverse) ? style.adding(.reverse) : theme.focus
        }
    }

    /// A sentence in the middle of an empty screen.
    mutating func drawEmpty(_ sentence: String, in rect: Rect) {
        let lines = TextFlow.wrapped(sentence, to: max(1, min(rect.columns - 2, 60)))
        let place = rect.centred(Size(columns: min(rect.columns - 2, 60), rows: lines.count))
        canvas.lines(lines, in: place, style: theme.body)
        canvas.cursor = Position(column: place.column, row: place.row)
    }

    /// A line to type in, with what it is for before it. The cursor goes into it.
    mutating func drawInput(_ line: LineEditor, label: String, in rect: Rect) {
        let width = canvas.text(
            label + " ", column: rect.column + 1, row: rect.row, style: theme.title)
        let field = Rect(
            column: rect.column + 1 + width, row: rect.row,
            columns: rect.columns - width - 2, rows: 1)
        drawField(line, in: field)
    }

    mutating func drawField(_ line: LineEditor, in rect: Rect) {
        guard !rect.isEmpty else { return }
        Frame.field(&canvas, line, in: rect, theme)
    }

    static func field(_ canvas: inout Canvas, _ line: LineEditor, in rect: Rect, _ theme: Theme) {
        let view = line.visible(in: rect.columns)
        canvas.fill(rect, theme.field)
        canvas.text(view.text, column: rect.column, row: rect.row, style: theme.field)
        canvas.cursor = Position(column: rect.column + view.caretColumn, row: rect.row)
        canvas.cursorVisible = true
    }

    static func longField(
        _ canvas: inout Canvas, _ lines: [String], caret: Position, in rect: Rect, _ theme: Theme
    ) {
        canvas.fill(rect, theme.field)
        canvas.lines(lines, in: rect, style: theme.field)
        canvas.cursor = Position(
            column: rect.column + caret.column, row: rect.row + caret.row)
        canvas.cursorVisible = true
    }

    /// The space for a box of this size over the screen, cleared and framed; the whole space where
    /// boxes do not fit.
    mutating func openBox(_ wanted: Size, title: String, in space: Rect) -> Rect {
        guard layout.boxesFit else {
            canvas.fill(space, theme.body)
            var rest = space
            let line = rest.cutTop(1)
            canvas.text(
                title, column: line.column + 1, row: line.row, limit: line.columns - 2,
                style: theme.title)
            return rest
        }
        let box = space.centred(Size(columns: wanted.columns + 4, rows: wanted.rows + 2))
        canvas.fill(box, theme.body)
        return canvas.box(box, title: title, style: theme.border).inset(columns: 1, rows: 0)
    }
}
