import Forms
import Inspections
import Phrases
import Replication
import TerminalKit

/// Findings: one to be said more of, and lists of them.
extension Frame {
    /// A shape that no badge has.
    var findingSymbol: String { look.tier == .utf8 ? "▲" : "^" }

    mutating func drawFinding(_ screen: FindingScreen, in space: Rect) {
        guard let inspection, let finding = state.shownFinding(screen) else { return }
        let columns = min(64, space.columns) - (layout.boxesFit ? 4 : 0)
        let items = FindingField.allCases.map { field in
            FindingItem(field, finding, of: screen, columns: columns, in: self).item
        }
        let head = headLines(of: screen, finding, inspection, columns)
        let rows = items.reduce(head.count) { $0 + $1.rows }
        let title = say("Finding: \(inspection.label(of: finding.key))")
        var box = openBox(Size(columns: columns, rows: rows), title: title, in: space)
        let lines = box.cutTop(min(head.count, max(0, box.rows - 1)))
        for (offset, line) in head.prefix(lines.rows).enumerated() {
            canvas.text(
                line.text, column: lines.column + 1, row: lines.row + offset,
                limit: lines.columns - 2, style: line.style)
        }
        canvas.list(items, focused: screen.focus.focused, in: box, anchor: &scroll.finding)
    }

    private func headLines(
        of screen: FindingScreen, _ finding: Finding, _ inspection: InspectionScreen,
        _ columns: Int
    ) -> [DetailLine] {
        let fails = inspection.filling?.fails(finding.key) ?? true
        let answer = inspection.question(at: finding.key).map {
            inspection.shownAnswer(of: $0, at: finding.key)
        }
        var facts: [(String, Style)] = []
        if let answer, !answer.isEmpty {
            facts.append(
                (
                    fails
                        ? say("Answer: \(answer)") : say("Answer: \(answer), which does not fail"),
                    theme.muted
                ))
        }
        if let question = inspection.question(at: finding.key),
            question.asksForPhoto(of: inspection.value(of: finding.key))
        {
            facts.append((Question.photoNotice, theme.warning))
        }
        if finding.isRepeated { facts.append((say("Found at the last visit too"), theme.warning)) }
        if let comment = finding.comment {
            facts.append((say("The supervisor: \(ShownText.clean(comment))"), theme.body))
        }
        if inspection.finding(screen.id)?.badge == .conflict {
            facts.append((say("Somebody else changed it too; Esc and v decide"), theme.warning))
        }
        return facts.flatMap { text, style in
            TextFlow.wrapped(text, to: max(1, columns - 2)).map {
                DetailLine(text: $0, style: style)
            }
        }
    }

    mutating func drawFindings(_ screen: FindingsScreen, in space: Rect) {
        guard let inspection else { return }
        let findings = inspection.findings(in: screen)
        let title =
            screen.question.map { say("Findings: \(inspection.label(of: $0))") } ?? say("Findings")
        let box = openBox(
            Size(columns: 64, rows: max(1, findings.count * 2)), title: title, in: space)
        if findings.isEmpty { drawEmpty(say("Nothing was found wrong"), in: box) }
        let items = findings.map { each in
            item(each, of: inspection, isFocused: each.id == screen.focus.focused)
        }
        canvas.list(items, focused: screen.focus.focused, in: box, anchor: &scroll.findings)
    }

    private func item(
        _ each: FindingPicture, of inspection: InspectionScreen, isFocused: Bool
    ) -> ListItem<RecordID> {
        let finding = each.finding
        let key = finding.key
        let row = key.row.flatMap { row in inspection.filling?.name(ofRow: row) }
        let label = [row, inspection.label(of: key)].compactMap(\.self).joined(separator: ": ")
        let parts = [
            finding.severity.label, finding.status.label,
            finding.isRepeated ? say("repeated") : nil,
            finding.due.map { say("by \($0)") }, finding.owner,
        ]
        let words = parts.compactMap(\.self).joined(separator: ", ")
        let note = finding.note.map { ": " + ShownText.clean($0) } ?? ""
        let marker = marker(isFocused)
        let badge = symbol(each.badge)
        let badgeStyle = style(of: each.badge)
        return ListItem(each.id, rows: 2) { [theme] canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            canvas.text(
                label, column: rect.column + 2, row: rect.row, limit: rect.columns - 7,
                style: theme.body.adding(.bold))
            canvas.textEnding(badge, before: rect.endColumn - 1, row: rect.row, style: badgeStyle)
            canvas.text(
                words + note, column: rect.column + 4, row: rect.row + 1,
                limit: rect.columns - 5, style: theme.body)
            var head = rect
            if isFocused { Frame.highlight(&canvas, head.cutTop(1), theme) }
        }
    }
}

