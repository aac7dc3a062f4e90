import Coding
import Forms
import Inspections
import Phrases
import TerminalKit

/// A question in the list: label, answer, the answer's state; below them, for the focused one, what
/// helps to answer it, and for any what is wrong.
struct QuestionItem {
    private let question: Question
    private let key: AnswerKey
    private let label: String
    /// Columns by which it is set in, for the groups around it.
    private let inset: Int
    private let screen: InspectionScreen
    private let columns: QuestionColumns
    private let frame: Frame
    private let isFocused: Bool
    private let isEdited: Bool
    /// The long text that is being edited, in its lines; laid out once a frame.
    private let longEditor: (lines: [String], caret: Position)

    init(
        _ question: Question, at key: AnswerKey, _ item: ScreenItem, of screen: InspectionScreen,
        _ columns: QuestionColumns, in frame: Frame
    ) {
        self.question = question
        self.key = key
        label = item.label
        inset = item.inset
        self.screen = screen
        self.columns = columns
        self.frame = frame
        isFocused = screen.focus.focused == key
        isEdited = screen.editor?.key == key
        let editor = isEdited && question.type == .text(multiline: true) ? screen.editor : nil
        longEditor =
            editor?.line.wrapped(in: frame.layout.longEditorColumns(in: columns.width))
            ?? ([], Position(column: 0, row: 0))
    }

    var item: ListItem<AnswerKey> {
        let labels = labelLines
        let details = QuestionDetails(
            question, at: key, of: screen, columns, in: frame, isFocused: isFocused)
        let below = details.lines
        let headRows = labels.count + (columns.isStacked && question.type.takesAnswer ? 1 : 0)
        let editorRows = longEditor.lines.count
        let caretRow = editorRows > 0 ? headRows + longEditor.caret.row : 0
        return ListItem(
            key, rows: headRows + editorRows + below.count, caretRow: caretRow
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
            return TextFlow.wrapped(label, to: noteColumns - inset)
        }
        guard screen.filling?.isRequired(key) == true else {
            return TextFlow.wrapped(label, to: columns.label - inset)
        }
        var lines = TextFlow.wrapped(label, to: max(1, columns.label - inset - 2))
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
                column: rect.column + QuestionColumns.indent + inset, row: rect.row,
                columns: rect.columns - QuestionColumns.indent - inset - 1, rows: labels.count),
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
            let line = question.isMasked ? editor.line.masked : editor.line
            Frame.field(&canvas, line, in: field, theme)
            canvas.text(unit, column: field.endColumn, row: row, style: theme.body)
            return
        }
        let (text, style) = shownAnswer
        canvas.text(text, column: column, row: row, limit: columns.answer, style: style)
        drawPrevious(&canvas, column: column, after: CellWidth.of(text), row: row)
    }

    /// Beside a reading, where both fit; at the focused one it stands below in full.
    private func drawPrevious(
        _ canvas: inout Canvas, column: Int, after width: Int, row: Int
    ) {
        guard question.showsPrevious, !isFocused, let found = screen.previous(at: key),
            let filling = screen.filling
        else { return }
        // The unit stands at the answer.
        let value =
            question.type.isNumber
            ? found.value.plainText : filling.shown(found.value, at: key)
        let text = say("was \(value)") + (found.changeText.map { " (\($0))" } ?? "")
        guard width + 2 + CellWidth.of(text) <= columns.answer else { return }
        canvas.text(text, column: column + width + 2, row: row, style: theme.muted)
    }

    private var shownAnswer: (String, Style) {
        if let draft = screen.draft(of: key) {
            return (question.isMasked ? Question.mask : shownDraft(draft), theme.warning)
        }
        let shown = screen.shownAnswer(of: question, at: key)
        if shown.isEmpty { return ("-", theme.muted) }
        return (shown, screen.isByForm(key) ? theme.muted : theme.body)
    }

    /// Marks that were not accepted read as the choices that they are.
    private func shownDraft(_ draft: String) -> String {
        guard question.type.isChoices, let filling = screen.filling else {
            return ShownText.clean(draft)
        }
        return filling.shown(.string(draft), at: key)
    }

    private func drawStanding(_ canvas: inout Canvas, _ rect: Rect, row: Int) {
        let column = rect.column + columns.standingColumn
        let standing = screen.standing(of: key)
        if screen.isByForm(key), standing?.needsPerson != true {
            let isCalculated = question.rules.calculate != nil
            let symbol = isCalculated ? "=" : "#"
            let word = isCalculated ? say("by form") : say("read only")
            canvas.text(
                columns.hasWords ? "\(symbol) \(word)" : symbol, column: column, row: row,
                limit: columns.standing, style: theme.muted)
            return
        }
        guard let standing else { return }
        let symbol = standing == .typed ? frame.typedSymbol : frame.symbol(standing.badge)
        canvas.text(
            columns.hasWords ? "\(symbol) \(standing.label)" : symbol, column: column, row: row,
            limit: columns.standing,
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
}

extension InspectionScreen {
    /// What the form fills in or lets be read only.
    func isByForm(_ key: AnswerKey) -> Bool { filling?.isReadonly(key) ?? false }

    /// The answer as it reads in the list; empty for none.
    func shownAnswer(of question: Question, at key: AnswerKey) -> String {
        let shown = filling?.shown(value(of: key), at: key) ?? ""
        if shown.isEmpty { return "" }
        if question.isMasked { return Question.mask }
        return question.appearance.contains("thousands-sep") ? Self.grouped(shown) : shown
    }

    /// Blanks between thousands: a comma or point would be a decimal mark to somebody.
    private static func grouped(_ number: String) -> String {
        let digits = number.prefix { $0 == "-" || $0.isNumber }
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            let rest = digits.count - index
            if index > 0, rest % 3 == 0, grouped != "-" { grouped.append(" ") }
            grouped.append(digit)
        }
        return grouped + number.dropFirst(digits.count)
    }
}

extension Question {
    /// Not to be read over the shoulder.
    var isMasked: Bool { appearance.contains(say("masked")) }

    /// As long for every answer.
    static let mask = "******"
}

extension Standing {
    fileprivate var needsPerson: Bool {
        switch self {
        case .failed, .conflict, .inReview: true
        case .typed, .savedHere, .sent, .accepted: false
        }
    }
}

extension LineEditor {
    /// The same with a star for each character.
    var masked: LineEditor {
        var line = LineEditor(String(repeating: "*", count: text.count))
        line.moveCaret(to: caret)
        return line
    }
}

extension ScreenItem {
    /// Columns by which it is set in.
    var inset: Int { min(depth, 3) }
}

extension Frame {
    /// What is typed and not on the disk: a shape that no badge has.
    var typedSymbol: String { look.tier == .utf8 ? "~" : "[~]" }
}
