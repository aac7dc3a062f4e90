package import Coding
package import Forms
package import Inspections
import Phrases
package import Replication
package import TerminalKit

/// An open inspection: the questions of the inspection itself or of one row of a repeat in one list,
/// the answer beside each, one of them perhaps being edited.
package struct InspectionScreen: Equatable, Sendable {
    package let id: RecordID
    /// Nil while the store is asked for it.
    package private(set) var picture: InspectionPicture?
    /// What follows from the answers: what is asked, what is wrong, how far it is, rows included.
    package private(set) var form: FormState?
    /// What the verdicts come to so far.
    package private(set) var score = Score()
    /// The row whose questions are shown; nil for those of the inspection itself.
    package private(set) var row: String?
    /// What is shown, in order.
    package private(set) var items: [ScreenItem] = []
    package var focus: ListFocus<AnswerKey>
    package var editor: AnswerEditor?
    /// Answers on their way to the disk, newest last.
    package private(set) var writes: [PendingWrite] = []
    /// The stored answers with those on their way laid over them; a write that fails takes only
    /// itself away.
    private var sheet: AnswerSheet?
    /// Edits that can be taken back, newest last.
    package private(set) var undo: [UndoStep] = []
    /// Problems that the person has been told of by leaving a field; others stay quiet until
    /// *complete* is tried.
    package var blamed: Set<AnswerKey> = []
    /// Whether somebody wanted to complete it and something was missing: once nothing is, the key that
    /// goes from problem to problem completes it.
    package var isCompleting = false
    /// Questions whose draft was found when the inspection was opened.
    package var recovered: Set<AnswerKey> = []
    /// A row that was added and is not in the picture yet: it is opened as soon as it is.
    package var awaitedRow: String?
    /// A question whose answer just failed: what it raised is opened as soon as it is there.
    package var awaitedFinding: AnswerKey?
    /// When something was last stored, for the status line; milliseconds since 1970.
    package var savedAt: Int64?

    package struct PendingWrite: Equatable, Sendable {
        package var edit: EditID
        package var key: AnswerKey
        package var value: FieldValue
        /// On the disk, and not in the picture that is shown yet.
        fileprivate var isStored = false
    }

    package struct UndoStep: Equatable, Sendable {
        package var key: AnswerKey
        package var value: FieldValue
        /// What was typed and not accepted before the edit took its place.
        package var draft: String?
    }

    package static let undoLimit = 100

    package init(id: RecordID, focus key: AnswerKey? = nil) {
        self.id = id
        focus = ListFocus(key)
        row = key?.row
    }

    /// The form being filled in; nil while the store is asked.
    package var filling: FormFilling? { sheet?.filling }

    /// The questions that are shown, notes among them, in order.
    package var questions: [Question] { items.compactMap(\.question) }

    /// What can have the focus: questions, and the lines of repeats.
    package var keys: [AnswerKey] { items.compactMap(\.key) }

    /// Answers without a question, which are shown behind all others.
    package var orphans: Set<AnswerKey> {
        Set(
            items.compactMap { item in
                if case .orphan = item.kind { item.key } else { nil }
            })
    }

    package var focusedItem: ScreenItem? {
        focus.focused.flatMap { key in items.first { $0.key == key } }
    }
    package var focused: Question? { focusedItem?.question }

    package func question(at key: AnswerKey) -> Question? {
        picture?.form.question(named: key.path)
    }

    /// What a question or a repeat is called, in the language that is shown.
    package func label(of key: AnswerKey) -> String {
        if let item = items.first(where: { $0.key == key }) { return item.label }
        guard let question = question(at: key) else { return key.path }
        return filling?.text(question.text, at: key) ?? question.label
    }

    /// What the last visit found at a question.
    package func previous(at key: AnswerKey) -> PreviousValue? {
        picture?.visit.flatMap { filling?.previous(at: key, in: $0) }
    }

    /// The answer as it is shown: stored, or on its way to the disk.
    package func value(of key: AnswerKey) -> FieldValue { filling?.value(of: key) ?? .null }

    /// Nil where there is nothing to say: no answer, and none that is waiting.
    package func standing(of key: AnswerKey) -> Standing? {
        if editor?.key == key, editor?.isChanged == true { return .typed }
        if writes.contains(where: { $0.key == key }) { return .typed }
        if picture?.drafts[key] != nil { return .typed }
        return picture?.answers[key]?.standing
    }

    /// What was typed and not accepted.
    package func draft(of key: AnswerKey) -> String? { picture?.drafts[key] }

    /// The problem to show under a question; quiet while it is being typed. A draft says why it was
    /// not taken.
    package func shownProblem(of key: AnswerKey) -> AnswerProblem? {
        guard editor?.key != key, blamed.contains(key) else { return nil }
        if let draft = draft(of: key), let question = question(at: key) {
            do throws(AnswerProblem) {
                // Any day will do: only whether it can be read is asked.
                _ = try question.parse(
                    draft, rules: .screen, today: CivilDate(daysSinceEpoch: 0),
                    zone: ExpressionZone(fixedOffset: 0), now: 0)
            } catch {
                return error
            }
        }
        return filling?.shownProblem(of: key) ?? filling?.findingTroubles[key]
    }

    /// Problems that are told: what is only not answered yet is none until somebody tried to
    /// complete.
    package var toldProblems: [FormProblem] {
        (form?.problems ?? []).filter { $0.problem != .required || blamed.contains($0.key) }
    }

    // MARK: Changes

    /// - Parameter surroundings: what the form's expressions find at this moment.
    package mutating func show(_ picture: InspectionPicture, in surroundings: FillingSurroundings) {
        if self.picture == nil {
            recovered = Set(picture.drafts.keys)
            blamed.formUnion(picture.drafts.keys)
        }
        self.picture = picture
        writes.removeAll(where: \.isStored)
        // The store's picture may be older than what the person has done since: an answer on its
        // way ends its draft, and the text in the editor is nobody's draft while it stands there.
        for write in writes { self.picture?.drafts[write.key] = nil }
        if sheet?.agrees(with: picture, writing: Set(writes.map(\.key))) != true {
            layOut(in: surroundings)
        }
        settle()
    }

    /// Everything anew, as after a change of the language.
    package mutating func show(in surroundings: FillingSurroundings) {
        layOut(in: surroundings)
        settle()
    }

    package mutating func begin(
        _ edit: EditID, _ key: AnswerKey, _ value: FieldValue, in surroundings: FillingSurroundings
    ) {
        if undo.count == Self.undoLimit { undo.removeFirst() }
        undo.append(UndoStep(key: key, value: self.value(of: key), draft: picture?.drafts[key]))
        writes.append(PendingWrite(edit: edit, key: key, value: value))
        picture?.drafts[key] = nil
        recovered.remove(key)
        sheet?.set(value, at: key, in: surroundings)
        settle()
    }

    package mutating func takeUndo() -> UndoStep? { undo.popLast() }

    /// An undo is a write too, but none that undo would take back.
    package mutating func forgetLastUndo() { _ = undo.popLast() }

    /// The write is on the disk. It goes in one step with the picture that holds it: between the two
    /// the answer would be gone, and with it the questions that depend on it and perhaps the focus.
    /// Without a picture it stays until the next one comes.
    /// - Returns: false where the write is not one of this screen.
    package mutating func end(
        _ edit: EditID, showing picture: InspectionPicture?, in surroundings: FillingSurroundings
    ) -> Bool {
        guard let index = writes.firstIndex(where: { $0.edit == edit }) else { return false }
        writes[index].isStored = true
        if let picture { show(picture, in: surroundings) }
        return true
    }

    /// The write was refused: what is stored is shown again.
    /// - Returns: false where the write is not one of this screen.
    package mutating func takeBack(
        _ edit: EditID, in surroundings: FillingSurroundings
    ) -> Bool {
        guard let index = writes.firstIndex(where: { $0.edit == edit }) else { return false }
        writes.remove(at: index)
        layOut(in: surroundings)
        settle()
        return true
    }

    /// Later news of the answer goes before: a write on its way, or the editor.
    package mutating func keepDraft(_ text: String?, of key: AnswerKey) {
        guard editor?.key != key, !writes.contains(where: { $0.key == key }) else { return }
        picture?.drafts[key] = text
        settle()
    }

    // MARK: Rows

    /// Shows the questions of a row, or with nil those of the inspection itself.
    package mutating func enter(row: String?) {
        guard row != self.row else { return }
        self.row = row
        settle()
    }

    /// Goes to a question or repeat, wherever it stands.
    package mutating func go(to key: AnswerKey) {
        enter(row: key.row)
        focus.focus(key)
        focus.settle(keys)
    }

    private mutating func layOut(in surroundings: FillingSurroundings) {
        sheet = picture.map { picture in
            AnswerSheet(
                picture, in: surroundings, writes: writes.map { ($0.key, $0.value) })
        }
    }

    private mutating func settle() {
        guard let picture, sheet != nil else { return }
        sheet?.setDrafts(Set(picture.drafts.keys))
        sheet?.setTroubles(picture.findingTroubles)
        guard let filling else { return }
        form = filling.state
        score = filling.score(since: picture.visit)
        if let row, filling.answers.row(row) == nil, row != awaitedRow { self.row = nil }
        let version = picture.newerVersion.map { newer in
            ScreenItem(
                kind: .newerVersion, key: nil,
                label: say("Version \(newer) of this form is here; V shows what a move would do"),
                depth: 0)
        }
        let isOpen = row == nil && whyNotChange == nil
        let completion = ScreenItem(
            kind: .completion, key: .completion, label: say("Complete the inspection"), depth: 0)
        items =
            (isOpen ? [version].compactMap(\.self) : []) + filling.items(in: row)
            + (isOpen ? [completion] : [])
        focus.settle(keys)
    }
}

extension FormProblem {
    package var key: AnswerKey { AnswerKey(row: row, path) }
}

extension AnswerKey {
    /// The record that the answer is a field of.
    /// - Parameter inspection: the one that it belongs to.
    package func record(in inspection: RecordID) -> RecordID {
        row.map { RecordID($0) } ?? inspection
    }
}
