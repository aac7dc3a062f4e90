import Coding
import Forms
import Inspections
package import LocalStore
import Phrases
package import Replication

/// What the store knows, as the screen's pictures.
extension DeviceStore {
    package func worklistRows() throws -> [WorklistRow] {
        let forms = try forms()
        let titles = Dictionary(
            forms.map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first })
        let drafted = try draftedInspections()
        return try inspections().map { summary in
            WorklistRow(
                id: summary.id, name: shownName(summary), recordName: summary.name,
                site: summary.site ?? "", form: titles[summary.form] ?? summary.form,
                due: summary.dueOn,
                state: summary.shownState, badge: summary.sync.badge, answered: summary.answered,
                total: summary.total,
                hasDraft: drafted.contains(summary.id), formID: summary.form)
        }
    }

    /// Where something was typed and not accepted, in a row too.
    private func draftedInspections() throws -> Set<RecordID> {
        let drafted = try inspectionsWithDrafts()
        let owners = try inspectionsOfParts(drafted)
        return Set(drafted.map { owners[$0] ?? $0 })
    }

    /// The asset's tag, which no answer can change; the record's own name where there is no asset.
    /// A deleted inspection stands in the list only while somebody has to decide about it.
    private func shownName(_ summary: InspectionSummary) -> String {
        let name = summary.asset ?? summary.name
        return summary.isDeleted ? say("\(name) (deleted)") : name
    }

    func picture(of id: RecordID) throws -> InspectionPicture {
        let detail = try inspection(id)
        let summary = detail.summary
        guard let form = try heldForm(of: summary) else { return try readOnlyPicture(of: detail) }
        let confirmed: Standing = summary.version > 0 ? .accepted : .savedHere
        var answers = try shown(detail.fields, of: id, row: nil, confirmed: confirmed)
        var times: [Int64] = []
        var drafts = try shownDrafts(of: id, row: nil, &times)
        for row in detail.rows {
            let own = row.id.rawValue
            answers.merge(
                try shown(row.fields, of: row.id, row: own, confirmed: confirmed)
            ) { $1 }
            drafts.merge(try shownDrafts(of: row.id, row: own, &times)) { $1 }
        }
        // What this version does not ask has no place among the questions: the status pane shows it.
        drafts = drafts.filter { form.index(of: $0.key.path) != nil }
        for each in detail.findings {
            let id = each.view.id
            drafts.merge(try shownDrafts(of: id, row: id.rawValue, &times)) { $1 }
        }
        var picture = InspectionPicture(
            id: id, name: shownName(summary), site: summary.site ?? "", form: form,
            state: summary.shownState, due: summary.dueOn, answers: answers,
            rows: detail.rows.map {
                RowPicture(id: $0.id.rawValue, parent: $0.parent?.rawValue, path: $0.path)
            },
            drafts: drafts, conflicts: Self.records(in: detail.conflicts))
        picture.lastTyped = times.max()
        picture.lastSaved = try lastSaved(by: form, but: id)
        picture.findings = detail.findings.map { each in
            FindingPicture(
                id: each.view.id, finding: each.view.finding, badge: each.view.sync.badge,
                fails: each.view.fails)
        }
        // One that was deleted elsewhere, and waits for a decision, is no visit.
        if !summary.isDeleted {
            picture.visit = try previousVisit(of: id)
            picture.newerVersion = try newerVersion(for: id)
        }
        return picture
    }

    /// The answers of one record: the inspection's, or a row's.
    private func shown(
        _ fields: [FieldName: InspectionDetail.Field], of record: RecordID, row: String?,
        confirmed: Standing
    ) throws -> [AnswerKey: AnswerPicture] {
        // Of a hundred rows few have something that waits.
        let waits = fields.values.contains { $0.sync != .synced }
        let waiting = waits ? try standings(of: record) : [:]
        var answers: [AnswerKey: AnswerPicture] = [:]
        for (path, field) in fields {
            answers[AnswerKey(row: row, path)] = AnswerPicture(
                value: field.value, standing: waiting[path] ?? confirmed)
        }
        return answers
    }

    /// - Parameter times: receives when each was typed.
    private func shownDrafts(
        of id: RecordID, row: String?, _ times: inout [Int64]
    ) throws -> [AnswerKey: String] {
        let drafts = try drafts(in: id)
        times += drafts.map(\.updatedAt)
        return Dictionary(
            drafts.map { (AnswerKey(row: row, $0.field), $0.text) }, uniquingKeysWith: { $1 })
    }

    /// Each once, in order.
    private static func records(in conflicts: [ConflictView]) -> [RecordID] {
        var records: [RecordID] = []
        for conflict in conflicts where !records.contains(conflict.recordId) {
            records.append(conflict.recordId)
        }
        return records
    }

    /// nil where it is not on this device: with an older program, or a server that has lost it.
    private func heldForm(of summary: InspectionSummary) throws -> FormDefinition? {
        do {
            return try form(summary.form, version: summary.formVersion).definition
        } catch let error as StoreError {
            guard case .unknownForm = error else { throw error }
            return nil
        }
    }

    /// Of an inspection without its form: everything that was entered, to be read.
    private func readOnlyPicture(of detail: InspectionDetail) throws -> InspectionPicture {
        let summary = detail.summary
        let drafts = try Dictionary(
            drafts(in: summary.id).map { ($0.field, $0.text) }, uniquingKeysWith: { $1 })
        let values = drafts.mapValues { _ in FieldValue.null }
            .merging(detail.fields.mapValues(\.value)) { $1 }
        let name = "\(summary.form) \(summary.formVersion)"
        let standIn: StandInForm
        do {
            standIn = try StandInForm(titled: say("\(name): form missing"), fields: values)
        } catch is FormError {
            throw StoreError.unknownForm(id: summary.form, version: summary.formVersion)
        }
        let waiting = try standings(of: summary.id)
        let confirmed: Standing = summary.version > 0 ? .accepted : .savedHere
        var answers: [AnswerKey: AnswerPicture] = [:]
        var shownDrafts: [AnswerKey: String] = [:]
        for (path, name) in standIn.names {
            answers[AnswerKey(path)] = detail.fields[name].map {
                AnswerPicture(value: $0.value, standing: waiting[name] ?? confirmed)
            }
            shownDrafts[AnswerKey(path)] = drafts[name]
        }
        return InspectionPicture(
            id: summary.id, name: shownName(summary), site: summary.site ?? "",
            form: standIn.definition, state: summary.shownState, due: summary.dueOn,
            answers: answers, drafts: shownDrafts,
            conflicts: Self.records(in: detail.conflicts),
            whyReadOnly: say("the form \(name) is not on this device; sync fetches it where it is"))
    }

    /// How far each waiting answer of a record has come: the worst that any mutation says of it.
    private func standings(of id: RecordID) throws -> [FieldName: Standing] {
        var standings: [FieldName: Standing] = [:]
        for row in try outbox(of: id) {
            let standing = row.standing
            for column in row.columns {
                let known = standings[column] ?? .accepted
                standings[column] = max(known, standing)
            }
        }
        return standings
    }

    package func statusPicture() throws -> StatusPicture {
        let summary = try status()
        var picture = StatusPicture()
        picture.pending = summary.pending
        picture.inFlight = summary.inFlight
        picture.failed = summary.failed
        picture.conflict = summary.conflict
        picture.inReview = summary.inReview
        picture.lastSync = summary.lastSyncUtc.flatMap(SyncTimestamp.shown)
        picture.oldestUnsynced = summary.oldestUnsyncedUtc.flatMap(SyncTimestamp.shown)
        picture.isBackgroundOff = !summary.syncsInBackground
        picture.device = summary.deviceId.map { String($0.prefix(8)) } ?? ""
        picture.offered = summary.offered
        picture.missing = summary.missing
        picture.rows = try strandedRows() + queueRows(of: picture.unsynced)
        picture.isListCut = picture.unsynced > Self.mostRows
        return picture
    }

    /// Texts that were typed where nothing shows the question any more: this pane alone has them.
    private func strandedRows() throws -> [QueueRow] {
        let drafts = try strandedDrafts()
        guard !drafts.isEmpty else { return [] }
        let known = try inspections(Set(drafts.compactMap(\.inspection)))
        var labels = QuestionLabels(self)
        return try drafts.map { stranded in
            let summary = stranded.inspection.flatMap { known[$0] }
            let field = stranded.draft.field
            let finding = try findingNames([stranded.record])[stranded.record]
            var row = QueueRow(
                id: MutationID("draft \(stranded.record) \(field)"), record: stranded.record,
                name: summary.map(shownName) ?? say("a deleted inspection"), badge: .failed,
                isInspection: false, fields: [field],
                labels: try finding.map { [Self.question(of: field, on: $0).text] }
                    ?? labels.of([field], summary: summary),
                createdAt: stranded.draft.updatedAt)
            row.inspection = summary?.id
            row.stranded = StrandedText(
                record: stranded.record, field: field, text: stranded.draft.text,
                question: stranded.finding)
            row.stranded?.isOnlyNotAsked = stranded.reason == .notAsked
            return row
        }
    }

    /// Rows of the status pane: what is beyond, nobody scrolls to, and thousands of rows with every
    /// batch that goes out would keep the screen waiting.
    private static let mostRows = 500

    /// - Parameter count: how many wait.
    private func queueRows(of count: Int) throws -> [QueueRow] {
        let waiting = try count > Self.mostRows ? outboxHeads(Self.mostRows) : outbox()
        guard !waiting.isEmpty else { return [] }
        let records = Set(waiting.map(\.recordId))
        let places = try rowPlaces(of: records)
        let owners = try inspectionsOfParts(records)
        let known = try inspections(Set(records.map { owners[$0] ?? $0 }))
        let findings = try findingNames(
            waiting.filter { $0.tableName == RecordTable.finding }.map(\.recordId))
        var labels = QuestionLabels(self)
        return try waiting.map { row in
            let owner = places[row.recordId]?.inspection ?? owners[row.recordId]
            let summary = known[owner ?? row.recordId]
            let fields = row.columns.filter { !BuiltInField.isBuiltIn($0) }
            var shown = QueueRow(
                id: row.mutationId, record: row.recordId,
                name: summary.map(shownName)
                    ?? "\(row.tableName) \(row.recordId.rawValue.prefix(8))",
                badge: row.standing.badge, isInFlight: row.standing == .sent,
                createsRecord: row.operation == "INSERT",
                isInspection: summary != nil && owner == nil,
                reason: row.lastError.map(ReasonText.words), fields: fields,
                labels: try findings[row.recordId].map { [FormText($0)] }
                    ?? labels.of(fields, summary: summary),
                createdAt: SyncTimestamp.shown(row.createdAtUtc), tries: Int(row.retryCount),
                nextTry: row.nextAttemptUtc.flatMap(SyncTimestamp.shown))
            shown.isInBundle = row.isInBundle
            shown.inspection = summary == nil ? nil : owner
            shown.place = places[row.recordId]?.address
            return shown
        }
    }

    package func conflictPicture(of id: RecordID) throws -> ConflictPicture? {
        let conflicts = try conflicts(of: id)
        guard !conflicts.isEmpty else { return nil }
        // A row of a repeat has its inspection's form and name.
        let place = try rowPlaces(of: [id])[id]
        let summary = try inspection(inspectionsOfParts([id])[id] ?? id).summary
        let form = try heldForm(of: summary)
        let drafts = try Dictionary(
            drafts(in: id).map { ($0.field, $0.text) }, uniquingKeysWith: { $1 })
        let finding = try findingNames([id])[id]
        let fields = conflicts.map { conflict in
            ConflictField(
                path: conflict.column,
                question: finding.map { Self.question(of: conflict.column, on: $0) }
                    ?? form?.question(named: conflict.column),
                base: conflict.base, mine: conflict.mine, theirs: conflict.theirs,
                theirsBy: conflict.theirsNode.map { String($0.rawValue.prefix(8)) },
                rule: conflict.rule, draft: drafts[conflict.column])
        }
        let name = shownName(summary) + (place.map { ", " + $0.address } ?? "")
        var picture = ConflictPicture(id: id, name: name, fields: fields)
        picture.isInBundle = try isInBundle(whatResolves: id)
        return picture
    }
}

