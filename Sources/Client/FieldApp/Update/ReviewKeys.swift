import Coding
import Forms
import Phrases
import Replication
import TerminalKit

/// Settling a conflict: each answer by itself, and when the last one is decided, all at once.
extension AppState {
    mutating func openReview(_ id: RecordID) -> [Effect] {
        if case .review(let screen) = layers.top, screen.id == id { return [] }
        layers.push(.review(leftReviews.removeValue(forKey: id) ?? ReviewScreen(id: id)))
        return [.loadConflict(id)]
    }

    mutating func performReview(_ command: Command) -> [Effect] {
        guard case .review(let screen) = layers.top, let field = screen.focused else { return [] }
        switch command {
        case .mine: return decide(.mine, about: field.path)
        case .theirs: return decide(.theirs, about: field.path)
        case .edit: return editResolution(of: field, in: screen)
        case .accept: return acceptResolution()
        case .newLine:
            insertNewLine()
            return []
        case .undo:
            undoInEditor()
            return []
        default: return []
        }
    }

    mutating func decide(_ decision: Decision, about path: String) -> [Effect] {
        guard case .review(var screen) = layers.top else { return [] }
        screen.decide(path, decision)
        screen.editor = nil
        if let next = screen.undecided.first {
            screen.focus.focus(next)
            layers.top = .review(screen)
            notice = Notice(say("\(screen.undecided.count) more to decide"))
            return []
        }
        screen.isSettling = true
        layers.top = .review(screen)
        let shown = screen.picture?.fields.map { ($0.path, $0.theirs) } ?? []
        return [
            .resolve(
                screen.id, screen.decisions, shown: Dictionary(shown, uniquingKeysWith: { $1 }))
        ]
    }

    private mutating func editResolution(
        of field: ConflictField, in screen: ReviewScreen
    ) -> [Effect] {
        guard let question = field.question else { return [] }
        if question.type.isChoice || question.type.isChoices {
            layers.push(
                .picker(
                    PickerScreen(
                        purpose: .resolution(screen.id), key: AnswerKey(field.path),
                        question: question, label: field.label(in: language),
                        offered: question.choices.map { ($0, $0.shownText.plain(in: language)) },
                        text: field.mine.plainText)))
            return []
        }
        var screen = screen
        screen.editor = AnswerEditor(
            key: AnswerKey(field.path), text: screen.begun[field.path] ?? field.mine.plainText,
            original: field.mine.plainText,
            isMultiline: question.type == .text(multiline: true))
        layers.top = .review(screen)
        return []
    }

    private mutating func acceptResolution() -> [Effect] {
        guard case .review(var screen) = layers.top, let editor = screen.editor,
            let question = screen.picture?.field(editor.key.path)?.question
        else { return [] }
        do throws(AnswerProblem) {
            let value = try parse(editor.line.text, for: question)
            return decide(.edited(value), about: editor.key.path)
        } catch {
            screen.editor?.problem = error
            layers.top = .review(screen)
            return []
        }
    }
}
