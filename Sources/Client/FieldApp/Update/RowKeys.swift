import Coding
import Forms
import Phrases
import Replication
import TerminalKit

/// The rows of a repeat: a list of them, and the way into each and back.
extension AppState {
    mutating func openRows(of key: AnswerKey) -> [Effect] {
        guard let screen = inspectionScreen else { return [] }
        var rows = RowsScreen(inspection: screen.id, path: key.path, parent: key.row)
        rows.focus.settle(ids(of: rows))
        layers.push(.rows(rows))
        return []
    }

    mutating func performRows(_ command: Command) -> [Effect] {
        guard case .rows(let rows) = layers.top else { return [] }
        switch command {
        case .open:
            guard let row = rows.focus.focused else { return [] }
            enter(row)
            return []
        case .addRow: return addRow()
        case .deleteRow: return rows.focus.focused.map { deleteRow($0) } ?? []
        case .nextUnanswered: return goToNextUnanswered()
        case .nextProblem: return goToNextProblem()
        default: return []
        }
    }

    /// The rows of the list, in order.
    package func ids(of rows: RowsScreen) -> [String] {
        openInspection?.filling?.answers.rows(of: rows.path, in: rows.parent).map(\.id) ?? []
    }

    /// Shows the questions of a row, in place of its list.
    mutating func enter(_ row: String) {
        if case .rows = layers.top { layers.pop() }
        guard case .inspection(var screen) = layers.top else { return }
        screen.enter(row: row)
        if let first = screen.keys.first { screen.go(to: first) }
        layers.top = .inspection(screen)
    }

    /// Esc: out of a row to the list that it stands in.
    mutating func leaveRow() -> [Effect] {
        guard case .inspection(var screen) = layers.top, let id = screen.row else { return [] }
        guard let row = screen.filling?.answers.row(id) else {
            screen.enter(row: nil)
            layers.top = .inspection(screen)
            return []
        }
        screen.go(to: AnswerKey(row: row.parent, row.path))
        layers.top = .inspection(screen)
        var rows = RowsScreen(
            inspection: screen.id, path: row.path, parent: row.parent, focus: id)
        rows.focus.settle(ids(of: rows))
        layers.push(.rows(rows))
        return []
    }

    // MARK: Adding

    mutating func addRow() -> [Effect] {
        guard let screen = openInspection else { return [] }
        if case .rows(let rows) = layers.top {
            return [.addRow(screen.id, path: rows.path, parent: rows.parent)]
        }
        guard let here = screen.repetitionHere else { return [] }
        return [.addRow(screen.id, path: here.repetition.path, parent: here.parent)]
    }

    mutating func receive(
        added row: String, to id: RecordID, _ picture: InspectionPicture?
    ) -> [Effect] {
        changeInspection(id) { [now] screen in
            screen.awaitedRow = row
            screen.savedAt = now.wall
        }
        warning = nil
        let shown = picture.map { show($0) } ?? [.loadInspection(id)]
        return shown + [.loadStatus, .loadWorklist]
    }

    /// A picture came: everything that hangs on it follows.
    mutating func show(_ picture: InspectionPicture) -> [Effect] {
        let surroundings = surroundings(for: picture.form)
        changeInspection(picture.id) { $0.show(picture, in: surroundings) }
        openAwaitedRow(of: picture.id)
        settleRows()
        openAwaitedFinding(of: picture.id)
        return settleFindings()
    }

    /// Opens a new row as soon as it is there, unless the person is about something else by now.
    private mutating func openAwaitedRow(of id: RecordID) {
        guard let screen = openInspection, screen.id == id, let row = screen.awaitedRow,
            screen.filling?.answers.row(row) != nil
        else { return }
        changeInspection(id) { $0.awaitedRow = nil }
        switch layers.top {
        case .rows: enter(row)
        case .inspection(let top) where top.editor == nil: enter(row)
        default: break
        }
    }

    mutating func settleRows() {
        guard case .rows(var rows) = layers.top else { return }
        rows.focus.settle(ids(of: rows))
        layers.top = .rows(rows)
    }

    // MARK: Deleting

    /// A row in which nobody has answered anything goes at once: nothing is lost.
    private mutating func deleteRow(_ row: String) -> [Effect] {
        guard let screen = openInspection, let filling = screen.filling else { return [] }
        let hasDraft = screen.picture?.drafts.keys.contains { $0.row == row } ?? false
        guard filling.isFilled(row: row) || hasDraft else { return [.deleteRow(screen.id, row)] }
        let answers = filling.state(ofRow: row).answered
        layers.push(
            .confirm(
                Confirmation(
                    deed: .deleteRow(screen.id, row),
                    title: say("Delete \(filling.name(ofRow: row))?"),
                    consequence: answers == 1
                        ? say("Its answer goes with it.")
                        : say("Its \(answers) answers go with it."),
                    way: .key("y"), now: now)))
        return [.flushInput]
    }

    mutating func receive(
        deleted row: String, of id: RecordID, _ picture: InspectionPicture?
    ) -> [Effect] {
        let shown = picture.map { show($0) } ?? [.loadInspection(id)]
        changeInspection(id) { [now] in $0.savedAt = now.wall }
        warning = nil
        notice = Notice(say("Deleted"), .good)
        return shown + [.loadStatus, .loadWorklist]
    }

    /// An answer that counts rows would take some away that have answers. What was typed for it stands
    /// as a draft until it is decided.
    mutating func ask(
        toRemove names: [String], with value: FieldValue, at key: AnswerKey, text: String?
    ) -> [Effect] {
        guard case .inspection(var screen) = layers.top else { return [] }
        if let text { screen.keepDraft(text, of: key) }
        layers.top = .inspection(screen)
        let title = names.count == 1 ? say("Remove a row?") : say("Remove \(names.count) rows?")
        layers.push(
            .confirm(
                Confirmation(
                    deed: .removeRows(screen.id, key, value, text: text), title: title,
                    consequence: say(
                        """
                        With \(screen.label(of: key)) \
                        \(screen.filling?.shown(value, at: key) ?? "") these go, with the \
                        answers in them: \(names.joined(separator: "; ")).
                        """),
                    way: .key("y"), now: now)))
        return text.map { [.draft(screen.id, key, text: $0), .flushInput] } ?? [.flushInput]
    }
}
