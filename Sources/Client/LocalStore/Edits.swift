package import Coding
internal import Inspections
package import Replication
internal import SQLite

/// The inspector's edits. Each is one transaction, durable (`synchronous = FULL`) and in the queue
/// when the call returns.
extension DeviceStore {
    /// Begins an inspection of one's own, in progress from the start, with what its form lays down.
    /// - Throws: `unknownForm`, `unknownRecord` of the asset, `refused(.queueFull)`.
    package func createInspection(
        form: String, version: String, asset: RecordID?, title: String? = nil
    ) throws -> RecordID {
        let id = RecordID(sources.newID())
        try edit { database in
            try database.requireForm(form, version: version)
            if let asset { try database.requireRecord(asset, table: RecordTable.asset) }
            try database.insertRecord(id, table: RecordTable.inspection, parent: asset)
            // The asset itself is the parent; its tag stands in the field, as in an assignment.
            let tag = try asset.map { try database.value(of: BuiltInField.tag, in: $0) }
            let fields: [(FieldName, FieldValue)] = [
                (BuiltInField.form, .string(form)),
                (BuiltInField.formVersion, .string(version)),
                (BuiltInField.asset, tag ?? .null),
                (BuiltInField.title, title.map { .string($0) } ?? .null),
                (BuiltInField.state, .string(InspectionState.ofNewInspection.rawValue)),
            ]
            for (name, value) in fields where !value.isNull {
                try database.write(value, to: name, of: id)
            }
            try begin(id, form, version: version, database)
        }
        return id
    }

    /// Writes fields as they are, all of them or none, by the database's rules alone: nothing of a form
    /// follows. People answer through `change`. The first change of an assigned or returned inspection
    /// moves it to *in progress* in the same mutation. What equals the stored value changes nothing.
    package func set(_ answers: [(FieldName, FieldValue)], on id: RecordID) throws {
        try edit { database in
            try database.requireRecord(id)
            let changed = try answers.filter { name, value in
                try database.value(of: name, in: id) != value
            }
            if !changed.isEmpty { try database.beginWork(on: id) }
            for (name, value) in changed { try database.write(value, to: name, of: id) }
            for (name, _) in answers { try database.removeDraft(name, of: id) }
            try absorbFailure(of: Set(changed.map(\.0)), in: id, database)
        }
    }

    /// Back to *in progress*, until it is approved.
    package func reopen(_ id: RecordID) throws {
        try edit { database in
            try database.requireRecord(id)
            try write(state: .inProgress, of: id, database)
        }
    }

    func write(state: InspectionState, of id: RecordID, _ database: Connection) throws {
        try database.write(.string(state.rawValue), to: BuiltInField.state, of: id)
        try absorbFailure(of: [BuiltInField.state], in: id, database)
    }

    /// Deletes a record: a tombstone that is sent. One that was never sent vanishes with its
    /// descendants into history.
    package func delete(_ id: RecordID) throws {
        try edit { database in
            try database.requireRecord(id)
            try remove(id, database)
        }
    }

    func remove(_ id: RecordID, _ database: Connection) throws {
        guard try database.isUnsentInsert(id) else {
            try database.execute(
                "UPDATE record SET is_deleted = 1 WHERE id = ?", [.text(id.rawValue)])
            // Whoever deletes it knows what was typed in it.
            for member in try database.family(of: id) {
                try database.execute(
                    "DELETE FROM draft WHERE record_id = ?", [.text(member.rawValue)])
            }
            return
        }
        try database.requireUnlocked(id)
        try database.whileApplying {
            try removeUnsent(id, rule: MergeRule.deleted.rawValue, database)
        }
    }
}

extension Connection {
    func requireForm(_ id: String, version: String) throws {
        let known = try first(
            "SELECT 1 FROM form WHERE id = ? AND version = ?", [.text(id), .text(version)]
        ) { _ in true }
        if known == nil { throw StoreError.unknownForm(id: id, version: version) }
    }

    /// - Throws: `unknownRecord` unless a live record of that id (and table) is here, `deletedUndecided`.
    func requireRecord(_ id: RecordID, table: String? = nil) throws {
        let found = try first(
            "SELECT table_name, is_deleted FROM record WHERE id = ?", [.text(id.rawValue)]
        ) { (table: try $0.text(0), isDeleted: try $0.flag(1)) }
        guard let found, table == nil || table == found.table else {
            throw StoreError.unknownRecord(id.rawValue)
        }
        guard found.isDeleted else { return }
        // It stands in the list as long as that is undecided.
        let isUndecided = try first(
            "SELECT 1 FROM __sync_outbox WHERE record_id = ? AND status = 'CONFLICT' LIMIT 1",
            [.text(id.rawValue)]
        ) { _ in true }
        throw isUndecided ?? false
            ? StoreError.deletedUndecided(id.rawValue) : StoreError.unknownRecord(id.rawValue)
    }

    func insertRecord(_ id: RecordID, table: String, parent: RecordID?) throws {
        try execute(
            "INSERT INTO record (id, table_name, parent_id) VALUES (?, ?, ?)",
            [.text(id.rawValue), .text(table), DatabaseValue(parent?.rawValue)])
    }

    func value(of name: FieldName, in id: RecordID) throws -> FieldValue {
        try first(
            "SELECT value FROM field WHERE record_id = ? AND name = ?",
            [.text(id.rawValue), .text(name)]
        ) { try $0.fieldValue(0) } ?? .null
    }

    /// Writes one field; the triggers do the rest.
    /// - Throws: `refused` with the field's name.
    func write(_ value: FieldValue, to name: FieldName, of id: RecordID) throws {
        try StoreError.translating(field: name) {
            try execute(
                "UPDATE field SET value = ? WHERE record_id = ? AND name = ?",
                [DatabaseValue(value), .text(id.rawValue), .text(name)])
            guard changes == 0, !value.isNull else { return }
            try execute(
                "INSERT INTO field (record_id, name, value) VALUES (?, ?, ?)",
                [.text(id.rawValue), .text(name), DatabaseValue(value)])
        }
    }

    /// An inspection that was assigned or returned is in progress from its first change on.
    func beginWork(on id: RecordID) throws {
        let waiting: [FieldValue] = [
            .string(InspectionState.assigned.rawValue), .string(InspectionState.returned.rawValue),
        ]
        guard waiting.contains(try value(of: BuiltInField.state, in: id)) else { return }
        try write(
            .string(InspectionState.inProgress.rawValue), to: BuiltInField.state, of: id)
    }

    /// True for a record that the server has never been told of.
    fileprivate func isUnsentInsert(_ id: RecordID) throws -> Bool {
        try first(
            """
            SELECT 1 FROM __sync_outbox JOIN record ON record.id = record_id
            WHERE record_id = ? AND operation = 'INSERT' AND record.version = 0
                AND __sync_outbox.status = 'PENDING' AND sealed = 0
            """, [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    fileprivate func requireUnlocked(_ id: RecordID) throws {
        if try value(of: BuiltInField.state, in: id) == .string(InspectionState.approved.rawValue) {
            throw StoreError.refused(.approved, field: nil)
        }
    }
}
