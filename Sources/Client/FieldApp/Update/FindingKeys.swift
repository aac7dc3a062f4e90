import Coding
package import Forms
package import Inspections
import Phrases
import Replication
import TerminalKit

/// Findings: raised by a failing answer or by a key, said more of in their own screen.
extension AppState {
    /// The question that the finding on top is about.
    var findingQuestion: Question? {
        guard case .finding(let screen) = layers.top, let finding = shownFinding(screen) else {
            return nil
        }
        return openInspection?.question(at: finding.key)
    }

    /// As it is shown: stored, or on its way to the disk.
    package func shownFinding(_ screen: FindingScreen) -> Finding? {
        screen.overlay ?? openInspection?.finding(screen.id)?.finding
    }

    // MARK: From the inspection

    /// The one of the focused question, or all of it; where there is none, one is raised.
    mutating func openFinding() -> [Effect] {
        guard let screen = inspectionScreen, let key = screen.focus.focused else { return [] }
        if screen.findings(at: key).isEmpty { return [.raiseFinding(screen.id, key)] }
        showFindings(at: key)
        return []
    }

    /// The only one, or all of them.
    mutating func showFindings(at key: AnswerKey) {
        guard let screen = inspectionScreen else { return }
        let standing = screen.findings(at: key)
        switch standing.count {
        case 0: return
        case 1: show(finding: standing[0].id, of: screen.id)
        default: listFindings(of: key)
        }
    }

    mutating func listFindings(of key: AnswerKey? = nil) {
        guard let screen = inspectionScreen else { return }
        var list = FindingsScreen(inspection: screen.id, question: key)
        list.focus.settle(screen.findings(in: list).map(\.id))
        layers.push(.findings(list))
    }

    mutating func performFindings(_ command: Command) -> [Effect] {
        guard case .findings(let list) = layers.top, command == .open,
            let id = list.focus.focused
        else { return [] }
        show(finding: id, of: list.inspection)
        return []
    }

    private mutating func show(finding id: RecordID, of inspection: RecordID) {
        var screen = FindingScreen(inspection: inspection, id: id)
        screen.question = openInspection?.finding(id)?.finding.key
        layers.push(.finding(screen))
    }

    /// What an answer that fails raises is opened as soon as it is there, unless the person is about
    /// something else by then.
    mutating func awaitFinding(after value: FieldValue, at key: AnswerKey) {
        guard case .inspection(var screen) = layers.top,
            let question = screen.question(at: key), question.findingOnFail,
            question.verdict(of: value) == .fail
        else { return }
        screen.awaitedFinding = key
        layers.top = .inspection(screen)
    }

    mutating func forgetAwaitedFinding() {
        guard case .inspection(var screen) = layers.top, screen.awaitedFinding != nil else {
            return
        }
        screen.awaitedFinding = nil
        layers.top = .inspection(screen)
    }

    mutating func openAwaitedFinding(of id: RecordID) {
        guard case .inspection(var screen) = layers.top, screen.id == id,
            let key = screen.awaitedFinding, let found = screen.findings(at: key).last
        else { return }
        screen.awaitedFinding = nil
        layers.top = .inspection(screen)
        if screen.editor == nil { show(finding: found.id, of: id) }
    }

    // MARK: In the finding

    mutating func performFinding(_ command: Command) -> [Effect] {
        guard case .finding(let screen) = layers.top else { return [] }
        switch command {
        case .open: return screen.field.isText ? beginFindingText(screen.field) : turn(by: 1)
        case .lower: return turn(by: -1)
        case .raise: return turn(by: 1)
        case .accept: return acceptFindingText()
        case .newLine: insertNewLine()
        case .undo: undoInEditor()
        case .removeFinding: return askToRemove(screen)
        default: break
        }
        return []
    }

    /// Digits take a word, or a text that the form has ready.
    mutating func typeInFinding(_ key: KeyEvent) -> [Effect] {
        guard case .finding(let screen) = layers.top, let scalar = key.typed,
            ("1"..."9").contains(scalar)
        else { return [] }
        if let reason = openInspection?.whyNotChange {
            notice = Notice(reason.sentence, .bad)
            return []
        }
        let index = Int(scalar.value) - 0x31
        switch screen.field {
        case .severity where Finding.Severity.allCases.indices.contains(index):
            return perform(.severity(Finding.Severity.allCases[index]))
        case .status where Finding.Status.allCases.indices.contains(index):
            return perform(.status(Finding.Status.allCases[index]))
        case .note:
            let comments = openInspection?.comments(of: findingQuestion) ?? []
            return comments.indices.contains(index) ? add(comment: comments[index]) : []
        default: return []
        }
    }

