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
    ///
    /// One that an answer raised is a person's from then on, and leaves a tombstone even where nobody was
    /// told of it: the same failure raises no other one, and whoever brings it back keeps it.
    package func removeFinding(_ id: RecordID) throws {
        try edit { database in
            try database.beginWork(on: try openInspection(ofFinding: id, database))
            let finding = Finding(fields: try database.fields(of: id))
            guard finding?.isFromAnswer ?? false else { return try withdraw(id, database) }
            // A full queue keeps nobody from taking a mistake back.
            try database.withoutQueueLimit {
                let hand = FieldValue.string(Finding.Raiser.hand.rawValue)
                try database.write(hand, to: BuiltInField.raisedBy, of: id)
                try absorbFailure(of: [BuiltInField.raisedBy], in: id, database)
                try database.execute("DELETE FROM draft WHERE record_id = ?", [.text(id.rawValue)])
                try database.execute(
                    "UPDATE record SET is_deleted = 1 WHERE id = ?", [.text(id.rawValue)])
            }
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

    /// Raises what failures ask for, unless it is found already; withdraws what nobody has worked on since
    /// and whose answer does not fail any more. The one place for both: see `FailureChange`.
    /// - Parameters:
    ///   - rows: those that were deleted. Where the server never knew of one it will never come back, and
    ///     what was found in it goes too.
    ///   - answeredAt: the Lamport counter of an answer that was said earlier.
    func follow(
        _ change: FailureChange, gone rows: Set<String>, in filling: FormFilling,
        on id: RecordID, _ database: Connection, answeredAt: (AnswerKey) throws -> Int64
    ) throws {
        guard !change.isEmpty || !rows.isEmpty else { return }
        let stored = try database.findings(below: id, withDeleted: true)
        let known = stored.map(\.known)
        let visit = change.begun.isEmpty ? nil : try previousVisit(of: id, database)
        let raised = try change.raised(
            among: known, in: filling.form, answeredAt: answeredAt,
            isRepeated: { key in
                visit.map { filling.repeatsViolation(at: key, since: $0) } ?? false
            })
        for finding in raised { try insert(finding, on: id, database) }
        for each in change.withdrawn(among: known, in: filling.form)
        where try !database.hasDrafts(of: RecordID(each.id)) {
            try withdraw(RecordID(each.id), database)
        }
        for each in stored where !each.isDeleted {
            guard let row = each.finding.row, rows.contains(row),
                try !database.exists(RecordID(row))
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
    var isDeleted: Bool
    /// By the Lamport counter.
    var raisedAt: Int64

    fileprivate var known: FailureChange.Known {
        FailureChange.Known(
            id: id.rawValue, finding: finding, isDeleted: isDeleted, raisedAt: raisedAt)
    }
}

extension Connection {
    /// Findings of an inspection, or of all, in the order of their ids. Those of rows that are deleted too.
    func findings(
        below inspection: RecordID? = nil, withDeleted: Bool = false
    ) throws -> [StoredFinding] {
        struct Record {
            var inspection: RecordID
            var isDeleted: Bool
            var fields: [FieldName: FieldValue] = [:]
            var raisedAt: Int64 = 0
        }
        var records: [RecordID: Record] = [:]
        try each(
            """
            SELECT record.id, record.parent_id, field.name, field.value, record.is_deleted,
                field.lamport
            FROM record JOIN field ON field.record_id = record.id
            WHERE record.table_name = 'finding'\(withDeleted ? "" : " AND record.is_deleted = 0")
                AND record.parent_id \(inspection == nil ? "IS NOT NULL" : "= ?")
            """, inspection.map { [.text($0.rawValue)] } ?? []
        ) { row in
            let name = try row.text(2)
            var record =
                try records[RecordID(row.text(0))]
                ?? Record(
                    inspection: RecordID(row.text(1)), isDeleted: row.flag(4))
            record.fields[name] = try row.fieldValue(3)
            if name == BuiltInField.question { record.raisedAt = try row.integer(5) }
            records[RecordID(try row.text(0))] = record
        }
        return records.compactMap { id, record in
            Finding(fields: record.fields).map {
                StoredFinding(
                    id: id, inspection: record.inspection, finding: $0,
                    isDeleted: record.isDeleted, raisedAt: record.raisedAt)
            }
        }
        .sorted { $0.id < $1.id }
    }

    fileprivate func exists(_ id: RecordID) throws -> Bool {
        try first("SELECT 1 FROM record WHERE id = ?", [.text(id.rawValue)]) { _ in true } ?? false
    }
}
