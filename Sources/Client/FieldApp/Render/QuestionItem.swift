import Coding
import Forms
import TerminalKit

/// A question in the list: label, answer, the answer's state; below them, for the focused one, what
/// helps to answer it, and for any what is wrong.
struct QuestionItem {
    private let question: Question
    private let screen: InspectionScreen
    private let columns: QuestionColumns
    private let frame: Frame
    private let isFocused: Bool
    private let isEdited: Bool
    /// The long text that is being edited, in its lines; laid out once a frame.
    private let longEditor: (lines: [String], caret: Position)

    init(
        _ question: Question, of screen: InspectionScreen, _ columns: QuestionColumns,
        in frame: Frame
    ) {
        self.question = question
        self.screen = screen
        self.columns = columns
        self.frame = frame
        isFocused = screen.focus.focused == question.path
        isEdited = screen.editor?.path == question.path
        let editor = isEdited && question.type == .text(multiline: true) ? screen.editor : nil
        longEditor =
            editor?.line.wrapped(in: frame.layout.longEditorColumns(in: columns.width))
            ?? ([], Position(column: 0, row: 0))
    }

    var item: ListItem<String> {
        let labels = labelLines
        let below = detailLines
        let headRows = labels.count + (columns.isStacked && question.type.takesAnswer ? 1 : 0)
        let editorRows = longEditor.lines.count
        let caretRow = editorRows > 0 ? headRows + longEditor.caret.row : 0
        return ListItem(
            question.path, rows: headRows + editorRows + below.count, caretRow: caretRow
        ) { canvas, rect in
            draw(labels, editorRows: editorRows, below: below, headRows: headRows, &canvas, rect)
        }
    }

    private var theme: Theme { frame.theme }
    private var noteColumns: Int { max(1, columns.width - 4) }
    private var isMultiline: Bool { question.type == .text(multiline: true) }

    /// The star of a required question stays with the last word.
    private var labelLines: [String] {
        guard question.type != .note else {
            return TextFlow.wrapped(question.label, to: noteColumns)
        }
        guard question.required else {
            return TextFlow.wrapped(question.label, to: columns.label)
        }
        var lines = TextFlow.wrapped(question.label, to: max(1, columns.label - 2))
        lines[lines.count - 1] += " *"
        return lines
    }

    // MARK: Drawing

    private func draw(
        _ labels: [String], editorRows: Int, below: [DetailLine], headRows: Int,
        _ canvas: inout Canvas, _ rect: Rect
    ) {
        canvas.text(frame.marker(isFocused), column: rect.column, row: rect.row)
        let style = question.type == .note ? theme.muted : theme.body
        canvas.lines(
            labels,
            in: Rect(
                column: rect.column + QuestionColumns.indent, row: rect.row,
                columns: rect.columns - QuestionColumns.indent - 1, rows: labels.count),
            style: isFocused ? style.adding(.bold) : style)
        let answerRow = rect.row + (columns.isStacked ? labels.count : 0)
        if question.type.takesAnswer { drawStanding(&canvas, rect, row: answerRow) }
        drawDetails(below, &canvas, rect, row: rect.row + headRows + editorRows)
        if question.type.takesAnswer {
            if isEdited, isMultiline {
                drawLongEditor(&canvas, rect, row: rect.row + headRows)
            } else {
                drawAnswer(&canvas, rect, row: answerRow)
            }
        }
        guard isFocused, !isEdited else { return }
        var head = rect
        Frame.highlight(&canvas, head.cutTop(headRows), theme)
    }

    private func drawAnswer(_ canvas: inout Canvas, _ rect: Rect, row: Int) {
        let column = rect.column + columns.answerColumn
        if isEdited, let editor = screen.editor {
            let unit = question.unit.map { " " + $0 } ?? ""
            let room = columns.answer - CellWidth.of(unit)
            let field = Rect(column: column, row: row, columns: max(3, room), rows: 1)
            Frame.field(&canvas, editor.line, in: field, theme)
            canvas.text(unit, column: field.endColumn, row: row, style: theme.body)
            return
        }
        let (text, style) = shownAnswer
        canvas.text(text, column: column, row: row, limit: columns.answer, style: style)
    }

    private var shownAnswer: (String, Style) {
        if let draft = screen.draft(of: question.path) {
            return (ShownText.clean(draft), theme.warning)
        }
        let shown = question.shown(screen.value(of: question.path))
        return shown.isEmpty ? ("-", theme.muted) : (shown, theme.body)
    }

