import Coding
import Forms
import Inspections
import Phrases
import Replication
import TerminalKit

/// The keys of an inspection while no field is being edited.
extension AppState {
    mutating func performInspection(_ command: Command) -> [Effect] {
        switch command {
        case .open: return openFocused()
        case .sections: return openSections()
        case .nextUnanswered: return goToNextUnanswered()
        case .nextProblem: return goToNextProblem()
        case .complete: return complete()
        case .reopen: return inspectionScreen.map { [.reopen($0.id)] } ?? []
        case .review: return openConflict()
        case .clear: return clearFocused()
        case .discardDraft: return askToDiscardDraft()
        case .pass: return give(.pass)
        case .fail: return give(.fail)
        case .notApplicable: return give(.notApplicable)
        case .notObserved: return give(.notObserved)
        case .lower: return step(by: -1)
        case .raise: return step(by: 1)
        case .why: return openWhy()
        case .history: return openHistory()
        case .takePrevious: return takePrevious()
        case .finding: return openFinding()
        case .findings:
            listFindings()
            return []
        case .move: return inspectionScreen.map { [.planMove($0.id)] } ?? []
        case .addRow: return addRow()
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

    /// What the expressions of a form find on this device at this moment.
    func surroundings(for form: FormDefinition) -> FillingSurroundings {
        var surroundings = FillingSurroundings.looking(at: now.wall, zone: zone.rules)
        surroundings.language = language.flatMap {
            form.parts.languages.contains($0) ? $0 : nil
        }
        return surroundings
    }

    // MARK: Answering

    private mutating func openFocused() -> [Effect] {
        guard let screen = inspectionScreen, let item = screen.focusedItem, let key = item.key
        else { return [] }
        if item.kind == .completion { return complete() }
        if item.repetition != nil { return openRows(of: key) }
        guard let question = item.question else { return [] }
        if screen.standing(of: key) == .conflict { return openReview(key.record(in: screen.id)) }
        if question.type == .acknowledge { return acknowledge(at: key) }
        guard question.type.isChoice || question.type.isChoices else {
            return beginEditing(question, at: key)
        }
        return openPicker(question, at: key)
    }

    /// One key; what is acknowledged already is taken back by clearing it.
    private mutating func acknowledge(at key: AnswerKey) -> [Effect] {
        guard inspectionScreen?.value(of: key).isNull == true else {
            notice = Notice(say("That is acknowledged; Delete takes it back"))
            return []
        }
        return store(.string(Question.acknowledged), at: key, text: nil)
    }

    /// Digits answer at once: they begin a number or a date, and take the choice at that place of
    /// the list.
    mutating func beginTyping(_ key: KeyEvent) -> [Effect] {
        guard let scalar = key.typed, let screen = inspectionScreen, let question = screen.focused,
            let place = screen.focus.focused
        else { return [] }
        let isChoice = question.type.isChoice || question.type.isChoices
        guard isChoice ? ("0"..."9").contains(scalar) : question.beginsTyping(scalar) else {
            return []
        }
        if let reason = screen.whyNotAnswer {
            notice = Notice(reason.sentence, .bad)
            return []
        }
        return isChoice
            ? pick(key, scalar, of: question, at: place)
            : beginEditing(question, at: place, replacingBy: String(scalar))
    }

    private mutating func pick(
        _ typed: KeyEvent, _ digit: Unicode.Scalar, of question: Question, at key: AnswerKey
    ) -> [Effect] {
        guard let screen = inspectionScreen, question.type.isChoice,
            let offered = screen.shortOffer(at: key)
        else {
            // Too many for a digit each, or more than one to take: the list goes on with it.
            let opening = openPicker(question, at: key)
            return opening + press(typed)
        }
        let index = Int(digit.value) - 0x31
        guard offered.indices.contains(index) else {
            let last = min(offered.count, 9)
            notice = Notice(
                say("\(screen.label(of: key)) has \(offered.count) choices: 1 to \(last)"), .bad)
            return []
        }
        return store(.string(offered[index].choice.name), at: key, text: nil)
    }

    /// One key per verdict, then on to the next question.
    private mutating func give(_ verdict: Forms.Verdict) -> [Effect] {
        guard let screen = inspectionScreen, let key = screen.focus.focused,
            let choice = screen.focused?.choices.first(where: { $0.verdict == verdict })
        else {
            notice = Notice(say("This question does not offer that verdict"), .bad)
            return []
        }
        return store(.string(choice.name), at: key, text: nil)
    }

    /// Writes an answer and goes to the next question.
    mutating func store(_ value: FieldValue, at key: AnswerKey, text: String?) -> [Effect] {
        if let reason = inspectionScreen?.refusal(of: value, at: key) {
            notice = Notice(reason.message().sentence, .bad)
            return []
        }
        let effects = write(value, at: key, text: text)
        if !effects.isEmpty { awaitFinding(after: value, at: key) }
        advance()
        return effects
    }

    /// Puts a write over the stored value and sends it on its way.
    /// - Parameter agreed: whether rows with answers may go with it.
    mutating func write(
        _ value: FieldValue, at key: AnswerKey, text: String?, agreed: Bool = false
    ) -> [Effect] {
        guard case .inspection(var screen) = layers.top, let form = screen.picture?.form,
            value != screen.value(of: key) || screen.draft(of: key) != nil
        else { return [] }
        if !agreed {
            let lost = screen.rowsRemoved(by: value, at: key)
            if !lost.isEmpty { return ask(toRemove: lost, with: value, at: key, text: text) }
        }
        lastEdit.number += 1
        screen.begin(lastEdit, key, value, in: surroundings(for: form))
        unkept.remove(DraftPlace(inspection: screen.id, key))
        screen.blamed.insert(key)
        layers.top = .inspection(screen)
        return [.answer(lastEdit, screen.id, key, value, text: text, agreed: agreed)]
    }

    /// Only ever by this key: nothing is taken over by itself.
    private mutating func takePrevious() -> [Effect] {
        guard let screen = inspectionScreen, let key = screen.focus.focused,
            let found = screen.previous(at: key), let filling = screen.filling
        else { return [] }
        let shown = filling.shown(found.value, at: key)
        let effects = store(found.value, at: key, text: nil)
        if !effects.isEmpty {
            notice = Notice(
                say(
                    "\(screen.label(of: key)): took over \(found.words(shown)); Ctrl-_ takes it back"
                ))
        }
        return effects
    }

    private mutating func clearFocused() -> [Effect] {
        guard let screen = inspectionScreen, let key = screen.focus.focused else { return [] }
        let effects = write(.null, at: key, text: nil)
        if !effects.isEmpty {
            notice = Notice(say("Cleared \(screen.label(of: key)); Ctrl-_ takes it back"))
        }
        return effects
    }

    /// Takes the last edit back, as an edit of its own: what was sent stays sent.
    private mutating func takeBack() -> [Effect] {
        if inspectionScreen?.editor != nil {
            undoInEditor()
            return []
        }
        guard case .inspection(var screen) = layers.top, let step = screen.takeUndo() else {
            return []
        }
        if let row = step.key.row, screen.filling?.answers.row(row) == nil {
            layers.top = .inspection(screen)
            notice = Notice(say("The row of the last change is not here any more"), .bad)
            return []
        }
        screen.go(to: step.key)
        layers.top = .inspection(screen)
        if let reason = screen.whyNotAnswer {
            notice = Notice(reason.sentence, .bad)
            return []
        }
        var effects = write(step.value, at: step.key, text: nil)
        if !effects.isEmpty, case .inspection(var screen) = layers.top {
            screen.forgetLastUndo()
            layers.top = .inspection(screen)
        }
        if let draft = step.draft {
            effects.append(.draft(screen.id, step.key, text: draft))
        }
        notice = Notice(say("Took back the last change of \(screen.label(of: step.key))"))
        return effects
    }

    private mutating func askToDiscardDraft() -> [Effect] {
        guard let screen = inspectionScreen, let key = screen.focus.focused else { return [] }
        layers.push(
            .confirm(
                Confirmation(
                    deed: .discardDraft(screen.id, key),
                    title: say("Throw the draft away?"),
                    consequence: say(
                        """
                        What was typed for \(screen.label(of: key)) goes; the stored \
                        answer stays.
                        """),
                    way: .key("y"), now: now)))
        return [.flushInput]
    }
}

extension InspectionScreen {
    /// What a question offers at the moment, each with its text in the language that is shown.
    func offered(at key: AnswerKey) -> [(choice: Choice, label: String)] {
        guard let filling else { return [] }
        return filling.offered(at: key).map { ($0, filling.text($0.shownText, at: key)) }
    }

    /// The same where it is short enough for a digit each; nil where it is not, or where it would take
    /// too long to say.
    func shortOffer(at key: AnswerKey) -> [(choice: Choice, label: String)]? {
        guard let question = question(at: key), question.choices.count <= Self.mostSifted else {
            return nil
        }
        let offered = offered(at: key)
        return offered.count <= PickerScreen.mostNumbered ? offered : nil
    }

    /// A longer list is not gone through with each frame.
    private static let mostSifted = 200

    /// Why the form does not take a value here; nil where it does.
    func refusal(of value: FieldValue, at key: AnswerKey) -> AnswerProblem? {
        guard var trial = filling, !value.isNull, value != trial.value(of: key),
            question(at: key)?.rules.constraint != nil
        else { return nil }
        trial.set(value, at: key)
        guard case .constraint(let words)? = trial.shownProblem(of: key) else { return nil }
        return .constraint(words)
    }

    /// The names of rows with answers that would go with an answer, where it counts rows.
    func rowsRemoved(by value: FieldValue, at key: AnswerKey) -> [String] {
        guard var trial = filling, trial.form.repetitions.contains(where: { $0.count != nil })
        else { return [] }
        let before = trial.wantedRows
        trial.set(value, at: key)
        var made = 0
        do throws(CountRefusal) {
            try trial.followCounts(since: before, mayRemove: false) { _, _ in
                made += 1
                return say("new row \(made)")
            }
        } catch {
            if case .removesRows(let ids) = error {
                return ids.map { filling?.name(ofRow: $0) ?? $0 }
            }
        }
        return []
    }
}
