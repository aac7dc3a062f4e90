import Coding
import Forms
package import TerminalKit

/// What a barcode scanner typed: an answer to the question that has the focus, or a search in the
/// worklist. One scan is one event with at most one advance, and never a command.
extension AppState {
    /// Whether a printable key would be text now. All others are commands, which a scanner must not
    /// give.
    package func isText(_ key: KeyEvent) -> Bool {
        if place.takesText { return true }
        guard case .inspection(let screen) = layers.top, screen.whyNotAnswer == nil,
            let question = screen.focused, let scalar = key.typed
        else { return false }
        return question.type.beginsTyping(scalar)
    }

    mutating func scan(_ text: String) -> [Effect] {
        switch place {
        case .worklist:
            worklist.editFilter { $0.replace(with: text) }
            return []
        case .inspection: return scanAnswer(text)
        default:
            notice = Notice("A scan is no command; open an answer first")
            return []
        }
    }

    private mutating func scanAnswer(_ text: String) -> [Effect] {
        guard let screen = inspectionScreen, let question = screen.focused else { return [] }
        if let reason = screen.whyNotAnswer {
            notice = Notice(reason.sentence, .bad)
            return []
        }
        if question.type.isChoice {
            guard let choice = question.choices.first(where: { $0.isNamed(text) }) else {
                notice = Notice("The scan is none of the choices of \(question.label)", .bad)
                return []
            }
            return store(.string(choice.name), for: question, text: nil)
        }
        let opening = beginEditing(question, replacingBy: text)
        return opening + acceptAnswer()
    }
}

extension QuestionType {
    /// Whether a character begins an answer of this type where the question has the focus.
    func beginsTyping(_ scalar: Unicode.Scalar) -> Bool {
        let digit = ("0"..."9").contains(scalar)
        switch self {
        case .integer: return digit || scalar == "-" || scalar == "+"
        case .decimal: return digit || ["-", "+", ".", ","].contains(scalar)
        case .date: return digit || scalar == "+" || scalar == "-"
        case .time, .dateTime: return digit
        case .point, .trace, .shape: return digit || scalar == "-"
        case .choice, .choices, .ranking, .verdict, .text, .barcode, .file, .acknowledge, .note:
            return false
        }
    }
}

extension Choice {
    fileprivate func isNamed(_ text: String) -> Bool {
        name == text || label.lowercased() == text.lowercased()
    }
}
