internal import Coding
internal import Replication
internal import SQLite

/// How many mutations a verdict brought where.
package struct VerdictReport: Sendable, Equatable {
    package var acknowledged = 0
    package var conflicts = 0
    package var inReview = 0
    package var failed = 0
    package var held = 0

    package init() {}
}

/// A verdict settles the mutation that it names, by id. The row may have any status that waits: a
/// verdict that comes twice, or after the row went back to PENDING, says the same.
extension RemoteApplication {
    func settle(_ verdict: Verdict, _ report: inout VerdictReport) throws {
        guard let row = try outboxRow(verdict.mutationId) else { return }
        if try settleDecided(row, verdict) {
            report.acknowledged += 1
            return
        }
        switch verdict.status {
        case .applied, .merged, .duplicate:
            try acknowledge(row, verdict)
            report.acknowledged += 1
        case .conflict:
            try keepUnsettled(row, verdict)
            report.conflicts += 1
        case .quarantined:
            try keepForReview(row, verdict)
            report.inReview += 1
        case .rejected: try reject(row, verdict, &report)
        case .held:
            let reason = verdict.heldBy.map { "waits for mutation \($0)" } ?? "waits for its record"
            try database.settleStatus(of: row.id, "PENDING", error: reason)
            report.held += 1
        }
    }

    /// Some rejections ask to come again: the server failed over this one, or does not believe this
    /// device's counter, which then begins anew behind the server's; both a few times only. And what
    /// a copy of this device has sent otherwise under the same id goes under another one.
    private func reject(
        _ row: OutboxEntry, _ verdict: Verdict, _ report: inout VerdictReport
    ) throws {
        let reason = Self.text(verdict.error)
        let wasShared = try row.sequence <= database.partedAt()
        switch verdict.error?.code {
        case WireError.lamportJump.code:
            if let serverLamport { try database.restartCounter(after: serverLamport) }
            try database.countFailure(row.id, error: reason)
        case .some where verdict.error?.tellsOfCopy == true && wasShared:
            try database.settleStatus(of: row.id, "PENDING", error: reason)
            try database.reissue(row.sequence, newID: newID())
            report.held += 1
            return
        case "server_fault": try database.countFailure(row.id, error: reason)
        default: try database.settleStatus(of: row.id, "FAILED", error: reason)
        }
        if try database.status(of: row.id) == "FAILED" {
            report.failed += 1
        } else {
            report.held += 1
        }
    }

    /// The server knows a mutation by one id and repeats all that is open of it. What this device
    /// has moved to a row of its own is not this row's any more: where nothing else is open, the
    /// row is done.
    private func settleDecided(_ row: OutboxEntry, _ verdict: Verdict) throws -> Bool {
        guard verdict.status == .conflict || verdict.status == .quarantined,
            !verdict.conflicts.isEmpty, !row.fields.isEmpty,
            !verdict.conflicts.contains(where: { row.fields.contains($0.column) })
        else { return false }
        try acknowledge(row, verdict)
        return true
    }

    private struct OutboxEntry {
        var sequence: Int64
        var id: MutationID
        var record: RecordID
        var operation: String
        var fields: [FieldName]
    }

    private func outboxRow(_ id: MutationID) throws -> OutboxEntry? {
        let found = try database.first(
            """
            SELECT seq_id, record_id, operation FROM __sync_outbox
            WHERE mutation_id = ? AND status <> 'ACKNOWLEDGED'
            """, [.text(id.rawValue)]
        ) { row in
            OutboxEntry(
                sequence: try row.integer(0), id: id, record: RecordID(try row.text(1)),
                operation: try row.text(2), fields: [])
        }
        guard var entry = found else { return nil }
        entry.fields = try database.fieldNames(ofMutation: entry.sequence)
        return entry
    }

    private static func text(_ error: WireError?) -> String {
        guard let error else { return "refused by the server" }
        return error.message.isEmpty ? error.code : "\(error.code): \(error.message)"
    }

    // MARK: Acknowledged

    /// The row stays for 30 days, for a server that is restored from a backup. Each field without
    /// another waiting change takes the confirmed value.
    private func acknowledge(_ row: OutboxEntry, _ verdict: Verdict) throws {
        // What was applied as it was sent may have been replaced since by somebody who knew it.
        if let record = verdict.record, verdict.status != .applied {
            try keepLostValues(
                row.fields, ofMutation: row.sequence, on: row.record, confirmed: record)
        }
        if verdict.record == nil {
            try confirmWithoutRecord(row.fields, of: row, by: verdict)
            // Let go by a supervisor before this device heard that one had to decide.
            if row.operation == "INSERT", verdict.version == 0 { try leave(row.record) }
        }
        try database.settleStatus(of: row.id, "ACKNOWLEDGED", error: nil)
        // Only a device that has parted from a copy has a past under another node.
        if try database.partedAt() > 0 {
            try database.raiseBases(over: row.sequence, on: row.record)
        }
        try database.showSettled(row.fields, of: row.record)
    }

