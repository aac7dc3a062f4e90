import Forms
import Phrases
import TerminalKit

/// The lists that stand over a screen for a moment.
extension Frame {
    mutating func drawSections(_ screen: SectionsScreen, in space: Rect) {
        let sections = inspection?.sections ?? []
        let box = openBox(
            Size(columns: 50, rows: max(1, sections.count)), title: say("Sections"), in: space)
        let items = sections.map { entry in
            row(
                entry.index, isFocused: entry.index == screen.focus.focused, entry.title,
                right: progressText(entry.progress, problems: problems(in: entry.index)))
        }
        canvas.list(items, focused: screen.focus.focused, in: box, anchor: &scroll.sections)
    }

    private func progressText(_ progress: FormState.Progress, problems: Int) -> String {
        let answered = "\(progress.answered)/\(progress.total)"
        return problems == 0 ? answered : "\(problems)! \(answered)"
    }

    /// Those that are told, as in the status line.
    private func problems(in section: Int) -> Int {
        guard let inspection else { return 0 }
        return inspection.toldProblems.count { inspection.section(of: $0.key) == section }
    }

    /// The line that narrows a list. While nothing is typed the cursor stays on the marked row,
    /// which is what a braille line should show; then it is where one types.
    mutating func drawFilter(_ filter: LineEditor, in line: Rect, listCursor: Position?) {
        drawInput(filter, label: say("Narrow:"), in: line)
        guard filter.isEmpty, let listCursor else { return }
        canvas.cursor = listCursor
        canvas.cursorVisible = false
    }

    func row<ID>(
        _ id: ID, isFocused: Bool, _ text: String, right: String
    ) -> ListItem<ID> {
        let marker = marker(isFocused)
        return ListItem(id) { [theme] canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            let room = rect.columns - CellWidth.of(right) - 4
            canvas.text(text, column: rect.column + 2, row: rect.row, limit: room)
            canvas.textEnding(right, before: rect.endColumn - 1, row: rect.row)
            if isFocused { Frame.highlight(&canvas, rect, theme) }
        }
    }

    // MARK: Help and commands

    mutating func drawHelp(_ screen: HelpScreen, in space: Rect) {
        drawEntries(
            state.entries(of: screen), filter: screen.filter, focused: screen.focus.focused,
            heading: say("Keys that work in: \(screen.place.title)"), in: space)
    }

    mutating func drawPalette(_ screen: PaletteScreen, in space: Rect) {
        drawEntries(
            state.entries(of: screen), filter: screen.filter, focused: screen.focus.focused,
            heading: say("Commands for: \(screen.place.title)"), in: space)
    }

    private mutating func drawEntries(
        _ entries: [AppState.Entry], filter: LineEditor, focused: AppState.Entry.Subject?,
        heading: String,
        in space: Rect
    ) {
        var rest = space
        if rest.rows > 4 {
            let line = rest.cutTop(1)
            canvas.text(
                heading, column: line.column + 1, row: line.row, limit: line.columns - 1,
                style: theme.title)
        }
        let line = rest.cutTop(1)
        let items = entries.map { entry in
            item(entry, isFocused: entry.subject == focused, width: rest.columns)
        }
        if items.isEmpty { drawEmpty(say("No key or command fits that text"), in: rest) }
        canvas.list(items, focused: focused, in: rest, anchor: &scroll.commands)
        drawFilter(filter, in: line, listCursor: items.isEmpty ? nil : canvas.cursor)
    }

    private func item(
        _ entry: AppState.Entry, isFocused: Bool, width: Int
    ) -> ListItem<AppState.Entry.Subject> {
        let keys = layout.hasRoom ? 18 : min(14, width / 3)
        let reason = entry.whyDisabled.map { " " + say("(not now: \($0))") } ?? ""
        let lines = TextFlow.wrapped(entry.help + reason, to: max(4, width - keys - 4))
        let keyLines = TextFlow.wrapped(entry.keys, to: keys)
        let marker = marker(isFocused)
        let isDisabled = entry.whyDisabled != nil
        return ListItem(entry.subject, rows: max(lines.count, keyLines.count)) {
            [theme] canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            canvas.lines(
                keyLines,
                in: Rect(
                    column: rect.column + 2, row: rect.row, columns: keys, rows: rect.rows),
                style: theme.title)
            canvas.lines(
                lines,
                in: Rect(
                    column: rect.column + keys + 3, row: rect.row,
                    columns: rect.columns - keys - 4, rows: rect.rows),
                style: isDisabled ? theme.muted : theme.body)
            if isFocused { Frame.highlight(&canvas, rect, theme) }
        }
    }

    // MARK: A question before something is destroyed

    mutating func drawConfirmation(_ confirmation: Confirmation, in space: Rect) {
        let width = min(54, space.columns - 2)
        let consequence = TextFlow.wrapped(confirmation.consequence, to: width)
        let answer = TextFlow.wrapped(confirmation.way.instruction, to: width)
        let isTyped = confirmation.way.isTyped
        let rows = consequence.count + answer.count + 1 + (isTyped ? 1 : 0)
        var box = openBox(
            Size(columns: width, rows: rows), title: confirmation.title, in: space)
        box = box.cutTop(rows)
        // From below: where there is little room, what to type matters more than why.
        let line = isTyped ? box.cutBottom(1) : nil
        let place = box.cutBottom(answer.count)
        canvas.lines(answer, in: place, style: theme.title)
        canvas.lines(consequence, in: box, style: theme.body)
        canvas.cursor = Position(column: place.column, row: place.row)
        if let line { drawInput(confirmation.line, label: ">", in: line) }
    }
}

extension Confirmation.Way {
    fileprivate var isTyped: Bool {
        if case .word = self { true } else { false }
    }

    fileprivate var instruction: String {
        switch self {
        case .key(let key): say("\(String(key)) does it; Enter, Esc and every other key keep it.")
        case .word(let word): say("Type \(word) and Enter to do it; Esc keeps it.")
        }
    }
}
