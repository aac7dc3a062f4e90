import Coding
import Forms
import Replication
import TerminalKit

/// The keys of an inspection while no field is being edited.
extension AppState {
    mutating func performInspection(_ command: Command) -> [Effect] {
        switch command {
        case .open: return openFocused()
        case .sections: return openSections()
        case .nextUnanswered:
            return goToNext { screen, path in
                screen.value(of: path).isNull && screen.draft(of: path) == nil
            }
        case .nextProblem: return goToNextProblem()
        case .complete: return complete()
        case .reopen: return inspectionScreen.map { [.reopen($0.id)] } ?? []
        case .review: return inspectionScreen.map { openReview($0.id) } ?? []
        case .clear: return clearFocused()
        case .discardDraft: return askToDiscardDraft()
        case .pass: return give(.pass)
        case .fail: return give(.fail)
        case .notApplicable: return give(.notApplicable)
        case .notObserved: return give(.notObserved)
        case .undo: return takeBack()
        case .accept: return acceptAnswer()
        case .newLine:
            insertNewLine()
            return []
        default: return []
        }
    }

    /// Lets a change at an open inspection happen wherever it is in the stack.
    mutating func changeInspection(
        _ id: RecordID, _ change: (inout InspectionScreen) -> Void
    ) {
        for index in layers.layers.indices {
            guard case .inspection(var screen) = layers[index], screen.id == id else { continue }
            change(&screen)
            layers[index] = .inspection(screen)
        }
    }

    // MARK: Answering

    private mutating func openFocused() -> [Effect] {
        guard let screen = inspectionScreen, let question = screen.focused else { return [] }
        if screen.standing(of: question.path) == .conflict { return openReview(screen.id) }
        guard question.type.isChoice else {
            return beginEditing(question)
        }
        layers.push(
            .picker(
                PickerScreen(
                    purpose: .answer(screen.id), question: question,
                    current: screen.value(of: question.path))))
        return [.hold(screen.id, [question.path])]
    }

    /// Digits answer at once: they begin a number or a date, and take the choice at that place of
    /// the list.
    mutating func beginTyping(_ key: KeyEvent) -> [Effect] {
        guard let scalar = key.typed, let screen = inspectionScreen, let question = screen.focused
        else { return [] }
        if question.type.isChoice {
            return ("0"..."9").contains(scalar) ? pick(scalar, of: question) : []
        }
        guard question.type.beginsTyping(scalar) else { return [] }
        if let reason = screen.whyNotAnswer {
            notice = Notice(reason.sentence, .bad)
            return []
        }
        return beginEditing(question, replacingBy: String(scalar))
    }

    private mutating func pick(_ digit: Unicode.Scalar, of question: Question) -> [Effect] {
        if let reason = inspectionScreen?.whyNotAnswer {
            notice = Notice(reason.sentence, .bad)
            return []
        }
        let index = Int(digit.value) - 0x31
        let count = question.choices.count
        guard count <= PickerScreen.mostNumbered else {
            // Too many for a digit each: it begins to narrow the list.
            let opening = openFocused()
            editFilter { $0.handle(.character(digit)) }
            return opening
        }
        guard question.choices.indices.contains(index) else {
            let last = min(count, 9)
            notice = Notice("\(question.label) has \(count) choices: 1 to \(last)", .bad)
            return []
        }
        return store(.string(question.choices[index].name), for: question, text: nil)
    }

    /// One key per verdict, then on to the next question.
    private mutating func give(_ verdict: Forms.Verdict) -> [Effect] {
        guard let question = inspectionScreen?.focused,
            let choice = question.choices.first(where: { $0.verdict == verdict })
        else {
            notice = Notice("This question does not offer that verdict", .bad)
            return []
        }
        return store(.string(choice.name), for: question, text: nil)
    }

    /// Writes an answer and goes to the next question.
    mutating func store(_ value: FieldValue, for question: Question, text: String?) -> [Effect] {
        let effects = write(value, for: question, text: text)
        advance()
        return effects
    }

    /// Puts a write over the stored value and sends it on its way.
    mutating func write(_ value: FieldValue, for question: Question, text: String?) -> [Effect] {
        guard case .inspection(var screen) = layers.top else { return [] }
        guard value != screen.value(of: question.path) || screen.draft(of: question.path) != nil
        else { return [] }
        lastEdit.number += 1
        screen.begin(lastEdit, path: question.path, value: value)
        unkept.remove(DraftPlace(inspection: screen.id, path: question.path))
        screen.blamed.insert(question.path)
        layers.top = .inspection(screen)
        return [.answer(lastEdit, screen.id, path: question.path, value, text: text)]
    }

