import Forms
import Phrases
import Replication
import TerminalKit

/// Findings that go while they are on the screen: taken away elsewhere, or with the row that they
/// stand in.
extension AppState {
    /// Leaves those that are gone. What was being typed stays as a draft, which the status pane shows:
    /// nothing else has a place for it.
    mutating func settleFindings() -> [Effect] {
        guard let inspection = openInspection, inspection.picture != nil else { return [] }
        var effects: [Effect] = []
        // With a screen goes what hangs on it: there may be fewer than at the beginning.
        for index in layers.layers.indices.reversed() where index < layers.layers.count {
            switch layers[index] {
            case .finding(let screen)
            where screen.inspection == inspection.id && inspection.finding(screen.id) == nil:
                effects += leave(lost: screen, of: inspection)
            case .findings(var list) where list.inspection == inspection.id:
                list.focus.settle(inspection.findings(in: list).map(\.id))
                layers[index] = .findings(list)
            default: break
            }
        }
        return effects
    }

    private mutating func leave(
        lost screen: FindingScreen, of inspection: InspectionScreen
    ) -> [Effect] {
        leaveFinding(screen.id)
        let deleted =
            screen.question.map {
                say("The finding on \(inspection.label(of: $0)) was deleted elsewhere")
            } ?? say("The finding that was shown was deleted elsewhere")
        let isTyped = screen.editor?.isChanged == true
        notice = Notice(
            isTyped ? say("\(deleted); what was typed is kept, t shows it") : deleted, .bad)
        guard let editor = screen.editor else { return [.loadStatus] }
        let draft = Effect.draft(screen.inspection, editor.key, text: editor.line.text)
        return (isTyped ? [draft] : []) + [
            .release(screen.id, [editor.key.path]), .loadStatus,
        ]
    }

    /// Takes the screen of a finding away, with what hangs on it, from under whatever else is open.
    mutating func leaveFinding(_ id: RecordID) {
        for index in layers.layers.indices.reversed() where layers[index].isAbout(finding: id) {
            layers.remove(at: index)
        }
    }
}

extension Layer {
    /// The screen of a finding, the comments for it, or the question whether it shall go.
    fileprivate func isAbout(finding id: RecordID) -> Bool {
        switch self {
        case .finding(let screen): return screen.id == id
        case .picker(let picker):
            guard case .comment = picker.purpose else { return false }
            return picker.key.row == id.rawValue
        case .confirm(let confirmation):
            guard case .removeFinding(_, let finding) = confirmation.deed else { return false }
            return finding == id
        default: return false
        }
    }
}