extension DeviceStore {
    /// How the note of a finding, or another of its texts, is read and checked in a conflict.
    private static func question(of field: FieldName, on finding: String) -> Question {
        let name = FindingField(field: field)?.label ?? field
        return Question(
            path: field, label: "\(name): \(finding)", type: .text(multiline: true))
    }
}

extension InspectionSummary {
    /// A state of a later version reads as work that goes on.
    fileprivate var shownState: InspectionState { InspectionState(rawValue: state) ?? .inProgress }
}

extension OutboxRow {
    fileprivate var standing: Standing {
        switch status {
        case "IN_FLIGHT": .sent
        case "FAILED": .failed
        case "CONFLICT": .conflict
        case "IN_REVIEW": .inReview
        default: .savedHere
        }
    }
}

extension SyncBadge {
    fileprivate var badge: Badge {
        switch self {
        case .synced: .synced
        case .pending: .pending
        case .failed: .failed
        case .conflict: .conflict
        case .inReview: .inReview
        }
    }
}

extension Standing: Comparable {
    /// By how much an answer needs a person.
    private var weight: Int {
        switch self {
        case .accepted: 0
        case .sent: 1
        case .savedHere: 2
        case .typed: 3
        case .inReview: 4
        case .failed: 5
        case .conflict: 6
        }
    }