/// One thing that can be said of a finding.
struct FindingItem {
    private let field: FindingField
    private let finding: Finding
    private let screen: FindingScreen
    private let columns: Int
    private let frame: Frame
    private let isFocused: Bool
    private let editor: AnswerEditor?
    private static let labelColumns = 15

    init(
        _ field: FindingField, _ finding: Finding, of screen: FindingScreen, columns: Int,
        in frame: Frame
    ) {
        self.field = field
        self.finding = finding
        self.screen = screen
        self.columns = columns
        self.frame = frame
        isFocused = screen.focus.focused == field
        editor = screen.editor?.key.path == field.field ? screen.editor : nil
    }

    private var theme: Theme { frame.theme }
    /// Where a long text has the whole width below its label.
    private var textColumns: Int { max(4, columns - 5) }

    var item: ListItem<FindingField> {
        let below = belowLines
        let details = detailLines
        let long = longEditor
        let rows = 1 + (long?.lines.count ?? below.count) + details.count
        let caretRow = long.map { 1 + $0.caret.row } ?? 0
        return ListItem(field, rows: rows, caretRow: caretRow) { canvas, rect in
            draw(below, details, long, &canvas, rect)
        }
    }

    private var longEditor: (lines: [String], caret: Position)? {
        field == .note ? editor?.line.wrapped(in: textColumns) : nil
    }

    private var draft: String? { frame.state.draft(of: field, in: screen) }

    private var belowLines: [String] {
        guard field == .note, editor == nil else { return [] }
        let text = ShownText.clean(draft ?? finding.note ?? "")
        return text.isEmpty ? [] : TextFlow.wrapped(text, to: textColumns)
    }

    private var detailLines: [DetailLine] {
        var lines: [DetailLine] = []
        func add(_ text: String, _ style: Style) {
            lines += TextFlow.wrapped(text, to: textColumns).map {
                DetailLine(text: $0, style: style)
            }
        }
        if let problem = editor?.problem { add("! " + problem.message(), theme.error) }
        if draft != nil, editor == nil { add(say("typed and not accepted"), theme.warning) }
        if field == .note, finding.isUnexplained, editor == nil {
            add(say("! A critical finding has to say it"), theme.error)
        }
        guard isFocused else { return lines }
        switch field {
        case .severity: add(words(Finding.Severity.allCases.map(\.label)), theme.muted)
        case .status: add(words(Finding.Status.allCases.map(\.label)), theme.muted)
        case .due where editor != nil: add(say("YYYY-MM-DD; t today, +7d in a week"), theme.muted)
        case .note where editor == nil:
            let comments = frame.inspection?.comments(of: frame.state.findingQuestion) ?? []
            for (index, comment) in comments.prefix(Self.mostComments).enumerated() {
                add("\(index + 1) \(comment)", theme.muted)
            }
            if comments.count > Self.mostComments { add(say("k lists all comments"), theme.muted) }
        case .note, .owner, .due: break
        }
        return lines
    }

    /// More than these are looked for in a list.
    private static let mostComments = 4

    private func words(_ names: [String]) -> String {
        names.enumerated().map { "\($0 + 1) \($1)" }.joined(separator: ", ")
    }

    private func draw(
        _ below: [String], _ details: [DetailLine], _ long: (lines: [String], caret: Position)?,
        _ canvas: inout Canvas, _ rect: Rect
    ) {
        canvas.text(frame.marker(isFocused), column: rect.column, row: rect.row)
        canvas.text(
            field.label, column: rect.column + 2, row: rect.row, limit: Self.labelColumns,
            style: isFocused ? theme.body.adding(.bold) : theme.body)
        let place = Rect(
            column: rect.column + 2 + Self.labelColumns, row: rect.row,
            columns: max(3, rect.columns - Self.labelColumns - 3), rows: 1)
        let textRect = Rect(
            column: rect.column + 4, row: rect.row + 1, columns: textColumns,
            rows: long?.lines.count ?? below.count)
        if let long {
            Frame.longField(&canvas, long.lines, caret: long.caret, in: textRect, theme)
        } else if let editor {
            Frame.field(&canvas, editor.line, in: place, theme)
        } else if field == .note, !below.isEmpty {
            canvas.lines(below, in: textRect, style: draft == nil ? theme.body : theme.warning)
        } else {
            let text = ShownText.clean(draft ?? field.text(of: finding))
            canvas.text(
                text.isEmpty ? "-" : text, column: place.column, row: place.row,
                limit: place.columns,
                style: text.isEmpty ? theme.muted : draft == nil ? theme.body : theme.warning)
        }
        for (offset, line) in details.enumerated() {
            canvas.text(
                line.text, column: rect.column + 4, row: textRect.row + textRect.rows + offset,
                limit: rect.columns - 5, style: line.style)
        }
        var head = rect
        if isFocused, editor == nil { Frame.highlight(&canvas, head.cutTop(1), theme) }
    }
}
