internal import Coding
internal import Inspections
internal import Replication
internal import SQLite

/// What a device entered for a record before it heard that the record had left its scope. It is not
/// merged, because the team that has the record now knows nothing of it, and not refused, because its
/// person did nothing wrong: a supervisor decides, column by column.
extension Connection {
    /// Whether the device's cursor shows that it did not know of the loss.
    func hasLeft(_ site: WriteSession.Site, since sender: Sender) throws -> Bool {
        let scope = Scope(team: sender.device.team)
        guard try !scope.contains(site, in: self) else { return false }
        let departure = try first(
            "SELECT at_version FROM site_departure WHERE team_id = ? AND site_id = ?",
            [.text(scope.team.id), .text(site.id)]
        ) { try $0.integer(0) }
        guard let departure else { return false }
        // Versions of the scope were counted anew in each epoch: who comes from another one, also one
        // that this server has forgotten with a second restore, has heard of no loss in this.
        guard sender.standpoint.epoch == .current else { return true }
        return sender.standpoint.cursor.map { departure > $0.scope } ?? false
    }

    /// Whether a mutation of this device that makes the record waits for a decision.
    func isParked(_ record: RecordID, of device: Device) throws -> Bool {
        try first(
            "SELECT 1 FROM parked WHERE record_id = ? AND device_id = ?",
            [.text(record.rawValue), .text(device.id)]
        ) { _ in true } ?? false
    }

    func parked(_ id: MutationID) throws -> Mutation? {
        try first("SELECT document FROM parked WHERE mutation_id = ?", [.text(id.rawValue)]) {
            try Mutation(json: JSON.parse(Array(try $0.text(0).utf8)))
        }
    }
}

extension WriteSession {
    /// Whether a mutation is for a person to look at, because its record is no more, or not yet, one
    /// that its device could know to be out of reach.
    func isToBeParked(
        _ mutation: Mutation, on existing: StoredRecord?, under parent: StoredRecord?,
        by author: Author
    ) throws -> Bool {
        guard let sender = author.sender, !author.isCopy else { return false }
        // A change rests on what makes its record; the scope may have come back meanwhile, but the
        // record is not here unless a supervisor took it.
        if existing == nil, mutation.operation != .insert,
            try connection.isParked(mutation.record, of: sender.device)
                || connection.isLetGo(mutation.record)
        {
            return true
        }
        if let site = existing?.site ?? parent?.site {
            return try connection.hasLeft(site, since: sender)
        }
        guard let parent = mutation.parent else { return false }
        return try connection.isParked(parent, of: sender.device) || connection.isLetGo(parent)
    }

    func park(
        _ mutation: Mutation, on existing: StoredRecord?, by sender: Sender
    ) throws -> Verdict {
        let conflicts = undecidedChanges(of: mutation, on: existing)
        guard !conflicts.isEmpty else {
            return Verdict(mutationId: mutation.id, status: .applied)
        }
        try keepParked(mutation, by: sender)
        let reviews = decidable(conflicts, of: mutation).map {
            RecordOutcome.Review(kind: .scope, conflict: $0, record: mutation.record)
        }
        try open(reviews, of: mutation, by: sender.device.node)
        return Verdict(
            mutationId: mutation.id, status: .quarantined, version: nil, record: nil,
            conflicts: conflicts.map(\.withoutTheirs))
    }

    func keepParked(_ mutation: Mutation, by sender: Sender) throws {
        try connection.execute(
            """
            INSERT INTO parked (mutation_id, record_id, device_id, document) VALUES (?, ?, ?, ?)
            """,
            [
                .text(mutation.id.rawValue), .text(mutation.record.rawValue),
                .text(sender.device.id), .text(mutation.json.text()),
            ])
    }

    /// What of the mutation would change the record, a deletion that names no field included.
    private func undecidedChanges(
        of mutation: Mutation, on existing: StoredRecord?
    ) -> [FieldConflict] {
        if existing == nil, mutation.operation == .insert, mutation.changes.isEmpty {
            // A record without a value is decided on too: what follows rests on it.
            return [
                FieldConflict(
                    column: Mutation.deletedField, base: .null, mine: .integer(0), theirs: .null,
                    theirsNode: nil, rule: MergeRule.scope.rawValue)
            ]
        }
        var changes = mutation.changes
        changes[Mutation.deletedField] = mutation.deletion ?? changes[Mutation.deletedField]
        return changes.keys.sorted().compactMap { column -> FieldConflict? in
            guard let change = changes[column],
                existing == nil || change.value != existing?.value(column) ?? .null
            else { return nil }
            return FieldConflict(
                column: column, base: change.baseValue, mine: change.value,
                theirs: existing?.value(column) ?? .null,
                theirsNode: existing?.fields[column]?.stamp.node, rule: MergeRule.scope.rawValue)
        }
    }

    /// What a new record has of itself is decided with its first answer: without it there is no
    /// record at all.
    private func decidable(_ conflicts: [FieldConflict], of mutation: Mutation) -> [FieldConflict] {
        guard mutation.operation == .insert else { return conflicts }
        let answers = conflicts.filter { !BuiltInField.isBuiltIn($0.column) }
        return answers.isEmpty ? Array(conflicts.prefix(1)) : answers
    }

    /// Takes one value of a parked mutation into the record, which is made where there is none.
    func takeParked(
        _ value: FieldValue, for review: OpenReview, by supervisor: Supervisor
    ) throws {
        let record = try connection.record(review.record)
        if let record {
            guard !record.isDeleted else { throw letGo("the record was deleted") }
            try refuseShut(try connection.lineage(of: record.id))
            try put(
                record.id, table: record.table, parent: record.parent, [review.column: value],
                by: supervisor.node)
            return
        }
        let parked = try connection.parked(review.mutation)
        let making =
            parked?.operation == .insert ? parked : try connection.letGoMaking(of: review.record)
        guard let mutation = making else {
            throw letGo("the record is not here yet; decide about its making first")
        }
        if let parent = mutation.parent {
            let above = try connection.lineage(of: parent)
            guard !above.isEmpty else {
                throw letGo("the record that it belongs to is not here")
            }
            try refuseShut(above)
        }
        var values = mutation.changes.filter { BuiltInField.isBuiltIn($0.key) }.mapValues(\.value)
        if review.column != Mutation.deletedField { values[review.column] = value }
        try put(
            mutation.record, table: mutation.table, parent: mutation.parent, values,
            by: supervisor.node)
        try bringBack(below: mutation.record, by: supervisor)
    }

    func letGo(_ reason: String) -> ServerStoreError {
        ServerStoreError(.stateRefused, reason + "; the value can only be let go")
    }

    /// Columns of a parked mutation on which a person has still to decide. Those of a new record
    /// itself go with the last answer.
    func undecided(_ conflicts: [FieldConflict], of mutation: MutationID) throws -> [FieldConflict]
    {
        let waiting = try connection.query(
            "SELECT name FROM review WHERE mutation_id = ? AND decision IS NULL",
            [.text(mutation.rawValue)]
        ) { try $0.text(0) }
        return waiting.isEmpty
            ? []
            : conflicts.filter { conflict in
                waiting.contains(conflict.column) || BuiltInField.isBuiltIn(conflict.column)
            }
    }
}

extension FieldConflict {
    /// As it is told to a device that may not see the record any more.
    var withoutTheirs: FieldConflict {
        var told = self
        told.theirs = .null
        told.theirsNode = nil
        return told
    }
}
