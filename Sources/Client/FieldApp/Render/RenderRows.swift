import Forms
import Phrases
import TerminalKit

/// The rows of a repeat, choices, and why.
extension Frame {
    mutating func drawRows(_ screen: RowsScreen, in space: Rect) {
        guard let inspection, let filling = inspection.filling else { return }
        let ids = state.ids(of: screen)
        let told = Set(inspection.toldProblems.map(\.key))
        let box = openBox(
            Size(columns: 56, rows: max(2, ids.count)), title: title(of: screen, filling),
            in: space)
        guard !ids.isEmpty else {
            let words =
                inspection.whyFixed(screen.path).map { say("There is no row yet: \($0)") }
                ?? say("There is no row yet; a adds one")
            drawEmpty(words, in: box)
            return
        }
        let theme = theme
        let markers = (marker(true), marker(false))
        canvas.longList(
            ids, focused: screen.focus.focused, in: box, anchor: &scroll.rows
        ) { canvas, id, rect in
            let isFocused = id == screen.focus.focused
            let progress = filling.state(ofRow: id)
            let problems = progress.problems.count { told.contains($0.key) }
            let right =
                (problems > 0 ? "\(problems)! " : "") + "\(progress.answered)/\(progress.total)"
            canvas.text(
                isFocused ? markers.0 : markers.1, column: rect.column, row: rect.row)
            canvas.text(
                filling.name(ofRow: id), column: rect.column + 2, row: rect.row,
                limit: rect.columns - CellWidth.of(right) - 4)
            canvas.textEnding(right, before: rect.endColumn - 1, row: rect.row)
            if isFocused { Frame.highlight(&canvas, rect, theme) }
        }
    }

    private func title(of screen: RowsScreen, _ filling: FormFilling) -> String {
        guard let repetition = filling.form.repetitions.first(where: { $0.path == screen.path })
        else { return say("Rows") }
        let title = filling.title(of: repetition, in: screen.parent)
        return screen.parent.map { "\(filling.name(ofRow: $0)), \(title)" } ?? title
    }

    // MARK: Choices

    mutating func drawPicker(_ screen: PickerScreen, in space: Rect) {
        var box = openBox(
            Size(columns: 50, rows: screen.choices.count + 1), title: screen.label, in: space)
        let line = box.cutTop(1)
        let theme = theme
        let glyphs = glyphs
        canvas.longList(
            screen.shown, focused: screen.focus.focused, in: box, anchor: &scroll.choices
        ) { canvas, place, rect in
            let isFocused = place == screen.focus.focused
            canvas.text(isFocused ? glyphs.marker : " ", column: rect.column, row: rect.row)
            canvas.text(
                screen.sign(of: place, glyphs) + screen.labels[place], column: rect.column + 2,
                row: rect.row, limit: rect.columns - 4)
            if isFocused { Frame.highlight(&canvas, rect, theme) }
        }
        let listCursor = screen.shown.isEmpty ? nil : canvas.cursor
        if screen.mode == .one || screen.isFiltering || !screen.filter.isEmpty {
            drawFilter(
                screen.filter, in: line, listCursor: screen.isFiltering ? nil : listCursor)
        } else {
            canvas.text(
                screen.summary, column: line.column + 1, row: line.row, limit: line.columns - 2,
                style: theme.muted)
        }
    }

    // MARK: Why

    mutating func drawWhy(_ screen: WhyScreen, in space: Rect) {
        var rest = space
        let line = rest.cutTop(1)
        canvas.text(
            say("Why: \(screen.title)"), column: line.column + 1, row: line.row,
            limit: line.columns - 2, style: theme.title)
        let items = screen.lines.indices.map { index in
            item(screen.lines[index], index, isFocused: index == screen.focus.focused, rest.columns)
        }
        canvas.list(items, focused: screen.focus.focused, in: rest, anchor: &scroll.why)
    }

    private func item(
        _ line: WhyScreen.Line, _ index: Int, isFocused: Bool, _ width: Int
    ) -> ListItem<Int> {
        let indent = line.kind == .fact ? 4 : 2
        let lines = TextFlow.wrapped(line.text, to: max(1, width - indent - 2))
        let style = line.kind == .heading ? theme.title : theme.body
        let marker = marker(isFocused)
        return ListItem(index, rows: lines.count) { canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            canvas.lines(
                lines,
                in: Rect(
                    column: rect.column + indent, row: rect.row,
                    columns: rect.columns - indent - 1, rows: rect.rows), style: style)
        }
    }
}

extension PickerScreen {
    /// What stands before a choice: its digit, whether it is marked, its place in the order.
    fileprivate func sign(of place: Int, _ glyphs: Glyphs) -> String {
        let hasDigit = areNumbered && filter.isEmpty && place < 9
        let digit = hasDigit ? "\(place + 1) " : (areNumbered && filter.isEmpty ? "  " : "")
        switch mode {
        case .one: return hasDigit ? digit : ""
        case .several: return digit + (marked.contains(place) ? "[x] " : "[ ] ")
        case .ranking:
            let index = shown.firstIndex(of: place) ?? 0
            return "\(index + 1). "
        }
    }

    fileprivate var summary: String {
        switch mode {
        case .one: ""
        case .several: say("\(marked.count) of \(choices.count) marked")
        case .ranking: say("The first is the highest")
        }
    }
}
