import Coding
import Forms
import Inspections
import Phrases
import TerminalKit

extension Frame {
    mutating func drawInspection(_ screen: InspectionScreen, in space: Rect) {
        guard screen.picture != nil else {
            drawEmpty(say("Opening the inspection"), in: space)
            return
        }
        let columns = QuestionColumns(width: space.columns, badge: badgeColumns, layout: layout)
        let items = screen.items
        let contents = ListContents(items.map(\.key)) { [self] index in
            item(of: items[index], in: screen, columns)
        }
        canvas.list(contents, focused: screen.focus.focused, in: space, anchor: &scroll.inspection)
    }

    private func item(
        of item: ScreenItem, in screen: InspectionScreen, _ columns: QuestionColumns
    ) -> ListItem<AnswerKey> {
        switch item.kind {
        case .section(let index):
            return heading(item.label, screen.form?.sections[index])
        case .row(let row):
            return heading(item.label, screen.filling?.state(ofRow: row).sections.first)
        case .group: return groupHeading(item)
        case .question(let question):
            return QuestionItem(
                question, at: item.key ?? AnswerKey(question.path), item, of: screen, columns,
                in: self
            ).item
        case .repetition(let repetition):
            return RepetitionItem(repetition, item, of: screen, columns, in: self).item
        case .newerVersion: return remark(item.label, columns)
        case .completion: return completion(item, of: screen)
        case .orphans: return heading(item.label, nil)
        case .orphan(let answer): return orphan(item, answer, of: screen, columns)
        }
    }

    private func remark(_ text: String, _ columns: QuestionColumns) -> ListItem<AnswerKey> {
        let lines = TextFlow.wrapped(text, to: max(1, columns.width - 2))
        return ListItem(nil, rows: lines.count) { [theme] canvas, rect in
            canvas.lines(
                lines,
                in: Rect(
                    column: rect.column + 1, row: rect.row, columns: rect.columns - 2,
                    rows: rect.rows), style: theme.warning)
        }
    }

    private func completion(
        _ item: ScreenItem, of screen: InspectionScreen
    ) -> ListItem<AnswerKey> {
        let isFocused = screen.focus.focused == item.key
        let marker = marker(isFocused)
        return ListItem(item.key) { [theme] canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            canvas.text(
                item.label, column: rect.column + QuestionColumns.indent, row: rect.row,
                limit: rect.columns - QuestionColumns.indent - 1, style: theme.title)
            if isFocused { Frame.highlight(&canvas, rect, theme) }
        }
    }

    /// An answer without its question: its address, and all of it.
    private func orphan(
        _ item: ScreenItem, _ answer: String, of screen: InspectionScreen,
        _ columns: QuestionColumns
    ) -> ListItem<AnswerKey> {
        let isFocused = item.key != nil && screen.focus.focused == item.key
        let indent = QuestionColumns.indent
        let lines = TextFlow.wrapped(
            "\(item.label): \(answer)", to: max(1, columns.width - indent - 1))
        let marker = marker(isFocused)
        return ListItem(item.key, rows: lines.count) { [theme] canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            canvas.lines(
                lines,
                in: Rect(
                    column: rect.column + indent, row: rect.row,
                    columns: rect.columns - indent - 1, rows: rect.rows), style: theme.muted)
            if isFocused { Frame.highlight(&canvas, rect, theme) }
        }
    }

    private func heading(
        _ title: String, _ progress: FormState.Progress?
    ) -> ListItem<AnswerKey> {
        let count = progress.map { "\($0.answered)/\($0.total)" } ?? ""
        return ListItem(nil) { [theme] canvas, rect in
            let width = canvas.text(
                title, column: rect.column + 1, row: rect.row, limit: rect.columns - 8,
                style: theme.title)
            canvas.text(
                count, column: rect.column + 2 + width, row: rect.row, limit: 6,
                style: theme.muted)
        }
    }

    /// Questions of a group stand together below its title, which is set in for each group around it.
    private func groupHeading(_ item: ScreenItem) -> ListItem<AnswerKey> {
        let title = "\(glyphs.bullet) \(item.label)"
        let indent = 1 + item.inset
        return ListItem(nil) { [theme] canvas, rect in
            canvas.text(
                title, column: rect.column + indent, row: rect.row,
                limit: rect.columns - indent - 1, style: theme.muted.adding(.bold))
        }
    }
}

/// The line of a repeat: how many rows it has, and how far they are.
struct RepetitionItem {
    private let repetition: Repetition
    private let key: AnswerKey?
    private let label: String
    private let inset: Int
    private let screen: InspectionScreen
    private let columns: QuestionColumns
    private let frame: Frame

