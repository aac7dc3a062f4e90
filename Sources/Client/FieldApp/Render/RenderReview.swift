import Coding
import Forms
import Phrases
import TerminalKit

extension Frame {
    /// Base, mine and theirs of each answer: side by side where there is room, else stacked.
    mutating func drawReview(_ screen: ReviewScreen, in space: Rect) {
        guard let picture = screen.picture else {
            drawEmpty(say("Opening the conflict"), in: space)
            return
        }
        let items = picture.fields.map { field in
            ReviewItem(field, of: screen, width: space.columns, in: self).item
        }
        canvas.list(items, focused: screen.focus.focused, in: space, anchor: &scroll.review)
    }
}

/// One answer in conflict.
struct ReviewItem {
    private let field: ConflictField
    private let screen: ReviewScreen
    private let width: Int
    private let frame: Frame
    private let isFocused: Bool

    init(_ field: ConflictField, of screen: ReviewScreen, width: Int, in frame: Frame) {
        self.field = field
        self.screen = screen
        self.width = width
        self.frame = frame
        isFocused = screen.focus.focused == field.path
    }

    private var theme: Theme { frame.theme }
    private var isSideBySide: Bool { frame.size.columns >= 100 }
    private var editor: AnswerEditor? {
        screen.editor?.key.path == field.path ? screen.editor : nil
    }

    /// A value under its title; the chosen one has a mark.
    private struct Side {
        let title: String
        let lines: [String]
        let isChosen: Bool
    }

    var item: ListItem<String> {
        let sides = sides
        let bodyRows =
            isSideBySide
            ? 1 + (sides.map(\.lines.count).max() ?? 0)
            : sides.reduce(0) { $0 + $1.lines.count }
        let long = longEditor
        let lines = long?.lines.count ?? 1
        let editorRows = editor == nil ? 0 : 1 + lines + (editor?.problem == nil ? 0 : 1)
        let caretRow = editor == nil ? 0 : 1 + who.count + bodyRows + 1 + (long?.caret.row ?? 0)
        return ListItem(
            field.path, rows: 1 + who.count + bodyRows + editorRows + 1, caretRow: caretRow
        ) { canvas, rect in
            var rest = rect
            drawHead(&canvas, rest.cutTop(1))
            canvas.lines(
                who, in: rest.cutTop(who.count).inset(columns: 2, rows: 0), style: theme.muted)
            let body = rest.cutTop(bodyRows)
            if isSideBySide {
                drawBeside(sides, &canvas, body)
            } else {
                drawStacked(sides, &canvas, body)
            }
            drawEditor(long, &canvas, rest.cutTop(editorRows))
        }
    }

    private var sides: [Side] {
        guard !field.isRecord else {
            return [
                side(
                    say("mine"), field.mine, isChosen: decision == .mine, instead: say("restored")),
                side(
                    say("theirs"), field.theirs, isChosen: decision == .theirs,
                    instead: say("deleted")),
            ]
        }
        var sides = [
            side(say("before"), field.base, isChosen: false),
            side(say("mine"), field.mine, isChosen: decision == .mine),
            side(
                say("theirs"), field.theirs, isChosen: decision == .theirs,
                instead: isDeletion ? say("deleted") : nil),
        ]
        if case .edited(let value) = decision {
            sides.append(side(say("settled as"), value, isChosen: true))
        }
        return sides
    }

    /// Who else, and by which rule a person is asked.
    private var who: [String] {
        let other = field.theirsBy.map { say("device \($0)") } ?? say("somebody else")
        let deed = isDeletion ? say("Deleted") : say("Also changed")
        let words = say("\(deed) by \(other); \(ruleWords)")
        return TextFlow.wrapped(
            screen.begun[field.path] == nil
                ? words : say("\(words); a third value is begun, e shows it"),
            to: max(1, width - 4))
    }

    /// The others have deleted the inspection: this value stands against no other.
    private var isDeletion: Bool { field.rule == "tombstone" }

    private var ruleWords: String {
        switch field.rule {
        case "ask": say("you decide (rule ask)")
        case "quarantine": say("a supervisor decides (rule quarantine)")
        case "tombstone": say("mine restores the inspection, theirs lets it go")
        default: say("rule \(field.rule)")
        }
    }

