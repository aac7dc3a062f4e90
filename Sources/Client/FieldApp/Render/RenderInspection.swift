import Coding
import Forms
import Inspections
import TerminalKit

extension Frame {
    mutating func drawInspection(_ screen: InspectionScreen, in space: Rect) {
        guard screen.picture != nil else {
            drawEmpty("Opening the inspection", in: space)
            return
        }
        let columns = QuestionColumns(width: space.columns, badge: badgeColumns, layout: layout)
        var items: [ListItem<String>] = []
        let asked = Set(screen.paths)
        for entry in screen.sections {
            items.append(heading(entry.section, entry.progress))
            for question in entry.section.questions where asked.contains(question.path) {
                items.append(QuestionItem(question, of: screen, columns, in: self).item)
            }
        }
        canvas.list(items, focused: screen.focus.focused, in: space, anchor: &scroll.inspection)
    }

    private func heading(
        _ section: Section, _ progress: FormState.Progress
    ) -> ListItem<String> {
        let title = section.title
        let count = "\(progress.answered)/\(progress.total)"
        return ListItem(nil) { [theme] canvas, rect in
            let width = canvas.text(
                title, column: rect.column + 1, row: rect.row, limit: rect.columns - 8,
                style: theme.title)
            canvas.text(
                count, column: rect.column + 2 + width, row: rect.row, limit: 6,
                style: theme.muted)
        }
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