    private func drawStanding(_ canvas: inout Canvas, _ rect: Rect, row: Int) {
        guard let standing = screen.standing(of: question.path) else { return }
        let symbol = standing == .typed ? frame.typedSymbol : frame.symbol(standing.badge)
        canvas.text(
            columns.hasWords ? "\(symbol) \(standing.label)" : symbol,
            column: rect.column + columns.standingColumn, row: row, limit: columns.standing,
            style: standing == .typed ? theme.body : frame.style(of: standing.badge))
    }

    private func drawLongEditor(_ canvas: inout Canvas, _ rect: Rect, row: Int) {
        let (lines, caret) = longEditor
        let space = Rect(
            column: rect.column + 4, row: row,
            columns: frame.layout.longEditorColumns(in: columns.width), rows: lines.count)
        Frame.longField(&canvas, lines, caret: caret, in: space, theme)
    }

    private func drawDetails(
        _ lines: [DetailLine], _ canvas: inout Canvas, _ rect: Rect, row: Int
    ) {
        for (offset, line) in lines.enumerated() {
            canvas.text(
                line.text, column: rect.column + 4, row: row + offset, limit: rect.columns - 5,
                style: line.style)
        }
    }

    // MARK: Details

    private struct DetailLine {
        let text: String
        let style: Style
    }

    private var detailLines: [DetailLine] {
        var lines: [DetailLine] = []
        func add(_ text: String, _ style: Style) {
            lines += TextFlow.wrapped(text, to: max(1, columns.width - 6)).map {
                DetailLine(text: $0, style: style)
            }
        }
        if let problem = screen.editor?.path == question.path ? screen.editor?.problem : nil {
            add("! " + problem.message(unit: question.unit), theme.error)
        } else if let problem = screen.shownProblem(of: question.path) {
            add("! " + problem.message(unit: question.unit), theme.error)
        }
        guard isFocused, question.type.takesAnswer else { return lines }
        if screen.standing(of: question.path) == .conflict {
            add("Somebody else changed this too; Enter shows both answers", theme.warning)
        }
        if screen.standing(of: question.path) == .failed {
            add("The server did not take this; t says why", theme.error)
        }
        if let hint = question.hint { add(hint, theme.muted) }
        let facts = [question.rangeText, lastVisit, standingWords].compactMap { $0 }
        if !facts.isEmpty { add(facts.joined(separator: ", "), theme.muted) }
        if question.type.isChoice, !isLongList { add(choiceKeys, theme.muted) }
        if isMultiline, !isEdited {
            let text = question.shown(screen.value(of: question.path))
            if CellWidth.of(text) > columns.answer { add(text, theme.body) }
        }
        return lines
    }

    private var lastVisit: String? {
        guard question.previous,
            let previous = screen.picture?.answers[question.path]?.previous, !previous.isNull
        else { return nil }
        let value = screen.value(of: question.path)
        let change = question.change(from: previous, to: value).map { " (\($0))" } ?? ""
        return "last visit \(question.shown(previous))\(change)"
    }

    /// Where the row has room for a badge only, its word stands below.
    private var standingWords: String? {
        let standing = screen.standing(of: question.path)
        return columns.hasWords || standing == .conflict ? nil : standing?.label
    }

    private var isLongList: Bool { question.choices.count > 9 }

    /// The keys that answer at once: letters for verdicts, digits for choices.
    private var choiceKeys: String {
        question.choices.enumerated().map { index, choice in
            let letter =
                question.type == .verdict ? choice.verdict.map(VerdictKey.name) : nil
            return "\(letter ?? String(index + 1)) \(choice.label)"
        }.joined(separator: ", ")
    }
}

/// The key of each verdict, read from the binding table.
private enum VerdictKey {
    static func name(_ verdict: Forms.Verdict) -> String {
        let command: Command =
            switch verdict {
            case .pass: .pass
            case .fail: .fail
            case .notApplicable: .notApplicable
            case .notObserved: .notObserved
            }
        let bindings = BindingTable.keymap(for: .inspection).bindings
        return bindings.first { $0.command == command }?.keys[0].name ?? "?"
    }
}

extension Frame {
    /// What is typed and not on the disk: a shape that no badge has.
    var typedSymbol: String { look.tier == .utf8 ? "~" : "[~]" }
}
