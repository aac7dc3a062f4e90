import Coding
import Forms
import TerminalKit

/// The editor of one answer. Quiet while one types; when the field is left, the answer is stored if
/// its type and hard limits allow, otherwise the text stays as a draft, marked.
extension AppState {
    mutating func beginEditing(
        _ question: Question, replacingBy text: String? = nil
    ) -> [Effect] {
        guard case .inspection(var screen) = layers.top else { return [] }
        let stored = screen.value(of: question.path).plainText
        let draft = screen.draft(of: question.path)
        var editor = AnswerEditor(
            path: question.path, text: text ?? draft ?? stored, original: stored,
            isMultiline: question.type == .text(multiline: true))
        if let text {
            editor.earlier = [LineEditor(draft ?? stored)]
            editor.draftDue = text == stored ? nil : now.uptime + AnswerEditor.draftDelay
        }
        screen.editor = editor
        layers.top = .inspection(screen)
        return [.hold(screen.id, [question.path])]
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
        if !fits { notice = Notice("The pasted text is too long for an answer", .bad) }
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
            editor.line = earlier
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
    }

    /// Enter: stores and goes on. What breaks a rule is said and stays in the editor, which can
    /// still be left by every other way; an unusual number is asked about once.
    mutating func acceptAnswer() -> [Effect] {
        guard case .inspection(var screen) = layers.top, let editor = screen.editor,
            let question = screen.picture?.form.question(named: editor.path)
        else { return [] }
        do {
            let text = editor.line.text
            let value = try question.parse(text, rules: .screen, today: now.today)
            if question.isUnusual(value), value != screen.value(of: editor.path),
                editor.askedAbout != text
            {
                screen.editor?.askedAbout = text
                layers.top = .inspection(screen)
                notice = Notice("That is unusual. Enter again if it is right", .bad)
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
            screen.begun[editor.path] = editor.line.text
            layers.top = .review(screen)
            return [.draft(screen.id, path: editor.path, text: editor.line.text)]
        }
        guard case .inspection(var screen) = layers.top, let editor = screen.editor,
            let question = screen.picture?.form.question(named: editor.path)
        else { return [] }
        screen.editor = nil
        layers.top = .inspection(screen)
        do {
            let text = editor.line.text
            let value = try question.parse(text, rules: .screen, today: now.today)
            return close(editor, storing: value, for: question, advancing: false)
        } catch {
            screen.blamed.insert(editor.path)
            screen.keepDraft(editor.line.text, of: editor.path)
            layers.top = .inspection(screen)
            notice = Notice(
                "\(question.label) \(error.message(unit: question.unit)); kept as a draft", .bad)
            return [
                .draft(screen.id, path: editor.path, text: editor.line.text),
                .release(screen.id, [editor.path]),
            ]
        }
    }

    private mutating func close(
        _ editor: AnswerEditor, storing value: FieldValue, for question: Question, advancing: Bool
    ) -> [Effect] {
        guard case .inspection(let screen) = layers.top else { return [] }
        // The same value again is no change; a draft of it has served.
        let isSame = value == screen.value(of: editor.path)
        let effects =
            isSame
            ? dropDraft(of: editor.path) : write(value, for: question, text: editor.line.text)
        if !isSame, question.isUnusual(value), editor.askedAbout == nil {
            notice = Notice("\(question.label) is unusual", .bad)
        }
        if advancing { advance() }
        return effects + [.release(screen.id, [editor.path])]
    }

    private mutating func dropDraft(of path: String) -> [Effect] {
        guard case .inspection(var screen) = layers.top else { return [] }
        screen.keepDraft(nil, of: path)
        screen.recovered.remove(path)
        layers.top = .inspection(screen)
        return [.draft(screen.id, path: path, text: nil)]
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
