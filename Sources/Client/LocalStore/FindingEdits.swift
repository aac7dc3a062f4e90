internal import Coding
package import Forms
package import Inspections
package import Replication
internal import SQLite

/// Findings are records below their inspection: raised and withdrawn with the answers that they are
/// about, in the same transaction, and worked on by people.
extension DeviceStore {
    /// Raises a finding by hand, on any question that takes an answer, whether that fails or not.
    /// - Throws: `StoreError.refused`, where the inspection is closed or has no such question;
    ///   `AnswerRefusal.noSuchRow`.
    @discardableResult
    package func raiseFinding(
        on key: AnswerKey, of id: RecordID, _ changes: [FindingChange] = []
    ) throws -> RecordID {
        try edit { database in
            try database.requireRecord(id, table: RecordTable.inspection)
            let (answers, filling) = try stored(id, database)
            try requireOpen(answers.fields)
            guard let index = filling.form.index(of: key.path),
                filling.form.allQuestions[index].type.takesAnswer
            else { throw StoreError.refused(.question, field: key.path) }
            if let row = key.row, filling.answers.row(row) == nil { throw AnswerRefusal.noSuchRow }
            let question = filling.form.allQuestions[index]
            let visit = try previousVisit(of: id, database)
            let finding = Finding(
                question: key.path, row: key.row, severity: Finding.severity(on: question),
                isRepeated: visit.map { filling.repeatsViolation(at: key, since: $0) } ?? false)
            try database.beginWork(on: id)
            let raised = try insert(finding, on: id, database)
            try write(changes, to: raised, database)
            return raised
        }
    }

    /// Changes a finding; what equals what is stored changes nothing.
    package func changeFinding(_ id: RecordID, by changes: [FindingChange]) throws {
        try edit { database in
            let inspection = try openInspection(ofFinding: id, database)
            let changed = try changes.filter {
                try database.value(of: $0.field, in: id) != $0.value
            }
            if !changed.isEmpty { try database.beginWork(on: inspection) }
            try write(changed, to: id, database)
            for change in changes { try database.removeDraft(change.field, of: id) }
        }
    }

    /// Takes a finding away: one that was a mistake. What was mended is closed instead.
    package func removeFinding(_ id: RecordID) throws {
        try edit { database in
            try database.beginWork(on: try openInspection(ofFinding: id, database))
            try withdraw(id, database)
        }
    }

    /// - Throws: `unknownRecord` unless the finding and its inspection are here; `refused` where that is
    ///   complete or approved.
    private func openInspection(
        ofFinding id: RecordID, _ database: Connection
    ) throws -> RecordID {
        try database.requireRecord(id, table: RecordTable.finding)
        let parent = try database.first(
            "SELECT parent_id FROM record WHERE id = ?", [.text(id.rawValue)]
        ) { try $0.optionalText(0) }
        guard let parent = parent ?? nil else { throw StoreError.unknownRecord(id.rawValue) }
        try database.requireRecord(RecordID(parent), table: RecordTable.inspection)
        try requireOpen(try database.fields(of: RecordID(parent)))
        return RecordID(parent)
    }

    private func write(
        _ changes: [FindingChange], to id: RecordID, _ database: Connection
    ) throws {
        guard !changes.isEmpty else { return }
        for change in changes { try database.write(change.value, to: change.field, of: id) }
        try absorbFailure(of: Set(changes.map(\.field)), in: id, database)
    }

    // MARK: What follows from answers

    /// Raises what new failures ask for, unless something is found there already; withdraws what nobody
    /// has worked on since and whose answer does not fail any more.
    /// - Parameter rows: those that were deleted. Where the server never knew of one it will never come
    ///   back, and what was found in it goes too.
    func followFailures(
        of work: Answering, gone rows: Set<String>, on id: RecordID, _ database: Connection
    ) throws {
        let (begun, ended) = work.failures
        guard !begun.isEmpty || !ended.isEmpty || !rows.isEmpty else { return }
        let form = work.filling.form
        let standing = try database.findings(below: id)
        let visit = begun.isEmpty ? nil : try previousVisit(of: id, database)
        for key in begun where !standing.contains(where: { $0.finding.key == key }) {
            guard let index = form.index(of: key.path),
                let finding = Finding.raised(
                    by: form.allQuestions[index], row: key.row,
                    isRepeated: visit.map { work.filling.repeatsViolation(at: key, since: $0) }
                        ?? false)
            else { continue }
            try insert(finding, on: id, database)
        }
        for each in standing {
            if let row = each.finding.row, rows.contains(row) {
                if try !database.exists(RecordID(row)) { try withdraw(each.id, database) }
                continue
            }
            guard ended.contains(each.finding.key),
                let index = form.index(of: each.finding.question),
                each.finding.isAsRaised(by: form.allQuestions[index]),
                try !database.hasDrafts(of: each.id)
            else { continue }
            try withdraw(each.id, database)
        }
    }

    @discardableResult
    private func insert(
        _ finding: Finding, on inspection: RecordID, _ database: Connection
    ) throws -> RecordID {
        let id = RecordID(sources.newID())
        try database.insertRecord(id, table: RecordTable.finding, parent: inspection)
        for (name, value) in finding.fields { try database.write(value, to: name, of: id) }
        return id
    }

    private func withdraw(_ id: RecordID, _ database: Connection) throws {
        try database.execute("DELETE FROM draft WHERE record_id = ?", [.text(id.rawValue)])
        try remove(id, database)
    }
}

/// A finding as it is stored.
struct StoredFinding {
    var id: RecordID
    var inspection: RecordID
    var finding: Finding
}

extension Connection {
    /// Live findings of an inspection, or of all, in the order of their ids. Those of rows that are
    /// deleted too.
    func findings(below inspection: RecordID? = nil) throws -> [StoredFinding] {
        var records: [RecordID: (inspection: RecordID, fields: [FieldName: FieldValue])] = [:]
        try each(
            """
            SELECT record.id, record.parent_id, field.name, field.value
            FROM record JOIN field ON field.record_id = record.id
            WHERE record.table_name = 'finding' AND record.is_deleted = 0
                AND record.parent_id \(inspection == nil ? "IS NOT NULL" : "= ?")
            """, inspection.map { [.text($0.rawValue)] } ?? []
        ) { row in
            let id = RecordID(try row.text(0))
            let parent = RecordID(try row.text(1))
            records[id, default: (parent, [:])].fields[try row.text(2)] = try row.fieldValue(3)
        }
        return records.compactMap { id, record in
            Finding(fields: record.fields).map {
                StoredFinding(id: id, inspection: record.inspection, finding: $0)
            }
        }
        .sorted { $0.id < $1.id }
    }

    fileprivate func exists(_ id: RecordID) throws -> Bool {
        try first("SELECT 1 FROM record WHERE id = ?", [.text(id.rawValue)]) { _ in true } ?? false
    }
}