    /// An acknowledgement whose record is missing, as of one that left the scope meanwhile: what was
    /// sent is what was confirmed, but for what a supervisor decided otherwise. Without a digest, so that
    /// a pull of this very version still brings the whole; with the record's version, so that what is
    /// entered later is sent and not kept waiting for an INSERT that was taken. A field's version stays
    /// that of what was shown, for what others have done to it since nobody here has seen: of one that was
    /// shown empty, the first that its record can have.
    private func confirmWithoutRecord(
        _ fields: [FieldName], of row: OutboxEntry, by verdict: Verdict
    ) throws {
        let decided = Dictionary(verdict.decisions.map { ($0.column, $0) }) { first, _ in first }
        for field in fields {
            if let decision = decided[field] {
                try confirm(decision, of: row)
                continue
            }
            try database.execute(
                """
                UPDATE __sync_shadow SET present = 1,
                    value = (SELECT value FROM __sync_outbox_field
                        WHERE seq_id = ?1 AND name = ?3),
                    lamport = (SELECT lamport FROM __sync_outbox_field
                        WHERE seq_id = ?1 AND name = ?3),
                    node = (SELECT value FROM __sync_metadata WHERE key = 'node'),
                    version = max(version, 1)
                WHERE record_id = ?2 AND name = ?3
                """, [.integer(row.sequence), .text(row.record.rawValue), .text(field)])
        }
        try database.noteConfirmedUnseen(row.record)
        try database.execute(
            "UPDATE record SET version = max(version, ?) WHERE id = ?",
            [.integer(verdict.version ?? 0), .text(row.record.rawValue)])
        try countAnew(row.record)
    }

    /// What this device had entered does not stand: what was confirmed is shown again, or what the
    /// supervisor entered.
    private func confirm(_ decision: FieldDecision, of row: OutboxEntry) throws {
        let given = try database.waitingMutation(row.id).entries[decision.column]
        if let given {
            try database.keepInHistory(
                [decision.column: given], of: row.record, rule: MergeRule.scope.rawValue)
        }
        guard let value = decision.value else { return }
        try database.execute(
            """
            UPDATE __sync_shadow SET present = 1, value = ?, lamport = 0, node = '',
                version = max(version, 1)
            WHERE record_id = ? AND name = ?
            """, [DatabaseValue(value), .text(row.record.rawValue), .text(decision.column)])
    }

    // MARK: Not settled

    private func keepForReview(_ row: OutboxEntry, _ verdict: Verdict) throws {
        if verdict.isOutOfReach {
            // An INSERT stays one, for the server has made no record; of a change each field that
            // was decided is settled, while the others wait.
            if row.operation == "UPDATE" {
                try leaveSettled(row, verdict, except: Set(verdict.conflicts.map(\.column)))
            }
            try leave(row.record)
        } else {
            let named = Set(verdict.conflicts.map(\.column))
            // A verdict that names no field leaves all of them open.
            try leaveSettled(row, verdict, except: named.isEmpty ? Set(row.fields) : named)
        }
        try database.settleStatus(of: row.id, "IN_REVIEW", error: nil)
    }

    /// The record is not this device's: it counts in no digest and goes with the last work on it,
    /// unless the server sends it. What a restored server has lost stays kept then.
    private func leave(_ id: RecordID) throws {
        try countAnew(id)
        try database.noteLeft(id, isLost: database.isLost(id))
    }

    /// Fields in review stay in the mutation that the server knows; those that the inspector has to
    /// decide move to a row of their own, so that a decision on either settles only its fields.
    private func keepUnsettled(_ row: OutboxEntry, _ verdict: Verdict) throws {
        let own = verdict.conflicts.filter { row.fields.contains($0.column) }
        let conflicts = own.isEmpty ? verdict.conflicts : own
        let supervised = Set(
            conflicts.filter { $0.rule == MergeRule.quarantine.rawValue }.map(\.column))
        var asked = Set(conflicts.map(\.column)).subtracting(supervised)
        if conflicts.isEmpty { asked = Set(row.fields) }
        try leaveSettled(row, verdict, except: supervised.union(asked))
        var id = row.id
        if !supervised.isEmpty {
            try database.settleStatus(of: row.id, "IN_REVIEW", error: nil)
            guard !asked.isEmpty else { return }
            id = MutationID(newID())
            try database.move(asked, of: row.sequence, newID: id.rawValue)
            try database.notePart(row.sequence)
        }
        let snapshot = ConflictSnapshot(
            conflicts: conflicts.filter { asked.contains($0.column) }, record: verdict.record)
        try database.settleStatus(of: id, "CONFLICT", error: nil)
        try database.execute(
            "UPDATE __sync_outbox SET server_snapshot = ?, sealed = 1 WHERE mutation_id = ?",
            [.text(snapshot.stored), .text(id.rawValue)])
    }

    /// Columns that the verdict settled leave the mutation and the shadow at once, and are
    /// acknowledged in a row of their own.
    private func leaveSettled(
        _ row: OutboxEntry, _ verdict: Verdict, except unsettled: Set<FieldName>
    ) throws {
        let settled = row.fields.filter { !unsettled.contains($0) }
        // The record is on the server, or deleted there, now: what is left is a change of it.
        let isDone = !unsettled.contains(Mutation.deletedField) && row.operation != "UPDATE"
        guard !settled.isEmpty || isDone else { return }
        if verdict.record == nil, !settled.isEmpty {
            try confirmWithoutRecord(settled, of: row, by: verdict)
        }
        if let record = verdict.record {
            try keepLostValues(
                settled, ofMutation: row.sequence, on: row.record, confirmed: record)
        }
        try database.setAsideSettled(settled, of: row.sequence, newID: newID())
        for field in settled { try database.showSettled(field, of: row.record) }
        guard isDone else { return }
        try database.execute(
            "UPDATE __sync_outbox SET operation = 'UPDATE' WHERE seq_id = ?",
            [.integer(row.sequence)])
    }
}

extension Verdict {
    /// Whether the change waits for a decision about a record that this device does not see, or that
    /// the server has not.
    fileprivate var isOutOfReach: Bool {
        let rules = [MergeRule.scope, .unknownRecord].map(\.rawValue)
        return record == nil && !conflicts.isEmpty
            && conflicts.allSatisfy { rules.contains($0.rule) }
    }
}
