import Phrases
import TerminalKit

/// A tap: on a key of the footer it is that key; on an item it moves the focus there, and on the
/// focused item it is Enter. Nothing that destroys can be confirmed by it.
extension AppState {
    mutating func tap(_ target: TapTarget) -> [Effect] {
        if let key: KeyEvent = target.id() { return press(key) }
        forgetAwaitedFinding()
        var trial = self
        switch trial.go(.to(target)) {
        case .absent: return []
        case .moved:
            // What is typed is kept as by any other way out of its field.
            let leaving = leaveEditor()
            _ = go(.to(target))
            return leaving + toggleTapped()
        case .same:
            if marksByTap { return toggleTapped() }
            // A tap on the field that is being typed in changes nothing.
            return layers.top.editor == nil && place != .ranking ? press(.enter) : []
        }
    }

    private var marksByTap: Bool { [.marking, .markFilter].contains(place) }

    /// Where several are marked a tap marks, and Enter alone takes them.
    private mutating func toggleTapped() -> [Effect] {
        marksByTap ? performPicker(.toggle) : []
    }

    /// The terminal selects text by dragging while it reports no mouse.
    mutating func switchMouse() -> [Effect] {
        hasMouse.toggle()
        notice = Notice(
            hasMouse
                ? say("The mouse is on; Shift+drag selects text")
                : say("The mouse is off; drag selects text")
        )
        return [.setMouse(on: hasMouse)]
    }
}