    private mutating func turn(by step: Int) -> [Effect] {
        guard case .finding(let screen) = layers.top, let finding = shownFinding(screen) else {
            return []
        }
        func next<Word: CaseIterable & Equatable>(_ word: Word) -> Word
        where Word.AllCases == [Word] {
            let all = Word.allCases
            let index = all.firstIndex(of: word) ?? 0
            return all[(index + step + all.count) % all.count]
        }
        switch screen.field {
        case .severity: return perform(.severity(next(finding.severity)))
        case .status: return perform(.status(next(finding.status)))
        case .note, .owner, .due: return []
        }
    }

    /// Shown at once, and written behind.
    private mutating func perform(_ change: FindingChange) -> [Effect] {
        guard case .finding(var screen) = layers.top, var finding = shownFinding(screen) else {
            return []
        }
        let before = finding
        finding.take(change)
        guard finding != before else { return [] }
        screen.overlay = finding
        screen.writes += 1
        layers.top = .finding(screen)
        return [.changeFinding(screen.inspection, finding: screen.id, change)]
    }

    mutating func add(comment: String) -> [Effect] {
        guard case .finding(let screen) = layers.top, let finding = shownFinding(screen) else {
            return []
        }
        let before = draft(of: .note, in: screen) ?? finding.note
        return dropDraft(of: .note, in: screen) + perform(.note(Self.join(before, comment)))
    }

    static func join(_ text: String?, _ comment: String) -> String {
        guard let text, !text.isEmpty else { return comment }
        return text + "; " + comment
    }

    // MARK: Texts

    func draft(of field: FindingField, in screen: FindingScreen) -> String? {
        openInspection?.draft(of: screen.key(of: field))
    }

    private mutating func dropDraft(
        of field: FindingField, in screen: FindingScreen
    ) -> [Effect] {
        let key = screen.key(of: field)
        guard openInspection?.draft(of: key) != nil else { return [] }
        changeInspection(screen.inspection) { $0.keepDraft(nil, of: key) }
        return [.draft(screen.inspection, key, text: nil)]
    }

    private mutating func beginFindingText(_ field: FindingField) -> [Effect] {
        guard case .finding(var screen) = layers.top, let finding = shownFinding(screen) else {
            return []
        }
        let stored = field.text(of: finding)
        screen.editor = AnswerEditor(
            key: screen.key(of: field), text: draft(of: field, in: screen) ?? stored,
            original: stored, isMultiline: field == .note)
        screen.editor?.line.cut = cut
        layers.top = .finding(screen)
        return [.hold(screen.id, [field.field])]
    }

    private mutating func acceptFindingText() -> [Effect] {
        guard case .finding(var screen) = layers.top, let editor = screen.editor,
            let field = FindingField(field: editor.key.path)
        else { return [] }
        do throws(AnswerProblem) {
            let change = try read(editor.line.text, as: field)
            screen.editor = nil
            layers.top = .finding(screen)
            let effects = store(change, of: field, typed: editor)
            move(by: 1)
            return effects
        } catch {
            screen.editor?.problem = error
            layers.top = .finding(screen)
            return []
        }
    }

    /// By any way but Enter. Never blocked: what is no day stays as a draft.
    mutating func leaveFindingText() -> [Effect] {
        guard case .finding(var screen) = layers.top, let editor = screen.editor,
            let field = FindingField(field: editor.key.path)
        else { return [] }
        screen.editor = nil
        layers.top = .finding(screen)
        do throws(AnswerProblem) {
            return store(try read(editor.line.text, as: field), of: field, typed: editor)
        } catch {
            let text = editor.line.text
            changeInspection(screen.inspection) { $0.keepDraft(text, of: editor.key) }
            notice = Notice(say("\(field.label) \(error.message()); kept as a draft"), .bad)
            return [
                .draft(screen.inspection, editor.key, text: text),
                .release(screen.id, [field.field]),
            ]
        }
    }

    private func read(
        _ text: String, as field: FindingField
    ) throws(AnswerProblem) -> FindingChange {
        switch field {
        case .due:
            return .due(
                try FindingDay.read(text, rules: .screen, today: now.today, zone: zone.rules))
        case .owner: return .owner(text)
        default: return .note(text)
        }
    }