    private var longEditor: (lines: [String], caret: Position)? {
        guard let editor, editor.isMultiline else { return nil }
        return editor.line.wrapped(in: frame.layout.longEditorColumns(in: width))
    }

    private var decision: Decision? { screen.decisions[field.path] }

    private func side(
        _ title: String, _ value: FieldValue, isChosen: Bool, instead words: String? = nil
    ) -> Side {
        let text =
            words ?? field.question?.shown(value, in: frame.state.language)
            ?? ShownText.clean(value.plainText)
        return Side(
            title: title, lines: TextFlow.wrapped(text.isEmpty ? "-" : text, to: valueColumns),
            isChosen: isChosen)
    }

    private var titleColumns: Int { min(22, max(6, width / 3)) }

    private var valueColumns: Int {
        isSideBySide ? max(8, (width - 4) / 4 - 2) : max(1, width - titleColumns - 7)
    }

    private func drawHead(_ canvas: inout Canvas, _ line: Rect) {
        canvas.text(frame.marker(isFocused), column: line.column, row: line.row)
        let state = decision == nil ? say("\(frame.symbol(.conflict)) undecided") : say("decided")
        let room = line.columns - CellWidth.of(state) - 4
        canvas.text(
            field.label(in: frame.state.language), column: line.column + 2, row: line.row,
            limit: room, style: theme.title)
        canvas.textEnding(
            state, before: line.endColumn - 1, row: line.row,
            style: decision == nil ? theme.warning : theme.good)
        if isFocused { Frame.highlight(&canvas, line, theme) }
    }

    private func drawStacked(_ sides: [Side], _ canvas: inout Canvas, _ rect: Rect) {
        var rest = rect
        for side in sides {
            let part = rest.cutTop(side.lines.count)
            mark(side, &canvas, column: part.column + 3, row: part.row)
            canvas.text(
                side.title, column: part.column + 5, row: part.row, limit: titleColumns - 1,
                style: theme.muted)
            canvas.lines(
                side.lines,
                in: Rect(
                    column: part.column + 5 + titleColumns, row: part.row,
                    columns: valueColumns + 1, rows: part.rows),
                style: side.isChosen ? theme.title : theme.body)
        }
    }

    private func drawBeside(_ sides: [Side], _ canvas: inout Canvas, _ rect: Rect) {
        var rest = rect.inset(columns: 2, rows: 0)
        for side in sides {
            let part = rest.cutLeft(valueColumns + 2)
            mark(side, &canvas, column: part.column, row: part.row)
            canvas.text(
                side.title, column: part.column + 2, row: part.row, limit: valueColumns,
                style: theme.muted)
            var values = part
            _ = values.cutTop(1)
            _ = values.cutLeft(2)
            canvas.lines(
                side.lines, in: values, style: side.isChosen ? theme.title : theme.body)
        }
    }

    private func mark(_ side: Side, _ canvas: inout Canvas, column: Int, row: Int) {
        guard side.isChosen else { return }
        canvas.text(frame.glyphs.chosen, column: column, row: row, style: theme.good)
    }

    private func drawEditor(
        _ long: (lines: [String], caret: Position)?, _ canvas: inout Canvas, _ rect: Rect
    ) {
        guard let editor, !rect.isEmpty else { return }
        var rest = rect
        let head = rest.cutTop(1)
        canvas.text(say("new value"), column: head.column + 5, row: head.row, style: theme.muted)
        if let problem = editor.problem {
            let line = rest.cutBottom(1)
            canvas.text(
                "! " + problem.message(unit: field.question?.unit), column: line.column + 5,
                row: line.row, limit: line.columns - 6, style: theme.error)
        }
        var place = rest
        _ = place.cutLeft(long == nil ? 5 : 4)
        place = Rect(
            column: place.column, row: place.row,
            columns: min(place.columns - 1, frame.layout.longEditorColumns(in: width)),
            rows: place.rows)
        if let long {
            Frame.longField(&canvas, long.lines, caret: long.caret, in: place, theme)
        } else {
            Frame.field(&canvas, editor.line, in: place, theme)
        }
    }
}
