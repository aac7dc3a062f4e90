import Forms
import Inspections
import Phrases
import Replication
import TerminalKit

/// Moving an inspection to another version of its form: first what that would do, then a question.
extension AppState {
    mutating func receive(planned words: MoveWords, of id: RecordID) {
        // Whoever has gone elsewhere meanwhile is not called back.
        guard inspectionScreen?.id == id, inspectionScreen?.editor == nil else { return }
        layers.push(.move(MoveScreen(id, words)))
    }

    /// Somebody else has moved the inspection while an answer was being typed to a question that the
    /// version does not have: the text stays as a draft, and comes back with the question. Until then
    /// the status pane shows it.
    mutating func leaveEditor(goneFrom picture: InspectionPicture) -> [Effect] {
        guard let screen = inspectionScreen, screen.id == picture.id, let editor = screen.editor,
            picture.form.index(of: editor.key.path) == nil
        else { return [] }
        let label = screen.label(of: editor.key)
        layers.top.editor = nil
        notice = Notice(
            say(
                """
                \(label) is not asked by version \(picture.form.version); what was typed is\
                 kept, t shows it
                """), .bad)
        let record = editor.key.record(in: screen.id)
        return
            (editor.isChanged
            ? [.draft(screen.id, editor.key, text: editor.line.text)] : [])
            + [.release(record, [editor.key.path]), .loadStatus]
    }

    mutating func move(_ screen: MoveScreen) -> [Effect] {
        layers.pop()
        return [.move(screen.inspection, to: screen.to)]
    }
}