    /// What was typed stands as a draft first: where the store refuses it, nothing is lost.
    private mutating func store(
        _ change: FindingChange, of field: FindingField, typed editor: AnswerEditor
    ) -> [Effect] {
        guard case .finding(let screen) = layers.top else { return [] }
        let release = Effect.release(screen.id, [field.field])
        guard shownFinding(screen) != nil else {
            return [.draft(screen.inspection, editor.key, text: editor.line.text), release]
        }
        let said = perform(change)
        guard !said.isEmpty else { return dropDraft(of: field, in: screen) + [release] }
        let draft = Effect.draft(screen.inspection, editor.key, text: editor.line.text)
        return [draft] + said + [release]
    }

    // MARK: Comments

    /// Texts that the form has ready, as a list that narrows as one types.
    mutating func openComments() -> [Effect] {
        guard let screen = openInspection else { return [] }
        let question: Question?
        let key: AnswerKey?
        if case .finding(let finding) = layers.top {
            question = findingQuestion
            key = finding.key(of: .note)
        } else {
            question = screen.focused
            key = screen.focus.focused
        }
        guard let question, let key else { return [] }
        let labels = screen.comments(of: question)
        let offered = labels.enumerated().map { index, label in
            (choice: Choice(name: String(index), label: label), label: label)
        }
        layers.push(
            .picker(
                PickerScreen(
                    purpose: .comment(screen.id), key: key,
                    question: Question(path: key.path, label: "", type: .choice),
                    label: say("Comments"), offered: offered, text: "")))
        return []
    }

    /// Behind what stands there already.
    mutating func take(comment: String, for key: AnswerKey) -> [Effect] {
        if case .finding = layers.top { return add(comment: comment) }
        guard let screen = inspectionScreen else { return [] }
        let before = screen.draft(of: key) ?? screen.value(of: key).plainText
        let text = Self.join(before, comment)
        return write(.string(text), at: key, text: text)
    }

    // MARK: What comes back

    private mutating func askToRemove(_ screen: FindingScreen) -> [Effect] {
        layers.push(
            .confirm(
                Confirmation(
                    deed: .removeFinding(screen.inspection, finding: screen.id),
                    title: say("Take the finding away?"),
                    consequence: say(
                        """
                        For one that was a mistake. What was mended is corrected or \
                        closed instead.
                        """),
                    way: .key("y"), now: now)))
        return [.flushInput]
    }

    mutating func receive(
        raised finding: RecordID, of id: RecordID, _ picture: InspectionPicture?
    ) -> [Effect] {
        let after = receive(findingOf: id, picture)
        if let top = inspectionScreen, top.id == id, top.editor == nil {
            show(finding: finding, of: id)
        }
        return after
    }

    mutating func receive(
        changed finding: RecordID, of id: RecordID, _ picture: InspectionPicture?
    ) -> [Effect] {
        changeFindingScreen(finding) { screen in
            screen.writes = max(0, screen.writes - 1)
            if screen.writes == 0 { screen.overlay = nil }
        }
        return receive(findingOf: id, picture)
    }

    mutating func receive(
        removed finding: RecordID, of id: RecordID, _ picture: InspectionPicture?
    ) -> [Effect] {
        leaveFinding(finding)
        notice = Notice(say("The finding is taken away"), .good)
        return receive(findingOf: id, picture)
    }

    private mutating func receive(
        findingOf id: RecordID, _ picture: InspectionPicture?
    ) -> [Effect] {
        changeInspection(id) { [now] in $0.savedAt = now.wall }
        warning = nil
        let shown = picture.map { show($0) } ?? [.loadInspection(id)]
        return shown + [.loadStatus, .loadWorklist]
    }

    /// What was said is not stored: what is, is shown again.
    mutating func takeBackFindings(of id: RecordID) -> [Effect] {
        for index in layers.layers.indices {
            guard case .finding(var screen) = layers[index], screen.inspection == id else {
                continue
            }
            screen.writes = 0
            screen.overlay = nil
            layers[index] = .finding(screen)
        }
        return [.loadInspection(id)]
    }

    private mutating func changeFindingScreen(
        _ id: RecordID, _ change: (inout FindingScreen) -> Void
    ) {
        for index in layers.layers.indices {
            guard case .finding(var screen) = layers[index], screen.id == id else { continue }
            change(&screen)
            layers[index] = .finding(screen)
        }
    }
}

extension InspectionScreen {
    /// The texts that the form has ready for a question, in the language that is shown.
    package func comments(of question: Question?) -> [String] {
        guard let question, let filling else { return [] }
        return question.comments.choices.map { filling.text($0.text, at: nil) }
    }
}
