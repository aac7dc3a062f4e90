package import Coding
package import Forms
import LocalStore
package import Replication
package import TerminalKit

/// An open inspection: its questions in one list, the answer beside each, one of them perhaps being
/// edited.
package struct InspectionScreen: Equatable, Sendable {
    package let id: RecordID
    /// Nil while the store is asked for it.
    package private(set) var picture: InspectionPicture?
    /// What follows from the answers: what is asked, what is wrong, how far it is.
    package private(set) var form: FormState?
    package var focus: ListFocus<String>
    package var editor: AnswerEditor?
    /// Answers on their way to the disk, newest last.
    package private(set) var writes: [PendingWrite] = []
    /// The stored answers with those on their way laid over them; a write that fails takes only
    /// itself away.
    private var overlay = OptimisticPicture()
    /// What `overlay` shows.
    private var answers: [String: FieldValue] = [:]
    /// Edits that can be taken back, newest last.
    package private(set) var undo: [UndoStep] = []
    /// Problems that the person has been told of by leaving a field; others stay quiet until
    /// *complete* is tried.
    package var blamed: Set<String> = []
    /// Questions whose draft was found when the inspection was opened.
    package var recovered: Set<String> = []
    /// When something was last stored, for the status line; milliseconds since 1970.
    package var savedAt: Int64?

    package struct PendingWrite: Equatable, Sendable {
        package var edit: EditID
        package var path: String
        fileprivate var layer: OptimisticPicture.EditID
        /// On the disk, and not in the picture that is shown yet.
        fileprivate var isStored = false
    }

    package struct UndoStep: Equatable, Sendable {
        package var path: String
        package var value: FieldValue
        /// What was typed and not accepted before the edit took its place.
        package var draft: String?
    }

    package static let undoLimit = 100

    package init(id: RecordID, focus path: String? = nil) {
        self.id = id
        focus = ListFocus(path)
    }

    /// The questions that are asked now, notes among them, in order.
    package var questions: [Question] {
        guard let picture, let form else { return [] }
        return picture.form.questions.filter { form.relevant.contains($0.path) }
    }

    package var paths: [String] { questions.map(\.path) }

    package var focused: Question? {
        focus.focused.flatMap { picture?.form.question(named: $0) }
    }

    /// The answer as it is shown: stored, or on its way to the disk.
    package func value(of path: String) -> FieldValue { answers[path] ?? .null }

    /// Nil where there is nothing to say: no answer, and none that is waiting.
    package func standing(of path: String) -> Standing? {
        if editor?.path == path, editor?.isChanged == true { return .typed }
        if writes.contains(where: { $0.path == path }) { return .typed }
        if picture?.drafts[path] != nil { return .typed }
        return picture?.answers[path]?.standing
    }

    /// What was typed and not accepted.
    package func draft(of path: String) -> String? { picture?.drafts[path] }

    /// The problem to show under a question; quiet while it is being typed. A draft says why it was
    /// not taken.
    package func shownProblem(of path: String) -> AnswerProblem? {
        guard editor?.path != path, blamed.contains(path) else { return nil }
        if let draft = draft(of: path), let question = picture?.form.question(named: path) {
            do throws(AnswerProblem) {
                // Any day will do: only whether it can be read is asked.
                _ = try question.parse(
                    draft, rules: .screen, today: CivilDate(daysSinceEpoch: 0))
            } catch {
                return error
            }
        }
        return form?.problem(of: path)
    }

    /// Problems that are told: what is only not answered yet is none until somebody tried to
    /// complete.
    package var toldProblems: [FormProblem] {
        (form?.problems ?? []).filter { $0.problem != .required || blamed.contains($0.path) }
    }

    /// The sections of which something is asked, with their counts.
    package var sections: [(index: Int, section: Section, progress: FormState.Progress)] {
        guard let picture, let form else { return [] }
        return zip(picture.form.sections.indices, form.sections).compactMap { index, progress in
            progress.isRelevant ? (index, picture.form.sections[index], progress) : nil
        }
    }

    // MARK: Changes

    package mutating func show(_ picture: InspectionPicture) {
        if self.picture == nil {
            recovered = Set(picture.drafts.keys)
            blamed.formUnion(picture.drafts.keys)
        }
        self.picture = picture
        for write in writes where write.isStored { overlay.succeed(write.layer) }
        writes.removeAll(where: \.isStored)
        // The store's picture may be older than what the person has done since: an answer on its
        // way ends its draft, and the text in the editor is nobody's draft while it stands there.
        for write in writes { self.picture?.drafts[write.path] = nil }
        overlay.load(picture.answers.mapValues(\.value), of: id)
        evaluate()
    }

    package mutating func begin(_ edit: EditID, path: String, value: FieldValue) {
        if undo.count == Self.undoLimit { undo.removeFirst() }
        undo.append(
            UndoStep(path: path, value: self.value(of: path), draft: picture?.drafts[path]))
        let layer = overlay.begin([(path, value)], on: id)
        writes.append(PendingWrite(edit: edit, path: path, layer: layer))
        picture?.drafts[path] = nil
        recovered.remove(path)
        evaluate()
    }

    package mutating func takeUndo() -> UndoStep? { undo.popLast() }

    /// An undo is a write too, but none that undo would take back.
    package mutating func forgetLastUndo() { _ = undo.popLast() }

    /// The write is on the disk. Its layer goes in one step with the picture that holds it: between
    /// the two the answer would be gone, and with it the questions that depend on it and perhaps the
    /// focus. Without a picture it stays until the next one comes.
    /// - Returns: false where the write is not one of this screen.
    package mutating func end(_ edit: EditID, showing picture: InspectionPicture?) -> Bool {
        guard let index = writes.firstIndex(where: { $0.edit == edit }) else { return false }
        writes[index].isStored = true
        if let picture { show(picture) }
        return true
    }

    /// The write was refused: what is stored is shown again.
    /// - Returns: false where the write is not one of this screen.
    package mutating func takeBack(_ edit: EditID) -> Bool {
        guard let index = writes.firstIndex(where: { $0.edit == edit }) else { return false }
        overlay.fail(writes.remove(at: index).layer)
        evaluate()
        return true
    }

    /// Later news of the path goes before: a write on its way, or the editor.
    package mutating func keepDraft(_ text: String?, of path: String) {
        guard editor?.path != path, !writes.contains(where: { $0.path == path }) else { return }
        picture?.drafts[path] = text
        evaluate()
    }

    private mutating func evaluate() {
        guard let picture else { return }
        answers = overlay.shown(id)
        form = picture.form.evaluate(answers: answers, drafts: Set(picture.drafts.keys))
        focus.settle(paths)
    }
}

/// The editor of one answer, in its place in the list.
package struct AnswerEditor: Equatable, Sendable {
    package let path: String
    package let isMultiline: Bool
    package var line: LineEditor
    /// The text with which it was opened.
    package let original: String
    /// Earlier texts, for undo.
    package var earlier: [LineEditor] = []
    /// Uptime by which the text must stand in the draft table; nil when it does.
    package var draftDue: Int64?
    /// Said after Enter was refused; gone with the next key.
    package var problem: AnswerProblem?
    /// The text about which the person was asked whether it is right though unusual.
    package var askedAbout: String?

    /// A draft is on the disk this soon after the first key that it does not hold (ms).
    package static let draftDelay: Int64 = 600

    package init(path: String, text: String, original: String, isMultiline: Bool) {
        self.path = path
        self.isMultiline = isMultiline
        self.original = original
        line = LineEditor(text, limit: FieldValue.longestText)
        line.toEnd()
    }

    package var isChanged: Bool { line.text != original }
}
