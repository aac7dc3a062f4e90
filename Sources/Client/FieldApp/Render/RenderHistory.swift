import Forms
import Inspections
import Phrases
import TerminalKit

/// The history of an asset: a chart where the answers are numbers, and what each visit found below it.
extension Frame {
    mutating func drawHistory(_ screen: HistoryScreen, in space: Rect) {
        guard screen.visits != nil, let inspection,
            let question = inspection.question(at: screen.key)
        else {
            drawEmpty(say("The earlier visits are being read"), in: space)
            return
        }
        let readings = state.readings(of: screen)
        var rest = space
        let line = rest.cutTop(1)
        let unit = question.unit.map { " (\($0))" } ?? ""
        canvas.text(
            inspection.label(of: screen.key) + unit, column: line.column + 1, row: line.row,
            limit: line.columns - 2, style: theme.title)
        guard !readings.isEmpty else {
            drawEmpty(say("No earlier visit has an answer to a question here"), in: rest)
            return
        }
        drawChart(readings, question, in: &rest)
        let items = readings.indices.map { index in
            item(
                readings[index], index, isFocused: index == screen.focus.focused,
                shown: inspection.filling?.shown(readings[index].value, at: screen.key) ?? "")
        }
        canvas.list(items, focused: screen.focus.focused, in: rest, anchor: &scroll.history)
    }

    /// Where there is room for it beside a few lines of the list. From the oldest to the newest.
    private mutating func drawChart(
        _ readings: [VisitReading], _ question: Question, in rest: inout Rect
    ) {
        let rows = min(8, rest.rows - 6)
        guard question.type.isNumber, rows >= 3 else { return }
        let numbers = readings.reversed().compactMap(\.value.number)
        let limits = [question.limits.softMinimum, question.limits.softMaximum].compactMap(\.self)
        // The numbers beside it are as wide as the widest.
        let marks = (numbers + limits).map { CellWidth.of(plainNumber($0)) }.max() ?? 0
        let margin = min(marks, rest.columns / 3)
        guard
            let chart = ReadingChart(
                numbers, limits: limits, columns: min(60, rest.columns - margin - 4), rows: rows,
                tier: look.tier)
        else { return }
        let place = rest.cutTop(rows)
        let column = place.column + 1 + margin
        canvas.textEnding(plainNumber(chart.high), before: column, row: place.row, limit: margin)
        canvas.textEnding(
            plainNumber(chart.low), before: column, row: place.row + rows - 1, limit: margin)
        for (index, line) in chart.lines.enumerated() {
            canvas.text(
                glyphs.vertical, column: column, row: place.row + index, style: theme.border)
            canvas.text(line, column: column + 1, row: place.row + index, style: theme.accent)
        }
        _ = rest.cutTop(1)
    }

    private func item(
        _ reading: VisitReading, _ index: Int, isFocused: Bool, shown: String
    ) -> ListItem<Int> {
        let marker = marker(isFocused)
        let day = reading.isPresent ? say("now") : reading.day ?? say("day unknown")
        let change = reading.changeText ?? ""
        let style = reading.isBad ? theme.warning : theme.body
        return ListItem(index) { [theme] canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            canvas.text(day, column: rect.column + 2, row: rect.row, style: theme.muted)
            let place = rect.column + 14
            let room = rect.endColumn - place - CellWidth.of(change) - 2
            canvas.text(
                (reading.isBad ? "! " : "") + shown, column: place, row: rect.row, limit: room,
                style: style)
            canvas.textEnding(change, before: rect.endColumn - 1, row: rect.row)
            if isFocused { Frame.highlight(&canvas, rect, theme) }
        }
    }
}
