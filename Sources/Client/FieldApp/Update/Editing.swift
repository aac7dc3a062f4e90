import Coding
import Forms
import Phrases
import TerminalKit

/// The editor of one answer. Quiet while one types; when the field is left, the answer is stored if
/// its type and hard limits allow, otherwise the text stays as a draft, marked.
extension AppState {
    mutating func beginEditing(
        _ question: Question, at key: AnswerKey, replacingBy text: String? = nil,
        step: Double? = nil
    ) -> [Effect] {
        guard case .inspection(var screen) = layers.top else { return [] }
        let stored = screen.value(of: key).plainText
        let draft = screen.draft(of: key)
        var editor = AnswerEditor(
            key: key, text: text ?? draft ?? stored, original: stored,
            isMultiline: question.type == .text(multiline: true), step: step)
        editor.line.cut = cut
        if let text {
            editor.earlier = [LineEditor(draft ?? stored)]
            editor.draftDue = text == stored ? nil : now.uptime + AnswerEditor.draftDelay
        }
        screen.editor = editor
        layers.top = .inspection(screen)
        return [.hold(key.record(in: screen.id), [key.path])]
    }

    /// What is typed on this screen, read as an answer.
    func parse(_ text: String, for question: Question) throws(AnswerProblem) -> FieldValue {
        try question.parse(
            text, rules: .screen, today: now.today, zone: zone.rules, now: now.wall)
    }

    mutating func edit(_ key: KeyEvent) -> [Effect] {
        changeEditor { editor in
            let before = editor.line
            let wasTyped = key.typed != nil
            guard editor.line.handle(key) else { return }
            // Typing is taken back as a whole, anything else step by step.
            if !wasTyped || editor.earlier.isEmpty { editor.remember(before) }
        }
        return []
    }

    mutating func pasteIntoEditor(_ text: String) -> [Effect] {
        var fits = true
        changeEditor { editor in
            let before = editor.line
            fits = editor.line.paste(text, multiline: editor.isMultiline)
            editor.remember(before)
        }
        if !fits { notice = Notice(say("The pasted text is too long for an answer"), .bad) }
        return []
    }

    mutating func insertNewLine() {
        changeEditor { editor in
            guard editor.isMultiline else { return }
            let before = editor.line
            editor.line.insert("\n" as Unicode.Scalar)
            editor.remember(before)
        }
    }

    mutating func undoInEditor() {
        changeEditor { editor in
            guard let earlier = editor.earlier.popLast() else { return }
            editor.line.restore(earlier)
        }
    }

    /// A change of the text makes the draft due, and ends what was said about the text before.
    mutating func changeEditor(_ change: (inout AnswerEditor) -> Void) {
        guard var editor = layers.top.editor else { return }
        let before = editor.line.text
        change(&editor)
        if editor.line.text != before {
            editor.problem = nil
            editor.askedAbout = nil
            editor.draftDue = editor.draftDue ?? now.uptime + AnswerEditor.draftDelay
        }
        layers.top.editor = editor
        cut = editor.line.cut
    }

    /// Enter: stores and goes on. What breaks a rule is said and stays in the editor, which can
    /// still be left by every other way; an unusual number is asked about once.
    mutating func acceptAnswer() -> [Effect] {
        guard case .inspection(var screen) = layers.top, let editor = screen.editor,
            let question = screen.question(at: editor.key)
        else { return [] }
        do throws(AnswerProblem) {
            let text = editor.line.text
            let value = try parse(text, for: question)
            if let reason = screen.refusal(of: value, at: editor.key) { throw reason }
            if question.isUnusual(value), value != screen.value(of: editor.key),
                editor.askedAbout != text
            {
                screen.editor?.askedAbout = text
                layers.top = .inspection(screen)
                notice = Notice(say("That is unusual. Enter again if it is right"), .bad)
                return []
            }
            screen.editor = nil
            layers.top = .inspection(screen)
            return close(editor, storing: value, for: question, advancing: true)
        } catch {
            screen.editor?.problem = error
            layers.top = .inspection(screen)
            return []
        }
    }

    /// Leaves an editor, if one is open, by any way but Enter. Never blocked.
    mutating func leaveEditor() -> [Effect] {
        if case .review(var screen) = layers.top, let editor = screen.editor {
            screen.editor = nil
            guard editor.isChanged else {
                layers.top = .review(screen)
                return []
            }
            screen.begun[editor.key.path] = editor.line.text
            layers.top = .review(screen)
            return [.draft(screen.id, editor.key, text: editor.line.text)]
        }
        if case .finding = layers.top { return leaveFindingText() }
        guard case .inspection(var screen) = layers.top, let editor = screen.editor,
            let question = screen.question(at: editor.key)
        else { return [] }
        screen.editor = nil
        layers.top = .inspection(screen)
        do throws(AnswerProblem) {
            let value = try parse(editor.line.text, for: question)
            if let reason = screen.refusal(of: value, at: editor.key) { throw reason }
            return close(editor, storing: value, for: question, advancing: false)
        } catch {
            screen.blamed.insert(editor.key)
            screen.keepDraft(editor.line.text, of: editor.key)
            layers.top = .inspection(screen)
            notice = Notice(
                say(
                    """
                    \(screen.label(of: editor.key)) \(error.message(unit: question.unit)); \
                    kept as a draft
                    """), .bad)
            return [
                .draft(screen.id, editor.key, text: editor.line.text),
                .release(editor.key.record(in: screen.id), [editor.key.path]),
            ]
        }
    }

    private mutating func close(
        _ editor: AnswerEditor, storing value: FieldValue, for question: Question, advancing: Bool
    ) -> [Effect] {
        guard case .inspection(let screen) = layers.top else { return [] }
        // The same value again is no change; a draft of it has served.
        let isSame = value == screen.value(of: editor.key)
        let effects =
            isSame
            ? dropDraft(of: editor.key) : write(value, at: editor.key, text: editor.line.text)
        if !isSame, question.isUnusual(value), editor.askedAbout == nil {
            notice = Notice(say("\(screen.label(of: editor.key)) is unusual"), .bad)
        }
        if advancing { advance() }
        return effects + [.release(editor.key.record(in: screen.id), [editor.key.path])]
    }

    mutating func dropDraft(of key: AnswerKey) -> [Effect] {
        guard case .inspection(var screen) = layers.top else { return [] }
        screen.keepDraft(nil, of: key)
        screen.recovered.remove(key)
        layers.top = .inspection(screen)
        return [.draft(screen.id, key, text: nil)]
    }
}

extension AnswerEditor {
    fileprivate static let undoLimit = 100

    fileprivate mutating func remember(_ line: LineEditor) {
        guard line.text != self.line.text else { return }
        if earlier.count == Self.undoLimit { earlier.removeFirst() }
        earlier.append(line)
    }
}