    init(
        _ repetition: Repetition, _ item: ScreenItem, of screen: InspectionScreen,
        _ columns: QuestionColumns, in frame: Frame
    ) {
        self.repetition = repetition
        key = item.key
        label = item.label
        inset = item.inset
        self.screen = screen
        self.columns = columns
        self.frame = frame
    }

    var item: ListItem<AnswerKey> {
        let labels = TextFlow.wrapped(label, to: columns.label - inset)
        let details = detailLines
        let headRows = labels.count + (columns.isStacked ? 1 : 0)
        return ListItem(key, rows: headRows + details.count) { canvas, rect in
            draw(labels, details, headRows: headRows, &canvas, rect)
        }
    }

    private var isFocused: Bool { key != nil && screen.focus.focused == key }

    private func draw(
        _ labels: [String], _ details: [DetailLine], headRows: Int, _ canvas: inout Canvas,
        _ rect: Rect
    ) {
        let theme = frame.theme
        canvas.text(frame.marker(isFocused), column: rect.column, row: rect.row)
        canvas.lines(
            labels,
            in: Rect(
                column: rect.column + QuestionColumns.indent + inset, row: rect.row,
                columns: columns.label - inset, rows: labels.count),
            style: isFocused ? theme.body.adding(.bold) : theme.body)
        let row = rect.row + (columns.isStacked ? labels.count : 0)
        canvas.text(
            counts, column: rect.column + columns.answerColumn, row: row, limit: columns.answer,
            style: rows.isEmpty ? theme.muted : theme.body)
        for (offset, line) in details.enumerated() {
            canvas.text(
                line.text, column: rect.column + 4, row: rect.row + headRows + offset,
                limit: rect.columns - 5, style: line.style)
        }
        var head = rect
        if isFocused { Frame.highlight(&canvas, head.cutTop(headRows), theme) }
    }

    private var rows: [FormAnswers.Row] {
        screen.filling?.answers.rows(of: repetition.path, in: key?.row) ?? []
    }

    private var counts: String {
        let word = rows.count == 1 ? say("1 row") : say("\(rows.count) rows")
        return rows.isEmpty ? say("no row yet") : "\(word) \(frame.glyphs.right)"
    }

    private var detailLines: [DetailLine] {
        let inside = rowsInside
        let problems = screen.toldProblems.count { problem in
            problem.row.map(inside.contains) ?? false
        }
        var lines: [DetailLine] = []
        func add(_ text: String, _ style: Style) {
            lines += TextFlow.wrapped(text, to: max(1, columns.width - 6)).map {
                DetailLine(text: $0, style: style)
            }
        }
        if problems > 0 {
            add(
                problems == 1
                    ? say("! 1 problem in its rows") : say("! \(problems) problems in its rows"),
                frame.theme.error)
        }
        guard isFocused else { return lines }
        if let reason = screen.whyFixed(repetition.path) {
            add(say("Enter opens them; \(reason)"), frame.theme.muted)
        } else {
            add(say("Enter opens them, a adds one"), frame.theme.muted)
        }
        return lines
    }

    /// The rows, and those in them.
    private var rowsInside: Set<String> {
        guard let all = screen.filling?.answers.rows else { return [] }
        var inside = Set(rows.map(\.id))
        // Rows stand in no order that would bring each after the one around it.
        var hasGrown = true
        while hasGrown {
            let more = all.filter { row in
                row.parent.map(inside.contains) == true && !inside.contains(row.id)
            }
            inside.formUnion(more.map(\.id))
            hasGrown = !more.isEmpty
        }
        return inside
    }
}

/// The widths of a question's parts.
struct QuestionColumns {
    let width: Int
    /// Columns of the label; the answer stands beside it, or below when `isStacked`.
    let label: Int
    let answer: Int
    /// Columns for the answer's own state: a badge, with its word where there is room.
    let standing: Int
    let isStacked: Bool
    let hasWords: Bool
    /// Where labels begin.
    static let indent = 2

    init(width: Int, badge: Int, layout: Layout) {
        self.width = width
        isStacked = layout.width == .narrow
        hasWords = width >= 60
        standing = badge + (hasWords ? 11 : 0)
        let room = max(8, width - Self.indent - standing - 2)
        if isStacked {
            label = max(1, width - Self.indent - 1)
            answer = room - 2
        } else {
            label = min(36, room / 2)
            answer = room - label - 1
        }
    }

    var answerColumn: Int { isStacked ? Self.indent + 2 : Self.indent + label + 1 }
    var standingColumn: Int { width - standing - 1 }
}
