import Phrases
import TerminalKit

extension Frame {
    mutating func drawUnlock(_ screen: UnlockScreen, in space: Rect) {
        let place = space.centred(Size(columns: min(44, space.columns - 2), rows: 6))
        var rest = place
        let head = rest.cutTop(rest.rows > 4 ? 2 : 1)
        canvas.text(
            say("This device is locked"), column: head.column, row: head.row, limit: head.columns,
            style: theme.title)
        let line = rest.cutTop(1)
        let width = canvas.text(
            say("PIN") + " ", column: line.column, row: line.row, style: theme.body)
        let room = max(1, line.columns - width)
        let field = Rect(column: line.column + width, row: line.row, columns: room, rows: 1)
        canvas.fill(field, theme.field)
        let shown = min(screen.typed, room - 1)
        canvas.text(
            String(repeating: "*", count: shown), column: field.column, row: field.row,
            style: theme.field)
        drawUnlockWords(screen, in: rest)
        canvas.cursor = Position(column: field.column + shown, row: field.row)
        canvas.cursorVisible = true
    }

    private mutating func drawUnlockWords(_ screen: UnlockScreen, in space: Rect) {
        var rest = space
        let said = rest.cutTop(1)
        if screen.isChecking {
            canvas.text(say("Checking"), column: said.column, row: said.row, limit: said.columns)
        } else if let problem = screen.problem {
            canvas.text(
                "! " + problem, column: said.column, row: said.row, limit: said.columns,
                style: theme.error)
        }
        if let demo = state.demo {
            let line = rest.cutTop(1)
            canvas.text(
                say("The demo's PIN is \(demo.pin)"), column: line.column, row: line.row,
                limit: line.columns, style: theme.body)
        }
    }
}