    private mutating func clearFocused() -> [Effect] {
        guard let question = inspectionScreen?.focused else { return [] }
        let effects = write(.null, for: question, text: nil)
        notice = Notice("Cleared \(question.label); Ctrl-_ takes it back")
        return effects
    }

    /// Takes the last edit back, as an edit of its own: what was sent stays sent.
    private mutating func takeBack() -> [Effect] {
        if inspectionScreen?.editor != nil {
            undoInEditor()
            return []
        }
        guard case .inspection(var screen) = layers.top, let step = screen.takeUndo(),
            let question = screen.picture?.form.question(named: step.path)
        else { return [] }
        screen.focus.focus(step.path)
        screen.focus.settle(screen.paths)
        layers.top = .inspection(screen)
        if let reason = screen.whyNotAnswer {
            notice = Notice(reason.sentence, .bad)
            return []
        }
        var effects = write(step.value, for: question, text: nil)
        if !effects.isEmpty, case .inspection(var screen) = layers.top {
            screen.forgetLastUndo()
            layers.top = .inspection(screen)
        }
        if let draft = step.draft {
            effects.append(.draft(screen.id, path: step.path, text: draft))
        }
        notice = Notice("Took back the last change of \(question.label)")
        return effects
    }

    // MARK: Going to a question

    mutating func advance() {
        guard case .inspection(var screen) = layers.top else { return }
        let paths = screen.questions.filter(\.type.takesAnswer).map(\.path)
        guard let here = screen.focus.focused, let index = paths.firstIndex(of: here) else {
            return
        }
        if index + 1 < paths.count {
            screen.focus.focus(paths[index + 1])
            screen.focus.settle(screen.paths)
        } else if notice == nil {
            notice = Notice("That was the last question; F5 completes")
        }
        layers.top = .inspection(screen)
    }

    /// Goes to the next question, after the focused one and then from the top, for which it holds.
    private mutating func goToNext(
        where holds: (InspectionScreen, String) -> Bool
    ) -> [Effect] {
        let leaving = leaveEditor()
        guard case .inspection(var screen) = layers.top else { return leaving }
        let paths = screen.questions.filter(\.type.takesAnswer).map(\.path)
        let here = paths.firstIndex { $0 == screen.focus.focused } ?? -1
        let order = paths[(here + 1)...] + paths[..<max(0, here)]
        if let found = order.first(where: { holds(screen, $0) }) {
            screen.focus.focus(found)
            screen.focus.settle(screen.paths)
            layers.top = .inspection(screen)
        }
        return leaving
    }

    private mutating func goToNextProblem() -> [Effect] {
        // What is wrong goes before what is only not answered yet.
        let told = Set(inspectionScreen?.toldProblems.map(\.path) ?? [])
        let effects = goToNext { screen, path in
            told.isEmpty ? screen.form?.problem(of: path) != nil : told.contains(path)
        }
        blameFocused()
        return effects
    }

    /// Whoever goes to a problem wants to read it.
    private mutating func blameFocused() {
        guard case .inspection(var screen) = layers.top, let path = screen.focus.focused else {
            return
        }
        screen.blamed.insert(path)
        layers.top = .inspection(screen)
    }

    // MARK: The end

    /// The one place where problems block: says how many, and goes to the first.
    private mutating func complete() -> [Effect] {
        let leaving = leaveEditor()
        guard case .inspection(var screen) = layers.top, let form = screen.form else {
            return leaving
        }
        guard let first = form.problems.first else { return leaving + [.complete(screen.id)] }
        screen.blamed.formUnion(form.problems.map(\.path))
        screen.focus.focus(first.path)
        screen.focus.settle(screen.paths)
        layers.top = .inspection(screen)
        let count = form.problems.count
        notice = Notice(
            count == 1
                ? "Not complete yet: this question is missing something"
                : "Not complete yet: \(count) problems; F8 goes from one to the next", .bad)
        return leaving
    }

    private mutating func askToDiscardDraft() -> [Effect] {
        guard let screen = inspectionScreen, let question = screen.focused else { return [] }
        layers.push(
            .confirm(
                Confirmation(
                    deed: .discardDraft(screen.id, path: question.path),
                    title: "Throw the draft away?",
                    consequence: "What was typed for \(question.label) goes; the stored answer "
                        + "stays.",
                    way: .key("y"), now: now)))
        return [.flushInput]
    }
}
