import Forms
import Inspections
import Phrases
import TerminalKit

extension Frame {
    mutating func drawWorklist(in space: Rect) {
        var rest = space
        let worklist = state.worklist
        let isFiltered = worklist.isFiltering || !worklist.filter.isEmpty
        let filterLine = isFiltered ? rest.cutTop(1) : nil
        if worklist.shown.isEmpty {
            drawEmpty(emptyWorklist, in: rest)
        } else {
            let longest = worklist.shown.map { CellWidth.of(shownName($0)) }.max() ?? 0
            let columns = WorklistColumns(
                width: rest.columns, badge: badgeColumns, longestName: longest, layout: layout)
            canvas.list(
                worklistItems(columns), focused: worklist.focus.focused, in: rest,
                anchor: &scroll.worklist)
        }
        guard let filterLine else { return }
        if worklist.isFiltering {
            drawInput(worklist.filter, label: say("Filter:"), in: filterLine)
        } else {
            canvas.text(
                say("Filter: \(worklist.filter.text) (Esc shows all)"),
                column: filterLine.column + 1,
                row: filterLine.row, limit: filterLine.columns - 1, style: theme.title)
        }
    }

    /// Each says the one next step.
    private var emptyWorklist: String {
        if !state.worklist.isLoaded { return say("Opening the worklist") }
        if !state.worklist.rows.isEmpty {
            return say("No inspection fits the filter; Esc shows all")
        }
        guard state.status.lastSync != nil else {
            return say("No inspection is on this device yet; s fetches what is assigned")
        }
        return say("Nothing is assigned to this device; a begins an inspection, s asks again")
    }

    private func worklistItems(_ columns: WorklistColumns) -> [ListItem<WorklistRow.ID>] {
        var items: [ListItem<WorklistRow.ID>] = []
        var last: String?
        for row in state.worklist.shown {
            if let group = state.worklist.order.group(of: row), group != last {
                items.append(heading(group))
                last = group
            }
            items.append(item(row, columns))
        }
        return items
    }

    private func heading(_ title: String) -> ListItem<WorklistRow.ID> {
        let style = theme.title
        return ListItem(nil) { canvas, rect in
            canvas.text(
                title, column: rect.column + 1, row: rect.row, limit: rect.columns - 2,
                style: style)
        }
    }

    private func item(
        _ row: WorklistRow, _ columns: WorklistColumns
    ) -> ListItem<WorklistRow.ID> {
        let isFocused = row.id == state.worklist.focus.focused
        let isOverdue = isOverdue(row)
        let badgeText =
            columns.badgeWord > 0 ? "\(symbol(row.badge)) \(row.badge.label)" : symbol(row.badge)
        let badgeStyle = style(of: row.badge)
        let marker = marker(isFocused)
        let name = shownName(row)
        return ListItem(row.id) { [theme] canvas, rect in
            var column = rect.column
            func cell(_ text: String, _ width: Int, _ style: Style = theme.body) {
                guard width > 0 else { return }
                canvas.text(text, column: column, row: rect.row, limit: width, style: style)
                column += width + 1
            }
            cell(marker, 1)
            cell(badgeText, columns.badge, badgeStyle)
            cell(name, columns.name, theme.title)
            cell(row.form, columns.form)
            cell(row.state.label, columns.state)
            cell(columns.due(row.due), columns.dueWidth, isOverdue ? theme.warning : theme.body)
            canvas.textEnding(
                "\(row.answered)/\(row.total)", before: rect.endColumn - 1, row: rect.row,
                limit: columns.progress, style: theme.body)
            if isFocused { Frame.highlight(&canvas, rect, theme) }
        }
    }

    /// With a mark where something was typed and not accepted.
    private func shownName(_ row: WorklistRow) -> String {
        row.hasDraft ? "\(row.name) \(typedSymbol)" : row.name
    }

    private func isOverdue(_ row: WorklistRow) -> Bool {
        guard let due = row.due.flatMap({ CivilDate($0) }), let today = state.now.today else {
            return false
        }
        return due < today && (row.state == .assigned || row.state == .inProgress)
    }
}

/// The widths of a worklist row's parts; 0 for one that is left out.
struct WorklistColumns {
    let badge: Int
    let badgeWord: Int
    let name: Int
    let form: Int
    let state: Int
    let dueWidth: Int
    let progress = 5
    private let showsYear: Bool

    init(width: Int, badge symbol: Int, longestName: Int, layout: Layout) {
        let hasRoom = width >= 66
        badgeWord = hasRoom ? 10 : 0
        badge = symbol + badgeWord
        state = width >= 76 ? 11 : 0
        showsYear = hasRoom
        dueWidth = hasRoom ? 10 : (width >= 34 ? 5 : 0)
        let parts = [1, badge, state, dueWidth, progress].filter { $0 > 0 }
        let rest = width - parts.reduce(0) { $0 + $1 + 1 } - 1
        // What the names do not need, the forms get; both at least about half of what they had.
        let half = width >= 34 ? max(0, rest * 11 / 20 - 1) : 0
        form = half == 0 ? 0 : max(half, rest - longestName - 1)
        name = max(4, rest - (form > 0 ? form + 1 : 0))
    }

    func due(_ day: String?) -> String {
        guard let day else { return "" }
        return showsYear ? day : String(day.dropFirst(5))
    }
}
