import Coding
import FieldApp
import Forms
import Inspections
import Replication
import TerminalKit

/// A store and a server in a few lines: effects in, messages out. What a test wants to go wrong, it
/// says here.
struct FakeField {
    var pin = "246810"
    private var typed = ""
    var inspections: [RecordID: InspectionPicture] = [:]
    var conflicts: [RecordID: ConflictPicture] = [:]
    /// Earlier ones, the newest first; nil where they cannot be read.
    var visits: [Visit]? = []
    /// Newer versions of forms that are here.
    var newer: [RecordID: FormDefinition] = [:]
    var moved: [RecordID] = []
    var beginnings = Beginnings(forms: [], equipment: [])
    /// Form, version and equipment of each that was begun.
    var begun: [String] = []
    var rows: [QueueRow] = []
    /// Changes that only the journal has.
    var offered = 0
    var missing = 0
    /// The next writes of answers fail with this.
    var refusal: StoreRefusal?
    /// The next answer is stored and cannot be read back.
    var readsFailOnce = false
    /// Drafts cannot be written either.
    var draftsFail = false

    // What happened, for assertions.
    var discarded: [MutationID] = []
    var retried: [MutationID] = []
    var resolved: [RecordID: [String: Decision]] = [:]
    var completed: [RecordID] = []
    var draftsDropped = 0
    var drafts: [AnswerKey: String] = [:]
    var deletedRows: [String] = []
    /// Those of them that had answers.
    var lostRows: [String] = []
    private var lastRow = 0
    private var lastFinding = 0
    /// Findings that were taken away.
    var removedFindings: [RecordID] = []
    var isLocked = true
    var syncs = 0
    var hasQuit = false
    var held: Set<String> = []

    /// Lines of the config file, as they were asked for.
    var kept: [String] = []
    var keepRefusal: StoreRefusal?
    var isBackgroundOff = false
    var about = [
        AboutLine("Device", "handheld-7"), AboutLine("Journal", "is gone", isTrouble: true),
    ]

    private mutating func settingsEffect(_ effect: Effect) -> [AppMessage] {
        switch effect {
        case .keepSetting(let setting, let value):
            kept.append("\(setting.rawValue) = \(value ?? "")")
            return keepRefusal.map { [.refused(.keepSetting, $0)] } ?? [.done(.keepSetting)]
        case .bind(let key, let command):
            kept.append("bind \(command.rawValue) = \(key.name)")
            return [.done(.keepSetting)]
        case .unbind(let command):
            kept.append("unbind \(command.rawValue)")
            return [.done(.keepSetting)]
        case .setBackground(let isOn):
            if let keepRefusal { return [.refused(.setBackground(on: isOn), keepRefusal)] }
            isBackgroundOff = !isOn
            return [.done(.setBackground(on: isOn))]
        case .examine: return [.about(about)]
        default: return []
        }
    }

