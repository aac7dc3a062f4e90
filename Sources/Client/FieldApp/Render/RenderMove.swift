import Inspections
import Phrases
import TerminalKit

extension Frame {
    /// What a move would do, a line each; what somebody has to do then is marked.
    mutating func drawMove(_ screen: MoveScreen, in space: Rect) {
        var rest = space
        let heading = TextFlow.wrapped(
            say("Move from version \(screen.from) to version \(screen.to)? No answer is lost."),
            to: max(1, space.columns - 2))
        let title = rest.cutTop(heading.count)
        canvas.lines(
            heading,
            in: Rect(
                column: title.column + 1, row: title.row, columns: title.columns - 2,
                rows: heading.count), style: theme.title)
        let items = screen.lines.indices.map { index in
            item(screen.lines[index], index, isFocused: index == screen.focus.focused, rest.columns)
        }
        canvas.list(items, focused: screen.focus.focused, in: rest, anchor: &scroll.move)
    }

    private func item(
        _ line: MoveWords.Line, _ index: Int, isFocused: Bool, _ width: Int
    ) -> ListItem<Int> {
        let isTask = line.kind == .task
        let lines = TextFlow.wrapped((isTask ? "! " : "") + line.text, to: max(1, width - 4))
        let style = isTask ? theme.warning : theme.body
        let marker = marker(isFocused)
        return ListItem(index, rows: lines.count) { canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            canvas.lines(
                lines,
                in: Rect(
                    column: rect.column + 2, row: rect.row, columns: rect.columns - 3,
                    rows: rect.rows), style: style)
        }
    }
}
