internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

/// What was entered for a record that is gone. Nothing brings a pruned record back, but a person may
/// take the value all the same: into a new record with what is known of the old one.
extension WriteSession {
    /// Keeps a mutation that waits for a person because its record is gone.
    func keepStranded(_ mutation: Mutation) throws {
        try connection.execute(
            "INSERT OR IGNORE INTO stranded (mutation_id, document) VALUES (?, ?)",
            [.text(mutation.id.rawValue), .text(mutation.json.text())])
    }

    /// Takes one value into the record that stands in the place of the one that is gone; it is made
    /// where there is none yet.
    ///
    /// - Throws: `stateRefused` where the value can only be let go.
    func takeStranded(
        _ value: FieldValue, for review: OpenReview, by supervisor: Supervisor
    ) throws {
        let isDeletion = review.column == Mutation.deletedField
        // It is gone already.
        if isDeletion, !value.isNull, value != .integer(0) { return }
        if let id = try connection.rescued(review.record), let record = try connection.record(id) {
            guard !record.isDeleted else {
                throw letGo("the record that took its place was deleted", review)
            }
            try requireUnlocked(record, review)
            guard !isDeletion else { return }
            try put(
                id, table: record.table, parent: record.parent, [review.column: value],
                by: supervisor.node)
            return
        }
        guard let mutation = try connection.stranded(review.mutation) else {
            throw letGo("what the record was is not known", review)
        }
        var values = try valuesOfNewRecord(for: mutation, review)
        if !isDeletion { values[review.column] = value }
        try makeAnew(mutation, values, for: review, by: supervisor)
    }

    private func makeAnew(
        _ mutation: Mutation, _ values: [FieldName: FieldValue], for review: OpenReview,
        by supervisor: Supervisor
    ) throws {
        let parent = try mutation.parent.map { try connection.rescued($0) ?? $0 }
        if let parent {
            guard let above = try connection.record(parent), !above.isDeleted else {
                throw letGo("the record that it belonged to is not here", review)
            }
            try requireUnlocked(above, review)
        }
        let id = RecordID(newID())
        try put(
            id, table: mutation.table, parent: parent, values, by: supervisor.node,
            // Without a parent it is the team's whose device entered it.
            in: parent == nil ? try teamSite(of: review.mineStamp.node) : nil)
        try connection.execute(
            "INSERT OR REPLACE INTO rescue (record_id, new_id) VALUES (?, ?)",
            [.text(review.record.rawValue), .text(id.rawValue)])
    }

    /// What is known of the record as it was when it was pruned, and what the mutation says of it.
    private func valuesOfNewRecord(
        for mutation: Mutation, _ review: OpenReview
    ) throws -> [FieldName: FieldValue] {
        var values = try connection.valuesWhenPruned(of: mutation.record)
        for (name, change) in mutation.changes
        where mutation.operation == .insert && BuiltInField.isBuiltIn(name) {
            values[name] = change.value
        }
        values[Mutation.deletedField] = nil
        let needed: [String: [FieldName]] = [
            RecordTable.inspection: [BuiltInField.form],
            RecordTable.repetition: [BuiltInField.form, BuiltInField.repetition],
        ]
        guard (needed[mutation.table] ?? []).allSatisfy({ values[$0] != nil }) else {
            throw letGo("what the record was is not known", review)
        }
        guard mutation.table == RecordTable.inspection else { return values }
        // What is made anew was never assigned, and nobody has signed it.
        let kept = [InspectionState.complete, .returned].map { FieldValue.string($0.rawValue) }
        if !kept.contains(values[BuiltInField.state] ?? .null) {
            values[BuiltInField.state] = .string(InspectionState.inProgress.rawValue)
        }
        return values
    }

    private func teamSite(of node: NodeID) throws -> Site? {
        guard let device = try connection.owner(of: node) else { return nil }
        return Site(id: "", team: try connection.requireDevice(id: device).team.id)
    }

    /// Refuses where the record, or an inspection above it, is approved, or something above it was
    /// deleted.
    private func requireUnlocked(_ record: StoredRecord, _ review: OpenReview) throws {
        var next: StoredRecord? = record
        while let current = next, current.table != RecordTable.asset {
            guard !current.isDeleted else {
                throw letGo("the record that it belonged to was deleted", review)
            }
            let isApproved =
                current.text(BuiltInField.state)
                == InspectionState.approved.rawValue
            if current.table == RecordTable.inspection, isApproved {
                throw letGo("the inspection is approved and locked", review)
            }
            next = try current.parent.flatMap { try connection.record($0) }
        }
    }

    private func letGo(_ reason: String, _ review: OpenReview) -> ServerStoreError {
        ServerStoreError(
            .stateRefused,
            reason + "; the value can only be let go, and stays in the history of record "
                + review.record.rawValue)
    }
}

extension Connection {
    fileprivate func stranded(_ id: MutationID) throws -> Mutation? {
        try first("SELECT document FROM stranded WHERE mutation_id = ?", [.text(id.rawValue)]) {
            try Mutation(json: JSON.parse(Array(try $0.text(0).utf8)))
        }
    }

    /// The record that a supervisor made in the place of one that is gone.
    func rescued(_ id: RecordID) throws -> RecordID? {
        try first("SELECT new_id FROM rescue WHERE record_id = ?", [.text(id.rawValue)]) {
            RecordID(try $0.text(0))
        }
    }

    /// What history has of the values that stood in a record when its tombstone went.
    fileprivate func valuesWhenPruned(of id: RecordID) throws -> [FieldName: FieldValue] {
        var values: [FieldName: FieldValue] = [:]
        try each(
            """
            SELECT name, value FROM history WHERE record_id = ? AND mutation_id = ? ORDER BY id
            """, [.text(id.rawValue), .text(WriteSession.pruning.rawValue)]
        ) { values[try $0.text(0)] = try $0.fieldValue(1) }
        return values
    }
}