    mutating func perform(_ effect: Effect) -> [AppMessage] {
        switch effect {
        case .pin(let key): return type(key)
        case .lock:
            isLocked = true
            return []
        case .loadWorklist: return [.worklist(worklist)]
        case .loadStatus: return [.status(status)]
        case .loadInspection(let id): return inspections[id].map { [.inspection($0)] } ?? []
        case .loadConflict(let id):
            return [conflicts[id].map { .conflict($0) } ?? .noConflict(id)]
        case .loadBeginnings: return [.beginnings(beginnings)]
        case .begin(let form, let version, let equipment):
            return begin(form, version, equipment)
        case .loadHistory(let id):
            guard let visits else {
                return [.refused(.readHistory(id), StoreRefusal(.other, "it cannot be read"))]
            }
            return [.history(id, visits)]
        case .answer(let edit, let id, let key, let value, let text, let agreed):
            return answer(edit, id, key, value, text, agreed: agreed)
        case .addRow(let id, let path, let parent):
            lastRow += 1
            let row = FormAnswers.Row(id: "row\(lastRow)", parent: parent, path: path)
            return change(id) { _ = $0.add(row) }.map { [.rowAdded(id, row: row.id, $0)] } ?? []
        case .deleteRow(let id, let row):
            deletedRows.append(row)
            let stored = inspections[id].map { ($0.form, $0.stored) }
            if let (form, answers) = stored,
                FormFilling(form, answers: answers, in: .looking(at: 0)).isFilled(row: row)
            {
                lostRows.append(row)
            }
            return change(id) { _ = $0.remove(row: row) }
                .map { [.rowDeleted(id, row: row, $0)] } ?? []
        case .raiseFinding, .changeFinding, .removeFinding: return findingEffect(effect)
        case .draft(let id, let key, let text): return keep(id, key, text)
        case .complete(let id): return change(id, to: .complete, deed: .complete(id))
        case .reopen(let id): return change(id, to: .inProgress, deed: .reopen(id))
        case .planMove(let id):
            return planned(id).map { [.movePlanned(id, MoveWords($0))] } ?? []
        case .move(let id, _): return move(id)
        case .resolve(let id, let decisions, let shown): return resolve(id, decisions, shown)
        case .retry(let id):
            retried.append(id)
            return [.done(.retry(id))]
        case .discard(let id):
            discarded.append(id)
            rows.removeAll { $0.id == id }
            return [.done(.discard(id))]
        case .syncNow:
            syncs += 1
            return [.sync(.started), .sync(.finished(pushed: 1, pulled: 0, isComplete: true))]
        case .hold(_, let paths):
            held.formUnion(paths)
            return []
        case .release(_, let paths):
            held.subtract(paths)
            return []
        case .keepSetting, .bind, .unbind, .setBackground, .examine: return settingsEffect(effect)
        case .speak(let language): return [.spoken(language)]
        case .setNetwork, .flushInput, .setMouse, .setLook, .redraw, .suspend: return []
        case .quit:
            hasQuit = true
            return []
        }
    }

    private mutating func resolve(
        _ id: RecordID, _ decisions: [String: Decision], _ shown: [String: FieldValue]
    ) -> [AppMessage] {
        let now = conflicts[id]?.fields ?? []
        guard now.allSatisfy({ shown[$0.path] == $0.theirs }) else {
            return [.refused(.resolve(id), StoreRefusal(.other, "changed again"))]
        }
        resolved[id] = decisions
        conflicts[id] = nil
        return [.done(.resolve(id))]
    }

    private mutating func begin(
        _ form: String, _ version: String, _ equipment: RecordID?
    ) -> [AppMessage] {
        if let refusal { return [.refused(.begin, refusal)] }
        guard let definition = inspections.values.first?.form else { return [] }
        begun.append("\(form) \(version) \(equipment?.rawValue ?? "-")")
        let id = RecordID("begun\(begun.count)")
        inspections[id] = InspectionPicture(
            id: id, name: "New", site: "", form: definition, state: .inProgress)
        return [.begun(id)]
    }

    mutating func newFinding() -> RecordID {
        lastFinding += 1
        return RecordID("finding\(lastFinding)")
    }

    private mutating func type(_ key: PINKey) -> [AppMessage] {
        switch key {
        case .type(let scalar): typed.unicodeScalars.append(scalar)
        case .backspace: typed.removeLast()
        case .clear: typed = ""
        case .enter:
            defer { typed = "" }
            guard typed == pin else { return [.unlockRefused(.wrongPIN)] }
            isLocked = false
            return [.unlocked]
        }
        return []
    }