    package static func < (left: Standing, right: Standing) -> Bool { left.weight < right.weight }
}

extension SyncTimestamp {
    /// Only to be shown: what cannot be read is shown as unknown.
    fileprivate static func shown(_ text: String) -> Int64? { try? milliseconds(text) }
}

/// What questions of forms are called, each form read once.
private struct QuestionLabels {
    private let store: DeviceStore
    private var forms: [String: FormDefinition?] = [:]

    init(_ store: DeviceStore) { self.store = store }

    mutating func of(_ paths: [String], summary: InspectionSummary?) throws -> [FormText] {
        guard let summary, let form = try form(of: summary) else { return [] }
        return paths.map { form.question(named: $0)?.text ?? FormText($0) }
    }

    private mutating func form(of summary: InspectionSummary) throws -> FormDefinition? {
        let key = summary.form + "\n" + summary.formVersion
        if let known = forms[key] { return known }
        let isHere = try store.forms().contains {
            $0.id == summary.form && $0.version == summary.formVersion
        }
        let form =
            isHere ? try store.form(summary.form, version: summary.formVersion).definition : nil
        forms[key] = .some(form)
        return form
    }
}

/// A server's reason without its code, which is for programs: `locked: the inspection is approved`.
enum ReasonText {
    static func words(_ reason: String) -> String {
        guard let colon = reason.firstRange(of: ": ") else { return reason }
        let code = reason[..<colon.lowerBound]
        let isCode =
            !code.isEmpty
            && code.unicodeScalars.allSatisfy { ("a"..."z").contains($0) || $0 == "_" }
        return isCode ? String(reason[colon.upperBound...]).sentence : reason
    }
}
