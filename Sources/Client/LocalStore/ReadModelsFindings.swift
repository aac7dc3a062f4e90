internal import Coding
package import Forms
package import Inspections
package import Replication
internal import SQLite

/// One finding of an inspection, as it is shown.
package struct FindingView: Sendable, Equatable {
    package var id: RecordID
    package var finding: Finding
    package var sync: SyncBadge
    /// Whether the answer fails as things stand; one that does not may have been corrected since, or
    /// something else is wrong there.
    package var fails: Bool

    package init(id: RecordID, finding: Finding, sync: SyncBadge, fails: Bool) {
        self.id = id
        self.finding = finding
        self.sync = sync
        self.fails = fails
    }
}

/// A finding in a list of those of several inspections.
package struct ListedFinding: Sendable, Equatable {
    package var view: FindingView
    package var inspection: InspectionSummary
    /// Where it stands, as people write it: `pump[2]/seal`.
    package var address: String
    /// What is asked there, in the form's default language.
    package var question: String
}

extension DeviceStore {
    /// The findings of an inspection in the order of its form; those of deleted rows stand in no list.
    package func findings(of id: RecordID) throws -> [ListedFinding] {
        try read { database in
            var shelf = try shelf(database)
            try shelf.load(id)
            return try shelf.findings(of: id, among: try database.findings(below: id))
        }
    }

    /// The one that stands on a question and is still to be mended; nil where none does.
    package func standingFinding(on key: AnswerKey, of id: RecordID) throws -> RecordID? {
        try read { database in
            try database.findings(below: id).first {
                $0.finding.key == key && $0.finding.status == .pending
            }?.id
        }
    }

    /// Those of all inspections that are not closed: what is due first, then by inspection.
    package func openFindings() throws -> [ListedFinding] {
        try read { database in
            var shelf = try shelf(database)
            try shelf.loadAll()
            let stored = Dictionary(grouping: try database.findings(), by: \.inspection)
            return try stored.flatMap { try shelf.findings(of: $0.key, among: $0.value) }
                .filter { $0.view.finding.status != .closed }
                .sorted(by: ListedFinding.isListedBefore)
        }
    }

    /// What records of the queue are about that have no name of their own: `finding on Door seals`.
    /// Deleted ones too.
    package func findingNames(_ ids: some Sequence<RecordID>) throws -> [RecordID: String] {
        try read { database in
            var names: [RecordID: String] = [:]
            for id in ids where names[id] == nil { names[id] = try findingName(id, database) }
            return names
        }
    }

    func findingName(_ id: RecordID, _ database: Connection) throws -> String? {
        let parent = try database.first(
            "SELECT parent_id FROM record WHERE id = ? AND table_name = 'finding'",
            [.text(id.rawValue)]
        ) { try $0.optionalText(0) }
        guard let parent else { return nil }
        let path = try database.value(of: BuiltInField.question, in: id).plainText
        guard let parent, !path.isEmpty else { return "finding" }
        var label = path
        do {
            let form = try formShelf.form(
                of: try database.fields(of: RecordID(parent)), in: database)
            let question = form.question(named: path)
            label = [question?.label, path].compactMap(\.self).first { !$0.isEmpty } ?? path
        } catch StoreError.unknownForm {
            // Named by its path.
        }
        return "finding on " + ShownText.clean(label)
    }
}

extension InspectionShelf {
    mutating func findings(
        of id: RecordID, among stored: [StoredFinding]
    ) throws -> [ListedFinding] {
        guard !stored.isEmpty, let summary = try summary(of: id) else { return [] }
        let filling = try filling(of: id)
        let answers = answers(of: id)
        let rows = answers.rows.map(\.id)
        let places: [(finding: StoredFinding, question: Int, row: Int)] = stored.compactMap {
            each in
            var row = -1
            if let id = each.finding.row {
                guard let index = rows.firstIndex(of: id) else { return nil }
                row = index
            }
            return (each, filling?.form.index(of: each.finding.question) ?? .max, row)
        }
        let sorted = places.sorted { left, right in
            (left.question, left.row, left.finding.id) < (
                right.question, right.row, right.finding.id
            )
        }
        return try sorted.map { each, _, _ in
            let key = each.finding.key
            let question = filling?.form.question(named: key.path)
            return ListedFinding(
                view: FindingView(
                    id: each.id, finding: each.finding, sync: try badge(of: each.id),
                    fails: filling?.fails(key) ?? false),
                inspection: summary, address: answers.address(of: key),
                question: question.map { $0.label.isEmpty ? key.path : $0.label } ?? key.path)
        }
    }
}

extension Connection {
    /// What of an inspection's findings stands in the way of *complete*.
    func findingTroubles(
        of id: RecordID, _ answers: FormAnswers
    ) throws -> [AnswerKey: AnswerProblem] {
        let rows = Set(answers.rows.map(\.id))
        var troubles: [AnswerKey: AnswerProblem] = [:]
        for each in try findings(below: id) {
            if let row = each.finding.row, !rows.contains(row) { continue }
            let isTyped = try first(
                "SELECT 1 FROM draft WHERE record_id = ? LIMIT 1", [.text(each.id.rawValue)]
            ) { _ in true }
            if isTyped != nil {
                troubles[each.finding.key] = .unfinishedFinding
            } else if each.finding.isUnexplained {
                troubles[each.finding.key] = .unexplainedFinding
            }
        }
        return troubles
    }
}

extension ListedFinding {
    fileprivate static func isListedBefore(_ left: Self, _ right: Self) -> Bool {
        // A day beyond all days for what has none.
        let days = (left.view.finding.due ?? "9999", right.view.finding.due ?? "9999")
        if days.0 != days.1 { return days.0 < days.1 }
        let names = (left.inspection.name, right.inspection.name)
        if names.0 != names.1 { return names.0 < names.1 }
        return left.view.id < right.view.id
    }
}