    private mutating func answer(
        _ edit: EditID, _ id: RecordID, _ key: AnswerKey, _ value: FieldValue,
        _ text: String?, agreed: Bool
    ) -> [AppMessage] {
        var refusal = refusal
        var picture: InspectionPicture?
        if refusal == nil {
            var made = lastRow
            defer { lastRow = made }
            picture = change(id) { filling in
                let before = filling.wantedRows
                filling.set(value, at: key)
                do throws(CountRefusal) {
                    try filling.followCounts(since: before, mayRemove: agreed) { _, _ in
                        made += 1
                        return "row\(made)"
                    }
                } catch {
                    refusal = StoreRefusal(.constraint, "rows would go")
                }
            }
        }
        if let refusal {
            if let text, !draftsFail { _ = keep(id, key, text) }
            return [
                .notSaved(
                    UnsavedAnswer(
                        edit: edit, inspection: id, key: key, text: text, refusal: refusal,
                        isDraftKept: text != nil && !draftsFail))
            ]
        }
        inspections[id]?.drafts[key] = nil
        picture?.drafts[key] = nil
        drafts[key] = nil
        defer { readsFailOnce = false }
        return [.saved(edit, id, readsFailOnce ? nil : picture)]
    }

    /// What follows from a change by the form is stored with it.
    private mutating func change(
        _ id: RecordID, by work: (inout FormFilling) -> Void
    ) -> InspectionPicture? {
        guard var picture = inspections[id] else { return nil }
        let before = picture.stored
        var filling = FormFilling(picture.form, answers: before, in: .looking(at: 0))
        work(&filling)
        for key in filling.changes(from: before) {
            picture.answers[key] = AnswerPicture(
                value: filling.value(of: key), standing: .savedHere)
        }
        picture.rows = filling.answers.rows.map {
            RowPicture(id: $0.id, parent: $0.parent, path: $0.path)
        }
        let kept = Set(picture.rows.map(\.id))
        picture.answers = picture.answers.filter { $0.key.row.map(kept.contains) ?? true }
        if picture.state == .assigned || picture.state == .returned { picture.state = .inProgress }
        followFailures(filling, in: &picture)
        inspections[id] = picture
        return picture
    }

    private func planned(_ id: RecordID) -> FormMove? {
        guard let picture = inspections[id], let form = newer[id] else { return nil }
        return FormMove(
            FormFilling(picture.form, answers: picture.stored, in: .looking(at: 0)), to: form,
            laidID: { "laid \($0)" }, countedID: { "\($0.path) \($1)" })
    }

    private mutating func move(_ id: RecordID) -> [AppMessage] {
        guard let move = planned(id) else { return [] }
        moved.append(id)
        inspections[id]?.form = move.filling.form
        inspections[id]?.newerVersion = nil
        return [.done(.move(id))]
    }

    private mutating func keep(_ id: RecordID, _ key: AnswerKey, _ text: String?) -> [AppMessage] {
        if draftsFail {
            return [
                .draftNotSaved(id, key, text: text, StoreRefusal(.disk, "the disk is full"))
            ]
        }
        if text == nil, drafts[key] != nil { draftsDropped += 1 }
        drafts[key] = text
        inspections[id]?.drafts[key] = text
        return [.draftSaved(id, key, text: text)]
    }

    private mutating func change(
        _ id: RecordID, to state: InspectionState, deed: Deed
    ) -> [AppMessage] {
        if state == .complete { completed.append(id) }
        inspections[id]?.state = state
        return [.done(deed)]
    }

    var status: StatusPicture {
        var status = StatusPicture()
        status.rows = rows
        status.offered = offered
        status.missing = missing
        status.failed = rows.count { $0.badge == .failed }
        status.conflict = rows.count { $0.badge == .conflict }
        status.isBackgroundOff = isBackgroundOff
        return status
    }

    private var worklist: [WorklistRow] {
        inspections.values.map { picture in
            WorklistRow(
                id: picture.id, name: picture.name, site: picture.site, form: picture.form.title,
                due: picture.due, state: picture.state, badge: .synced,
                answered: picture.answers.count, total: picture.form.questions.count)
        }
    }
}
