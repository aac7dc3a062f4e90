import Coding
import Forms
import Phrases
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
        if place == .range { return ("0"..."9").contains(scalar) }
        return question.beginsTyping(scalar)
    }

    mutating func scan(_ text: String) -> [Effect] {
        switch place {
        case .worklist:
            worklist.editFilter { $0.replace(with: text) }
            return []
        case .inspection: return scanAnswer(text)
        default:
            notice = Notice(say("A scan is no command; open an answer first"))
            return []
        }
    }

    private mutating func scanAnswer(_ text: String) -> [Effect] {
        guard let screen = inspectionScreen, let question = screen.focused,
            let key = screen.focus.focused
        else { return [] }
        if let reason = screen.whyNotAnswer {
            notice = Notice(reason.sentence, .bad)
            return []
        }
        if question.type == .acknowledge {
            notice = Notice(say("A scan acknowledges nothing; Enter does"), .bad)
            return []
        }
        if question.type.isChoice || question.type.isChoices {
            return scanChoice(text, of: question, at: key, in: screen)
        }
        let opening = beginEditing(question, at: key, replacingBy: text)
        return opening + acceptAnswer()
    }

    /// Takes the choice that was scanned; of several, beside those that are marked.
    private mutating func scanChoice(
        _ text: String, of question: Question, at key: AnswerKey, in screen: InspectionScreen
    ) -> [Effect] {
        let offered = screen.offered(at: key)
        let found = offered.first { offer in
            offer.choice.name == text || offer.label.lowercased() == text.lowercased()
        }
        guard let found, question.type != .ranking else {
            notice = Notice(
                say("The scan is none of the choices of \(screen.label(of: key))"), .bad)
            return []
        }
        guard question.type == .choices else {
            return store(.string(found.choice.name), at: key, text: nil)
        }
        let marked = Set(screen.value(of: key).plainText.split(separator: " ").map(String.init))
            .union([found.choice.name])
        let names = offered.map(\.choice.name).filter(marked.contains)
        return store(.string(names.joined(separator: " ")), at: key, text: nil)
    }
}

extension Question {
    /// Whether a character begins an answer where the question has the focus.
    func beginsTyping(_ scalar: Unicode.Scalar) -> Bool {
        let digit = ("0"..."9").contains(scalar)
        switch type {
        case .text where appearance.contains("numbers"): return digit
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
