import Coding
import Forms
import Phrases
import Replication
import TerminalKit

/// Lists of choices: one is taken, several are marked, or all are put in an order. Marks stand in the
/// draft table like typed text, and are stored when the list is left.
extension AppState {
    mutating func openPicker(_ question: Question, at key: AnswerKey) -> [Effect] {
        guard let screen = inspectionScreen else { return [] }
        layers.push(
            .picker(
                PickerScreen(
                    purpose: .answer(screen.id), key: key, question: question,
                    label: screen.label(of: key), offered: screen.offered(at: key),
                    text: screen.draft(of: key) ?? screen.value(of: key).plainText)))
        return [.hold(key.record(in: screen.id), [key.path])]
    }

    mutating func performPicker(_ command: Command) -> [Effect] {
        guard case .picker(var picker) = layers.top else { return [] }
        switch command {
        case .accept where picker.isFiltering:
            picker.isFiltering = false
            layers.top = .picker(picker)
            return []
        case .accept: return picker.mode == .one ? choose(picker.focused, in: picker) : take(picker)
        case .filter:
            picker.isFiltering = true
            layers.top = .picker(picker)
            return []
        case .toggle: changeMarks { picker in picker.focused.map { picker.toggle($0) } }
        case .earlier: changeMarks { picker in picker.focused.map { picker.move($0, by: -1) } }
        case .later: changeMarks { picker in picker.focused.map { picker.move($0, by: 1) } }
        default: break
        }
        return []
    }

    /// Digits take, mark or place a choice; anything else narrows the list.
    mutating func typeInPicker(_ key: KeyEvent) -> [Effect] {
        guard case .picker(let picker) = layers.top else { return [] }
        if !picker.isFiltering, let place = picker.numbered(key) {
            switch picker.mode {
            case .one: return choose(place, in: picker)
            case .several: changeMarks { $0.toggle(place) }
            case .ranking:
                changeMarks { picker in picker.focused.map { picker.move($0, to: place) } }
            }
            return []
        }
        if picker.mode == .one || picker.isFiltering { editFilter { $0.handle(key) } }
        return []
    }

    private mutating func changeMarks(_ change: (inout PickerScreen) -> Void?) {
        guard case .picker(var picker) = layers.top else { return }
        let before = picker.text
        _ = change(&picker)
        if picker.takesMarks, picker.text != before {
            picker.draftDue = picker.draftDue ?? now.uptime + AnswerEditor.draftDelay
        }
        layers.top = .picker(picker)
    }

    mutating func choose(_ place: Int?, in picker: PickerScreen) -> [Effect] {
        guard let place else {
            notice = Notice(say("Nothing fits what was typed"), .bad)
            return []
        }
        if case .comment = picker.purpose {
            layers.pop()
            return take(comment: picker.labels[place], for: picker.key)
        }
        return close(picker, with: .string(picker.choices[place].name), advancing: true)
    }

    private mutating func take(_ picker: PickerScreen) -> [Effect] {
        close(picker, with: Self.value(picker.text), advancing: true)
    }

    /// Esc: what was changed is stored, as when a field is left.
    mutating func leaveMarks() -> [Effect] {
        guard case .picker(let picker) = layers.top else { return [] }
        guard picker.isChanged, case .answer = picker.purpose else {
            return layers.pop().map(releaseHolds) ?? []
        }
        return close(picker, with: Self.value(picker.text), advancing: false)
    }

    private static func value(_ names: String) -> FieldValue {
        names.isEmpty ? .null : .string(names)
    }

    private mutating func close(
        _ picker: PickerScreen, with value: FieldValue, advancing: Bool
    ) -> [Effect] {
        layers.pop()
        switch picker.purpose {
        case .answer(let id):
            let release = Effect.release(picker.key.record(in: id), [picker.key.path])
            if advancing {
                return store(value, at: picker.key, text: picker.draftText) + [release]
            }
            return write(value, at: picker.key, text: picker.draftText) + [release]
        case .resolution:
            return decide(.edited(value), about: picker.key.path)
        case .comment: return []
        }
    }

    // MARK: Ranges

    /// A step up or down, in an editor that is opened for it.
    mutating func step(by direction: Double) -> [Effect] {
        guard let screen = inspectionScreen, let key = screen.editor?.key ?? screen.focus.focused,
            let question = screen.question(at: key), let step = question.limits.step
        else { return [] }
        guard let editor = screen.editor else {
            let text = question.stepped(screen.value(of: key).number, by: direction * step)
            return beginEditing(question, at: key, replacingBy: text, step: step)
        }
        let present = try? parse(editor.line.text, for: question).number
        changeEditor { editor in
            editor.line.replace(with: question.stepped(present, by: direction * step))
            editor.line.toEnd()
        }
        return []
    }
}

extension PickerScreen {
    /// What becomes a draft where the store refuses: marks, not what one key takes.
    fileprivate var draftText: String? { takesMarks ? text : nil }
}

extension Question {
    /// The next value of a range; the lowest where there is none yet.
    fileprivate func stepped(_ number: Double?, by step: Double) -> String {
        let start = limits.hardMinimum ?? 0
        guard let number else { return plainNumber(start) }
        let next = min(max(number + step, start), limits.hardMaximum ?? .greatestFiniteMagnitude)
        // Steps are decimal fractions: without rounding 0.1 + 0.2 would show 17 digits.
        return plainNumber((next * 1e9).rounded() / 1e9)
    }
}
