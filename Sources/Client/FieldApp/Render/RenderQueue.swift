import Forms
import Phrases
import Replication
import TerminalKit

extension AppState.CycleFigures {
    /// `sent 1250 of 50000`; while it fetches, what came.
    var words: String {
        sent < total || fetched == 0 ? say("sent \(sent) of \(total)") : say("fetched \(fetched)")
    }
}

extension Frame {
    /// The status pane: figures, then a row for each change that waits.
    mutating func drawQueue(_ screen: StatusScreen, in space: Rect) {
        var rest = space
        if !layout.hasPanel {
            let facts = queueFacts
            let lines = TextFlow.wrapped(
                facts.joined(separator: ", "), to: max(1, rest.columns - 2)
            )
            let head = rest.cutTop(min(lines.count, max(1, rest.rows / 3)))
            canvas.lines(lines, in: head.inset(columns: 1, rows: 0), style: theme.body)
        }
        guard !state.status.rows.isEmpty else {
            drawEmpty(emptyQueue, in: rest)
            return
        }
        let rows = state.status.rows
        let contents = ListContents(rows.map(\.id)) { [self, width = rest.columns] index in
            item(rows[index], isFocused: rows[index].id == screen.focus.focused, width: width)
        }
        canvas.list(contents, focused: screen.focus.focused, in: rest, anchor: &scroll.queue)
    }

    private var emptyQueue: String {
        if state.status.missing > 0 {
            return say("Nothing waits here; of what is missing 'walkdown doctor' tells")
        }
        return state.status.offered > 0
            ? say("Nothing waits here; what the journal alone has, 'walkdown doctor' names")
            : say("Nothing waits: everything is at the server")
    }

    private var queueFacts: [String] {
        let status = state.status
        var facts = [
            say("\(status.pending + status.inFlight) pending"), say("\(status.failed) failed"),
            say("\(status.conflict) conflict"), say("\(status.inReview) in review"),
            say("last sync \(time.clock(status.lastSync))"),
        ]
        if let progress = state.cycleProgress { facts.insert(progress.words, at: 0) }
        if let oldest = status.oldestUnsynced { facts.append(say("oldest \(time.age(oldest))")) }
        if let agree = status.digestsAgree {
            facts.append(agree ? say("digests agree") : say("digests differ"))
        }
        if status.isListCut { facts.append(say("the first \(status.rows.count) listed")) }
        if status.missing > 0 { facts.append(say("\(status.missing) missing")) }
        if status.offered > 0 { facts.append(say("\(status.offered) in the journal alone")) }
        if status.isBackgroundOff { facts.append(say("background sync off: only 's' sends")) }
        if status.isMetered, !status.isBackgroundOff {
            facts.append(say("metered: only 's' sends"))
        }
        if !status.device.isEmpty { facts.append(say("device \(status.device)")) }
        return facts
    }

    private func item(
        _ row: QueueRow, isFocused: Bool, width: Int
    ) -> ListItem<QueueRow.ID> {
        let word = row.isInFlight ? say("sent") : row.badge.label
        let state = row.stranded.map {
            $0.isOnlyNotAsked ? say("typed, not asked now") : say("typed, deleted since")
        }
        let head = row.name + (row.place.map { ", " + $0 } ?? "") + " (\(state ?? word))"
        var details = [String]()
        if let text = row.stranded?.text {
            details += TextFlow.wrapped(ShownText.clean(text), to: max(1, width - 6))
        }
        if let reason = row.reason { details += TextFlow.wrapped(reason, to: max(1, width - 6)) }
        details += TextFlow.wrapped(queueDetails(of: row), to: max(1, width - 6))
        let badge = symbol(row.badge)
        let style = style(of: row.badge)
        let marker = marker(isFocused)
        let indent = badgeColumns + 3
        return ListItem(row.id, rows: 1 + details.count) { [theme] canvas, rect in
            canvas.text(marker, column: rect.column, row: rect.row)
            canvas.text(badge, column: rect.column + 2, row: rect.row, style: style)
            canvas.text(
                head, column: rect.column + indent, row: rect.row,
                limit: rect.columns - indent - 1, style: theme.title)
            for (offset, line) in details.enumerated() {
                canvas.text(line, column: rect.column + 4, row: rect.row + 1 + offset)
            }
            if isFocused {
                var line = rect
                Frame.highlight(&canvas, line.cutTop(1), theme)
            }
        }
    }

    private func queueDetails(of row: QueueRow) -> String {
        var details: [String] = []
        let names =
            row.labels.isEmpty ? row.fields : row.labels.map { $0.plain(in: state.language) }
        if !names.isEmpty { details.append(names.joined(separator: ", ")) }
        if let created = row.createdAt { details.append(say("age \(time.age(created))")) }
        if row.stranded != nil { return details.joined(separator: "; ") }
        if row.badge == .failed || row.tries > 0 {
            details.append(row.tries == 1 ? say("1 failed try") : say("\(row.tries) failed tries"))
        }
        if let next = row.nextTry {
            details.append(say("next try \(time.wait(next))"))
        } else if row.badge == .pending, !row.isInFlight {
            details.append(say("goes with the next sync"))
        }
        return details.joined(separator: "; ")
    }
}
