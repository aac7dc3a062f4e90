internal import Coding
internal import Inspections
package import Replication
internal import SQLite

extension SQLiteStore {
    package func takeCopies(
        _ request: CopyRequest, from device: Device
    ) throws -> CopyResponse {
        try write { session in
            var taking = try CopyTaking(request, of: device, in: session)
            let results = try request.records.map { try taking.take($0) }
            try session.countOfferedAgain(taking.changes, by: device.id)
            return CopyResponse(results: results, server: session.state)
        }
    }
}

/// Takes back from a device what this server had confirmed in an earlier epoch and a restore lost,
/// where those who entered it may never come again. Each change is merged as its author's, based on
/// the record as it was when the epoch began: it overwrites nothing that came after that, and where
/// two stand against each other a rule or a supervisor decides, for no inspector waits for it.
///
/// A device can name an author who never wrote such a value, and so be believed where its own word
/// would have been asked about. So copies are taken only by a server that was restored, within the
/// device's own scope and rights, not of what a supervisor alone may enter; `walkdownd status` tells
/// which devices offered how much, and `walkdownd history` who offered what (`CopiedRows.swift`).
private struct CopyTaking {
    private let session: WriteSession
    private let sender: Sender
    private let schemaVersion: Int64
    private let wasRestored: Bool
    /// Of one author in one record each, what the server did not have.
    private(set) var changes = 0

    init(_ request: CopyRequest, of device: Device, in session: WriteSession) throws {
        let device = try session.connection.requireDevice(
            id: device.id, as: request.clientNodeId)
        guard device.state == .active else {
            throw ServerStoreError(.unknownDevice, "this device was revoked")
        }
        try session.model.refuseTooNew(request.schemaVersion)
        wasRestored = try session.connection.wasRestored
        self.session = session
        schemaVersion = request.schemaVersion
        let standpoint = try session.connection.standpoint(
            of: request.pullPosition, in: session.epoch)
        sender = Sender(
            device: device, standpoint: standpoint,
            epochOfVersions: request.isOfOneEpoch ? standpoint.cursor?.epoch ?? 0 : 0)
    }

    /// What one author entered in one record; each field has a counter of its own.
    private struct Share {
        var author: NodeID
        var fields: [FieldName: WireRecord.Field]
        var lamport: Int64 { fields.values.reduce(0) { max($0, $1.stamp.lamport) } }
        /// A record is nothing before its form is known.
        var namesForm: Bool { fields[BuiltInField.form] != nil }
    }

    mutating func take(_ copy: WireRecord) throws -> CopyVerdict {
        guard wasRestored, sender.standpoint.epoch != .current else {
            return refusal(of: copy, "nothing was lost since this device last pulled")
        }
        guard !copy.isDeleted, copy.fields[Mutation.deletedField] == nil else {
            return refusal(of: copy, "a deletion comes from who deletes")
        }
        guard try !session.isLetGo(copy) else {
            try session.letGo(copy, from: sender, schemaVersion: schemaVersion)
            return CopyVerdict(recordId: copy.id, status: .taken)
        }
        var verdict = CopyVerdict(recordId: copy.id, status: .taken)
        for share in try missing(of: copy) {
            let exists = try session.connection.record(copy.id) != nil
            guard exists || verdict.status == .taken else { break }
            do {
                try takeParts(share, of: copy, isNew: !exists, &verdict)
            } catch Admission.Refusal.rejected(let error) {
                // Without what makes it nothing else of the record has a place.
                return CopyVerdict(recordId: copy.id, status: .refused, error: error)
            } catch Admission.Refusal.waiting {
                return CopyVerdict(recordId: copy.id, status: .held)
            } catch let error as SQLiteError where error.isConstraint {
                // As in a push: a fault of ours over one record must not keep the others back.
                return CopyVerdict(recordId: copy.id, status: .refused, error: .serverFault)
            }
        }
        try takeState(of: copy, verdict)
        verdict.columns.sort()
        return verdict
    }

    /// An approval or a return is for a supervisor to give again. The inspection was handed in for it
    /// all the same, and has to be in a state in which it can be given: it comes back as complete, and
    /// one of which nothing else is known as in progress where it had been returned.
    private mutating func takeState(of copy: WireRecord, _ verdict: CopyVerdict) throws {
        let name = BuiltInField.state
        guard verdict.columns.contains(name), var field = copy.fields[name],
            case .string(let text) = field.value,
            let record = try session.connection.record(copy.id),
            try session.connection.returned(field.stamp, name, of: copy.id) == nil
        else { return }
        switch InspectionState(rawValue: text) {
        case .approved: field.value = .string(InspectionState.complete.rawValue)
        case .returned where record.value(name).isNull:
            field.value = .string(InspectionState.inProgress.rawValue)
        default: return
        }
        let share = Share(author: field.stamp.node, fields: [name: field])
        var aside = CopyVerdict(recordId: copy.id, status: .taken)
        try takeParts(share, of: copy, isNew: false, &aside)
    }

    /// Takes a share, field by field less where a field is refused: the others are not to blame.
    private mutating func takeParts(
        _ whole: Share, of copy: WireRecord, isNew: Bool, _ verdict: inout CopyVerdict
    ) throws {
        var share = whole
        while !share.fields.isEmpty {
            do {
                try take(share, of: copy, isNew: isNew)
                changes += 1
                return
            } catch Admission.Refusal.rejected(let error) {
                // Without its form there is no inspection; with its record refused, no field.
                let isOfField = error.column.map { !Self.making.contains($0) } ?? false
                guard !isNew || isOfField else { throw Admission.Refusal.rejected(error) }
                let refused = error.column.flatMap { share.fields[$0] == nil ? nil : [$0] }
                verdict.status = .refused
                verdict.columns += refused ?? Array(share.fields.keys)
                verdict.error = verdict.error ?? error
                guard let refused else { return }
                for name in refused { share.fields[name] = nil }
            }
        }
    }

    private static let making = [BuiltInField.form, BuiltInField.formVersion]

    private func refusal(of copy: WireRecord, _ message: String) -> CopyVerdict {
        CopyVerdict(
            recordId: copy.id, status: .refused,
            error: WireError(code: RejectionCode.notAllowed.rawValue, message: message))
    }

    /// What has left no trace here, what makes the record first. A value that stands in the history
    /// was overwritten by something that came later, and one in review waits for a person.
    private func missing(of copy: WireRecord) throws -> [Share] {
        var shares: [NodeID: Share] = [:]
        let standing = try session.connection.record(copy.id)?.fields ?? [:]
        for (name, field) in copy.fields {
            let stamps = try session.connection.stamps(of: field, name, copy.id, from: sender)
            let isHere = try stamps.contains {
                try session.connection.hasTrace(of: $0, field.value, on: name, of: copy.id)
            }
            guard !isHere else { continue }
            if standing[name]?.stamp == field.stamp {
                try keepTwin(of: field, name, of: copy.id)
                continue
            }
            if try session.connection.hasSuccessor(of: field, name, copy.id, from: sender) {
                try keepReplaced(field, name, of: copy.id)
                continue
            }
            // It said what stood here, and that was overwritten since.
            if standing[name]?.value ?? .null != field.value, try wasTold(field, name, of: copy.id)
            {
                continue
            }
            let isAsked = try stamps.contains {
                try session.connection.returned($0, name, of: copy.id)?.isOwn == true
            }
            if isAsked, standing[name]?.value != field.value {
                try keepAsked(field, name, of: copy.id)
                continue
            }
            let author = field.stamp.node
            shares[author, default: Share(author: author, fields: [:])].fields[name] = field
        }
        return shares.values.sorted {
            $0.namesForm == $1.namesForm ? $0.lamport < $1.lamport : $0.namesForm
        }
    }

    /// Whether somebody brought this very change before. Where it left no trace then, it changed nothing.
    private func wasTold(
        _ field: WireRecord.Field, _ name: FieldName, of record: RecordID
    ) throws -> Bool {
        guard field.version > 0, sender.epochOfVersions > 0,
            let known = try session.connection.returned(field.stamp, name, of: record)
        else { return false }
        return !known.isOwn && known.version == field.version
            && known.epoch == sender.epochOfVersions
    }

    private func keepReplaced(
        _ field: WireRecord.Field, _ name: FieldName, of record: RecordID
    ) throws {
        try session.keepReplaced(
            field, name, of: record, because: MutationID(session.newID()))
        try session.noteReturned(
            change(of: field), name, of: record,
            by: .copy(of: field.stamp.node, from: sender))
    }

    /// Its own version is what the change made; it had seen the one before.
    private func change(of field: WireRecord.Field) -> FieldChange {
        FieldChange(
            value: field.value, baseVersion: max(field.version - 1, 0),
            lamport: field.stamp.lamport, formerVersion: field.version)
    }

    /// Who entered it has brought it himself, and it neither stands nor lost nor waits for a supervisor:
    /// he is asked, or has decided. One person is enough; the value stays findable, should he never come
    /// to it.
    private func keepAsked(
        _ field: WireRecord.Field, _ name: FieldName, of record: RecordID
    ) throws {
        let entry = HistoryEntry(
            field: name, value: field.value, stamp: field.stamp, rule: .ask)
        try session.keep(
            entry, of: record, version: 0, because: MutationID(session.newID()))
    }

    /// Two copies of one device have entered two values under one stamp: the other one stands here.
    private func keepTwin(
        of field: WireRecord.Field, _ name: FieldName, of record: RecordID
    ) throws {
        let entry = HistoryEntry(
            field: name, value: field.value, stamp: field.stamp, rule: .late)
        try session.keep(
            entry, of: record, version: 0, because: MutationID(session.newID()))
    }

    private func take(_ share: Share, of copy: WireRecord, isNew: Bool) throws {
        guard LamportClock.isBelievable(share.lamport, after: session.lamport) else {
            throw Admission.Refusal.rejected(.lamportJump)
        }
        // Of one that is gone for ever every share by itself is for a person, also without the form.
        let makes = try isNew && (share.namesForm || !session.connection.isPruned(copy.id))
        let mutation = Mutation(
            id: MutationID(session.newID()), sequence: 0, table: copy.table, record: copy.id,
            parent: copy.parent, operation: makes ? .insert : .update, lamport: share.lamport,
            changes: share.fields.mapValues(change), createdAtUtc: SyncTimestamp.text(session.now),
            schemaVersion: schemaVersion)
        try session.unit {
            let verdict = try session.merge(mutation, by: .copy(of: share.author, from: sender))
            try keepUndecided(verdict.conflicts, of: mutation, by: share.author)
            try openBuried(verdict.conflicts, of: mutation, by: share.author)
        }
    }

    /// What meets a tombstone is offered to an inspector as *restore or let go*; here a supervisor
    /// decides whether the record comes back, and then about each value.
    private func openBuried(
        _ conflicts: [FieldConflict], of mutation: Mutation, by author: NodeID
    ) throws {
        let buried = conflicts.filter { $0.rule == MergeRule.tombstone.rawValue }
        guard var deletion = buried.first else { return }
        deletion.rule = MergeRule.delete.rawValue
        let reviews =
            [
                RecordOutcome.Review(
                    kind: .deletion, conflict: deletion, record: mutation.record)
            ]
            + buried.map {
                RecordOutcome.Review(kind: .field, conflict: $0, record: mutation.record)
            }
        try session.open(reviews, of: mutation, by: author)
    }

    /// What no rule could settle and no review shows stays findable in the history.
    private func keepUndecided(
        _ conflicts: [FieldConflict], of mutation: Mutation, by author: NodeID
    ) throws {
        for conflict in conflicts where conflict.rule == MergeRule.union.rawValue {
            let lamport = mutation.changes[conflict.column]?.lamport ?? mutation.lamport
            let entry = HistoryEntry(
                field: conflict.column, value: conflict.mine,
                stamp: Stamp(lamport: lamport, node: author), rule: .union)
            try session.keep(entry, of: mutation.record, version: 0, because: mutation.id)
        }
    }
}

extension Connection {
    /// Whether there is an earlier epoch of which devices may still have something.
    /// Whether a change is, or was, here: it stands in the record, in the history or in review.
    func hasTrace(
        of stamp: Stamp, _ value: FieldValue, on field: FieldName, of record: RecordID
    ) throws -> Bool {
        try first(
            """
            SELECT 1 WHERE EXISTS (
                    SELECT 1 FROM field WHERE record_id = ?1 AND name = ?2
                        AND lamport = ?3 AND node = ?4 AND value IS ?5)
                OR EXISTS (
                    SELECT 1 FROM history WHERE record_id = ?1 AND name = ?2
                        AND lamport = ?3 AND node = ?4 AND value IS ?5)
                OR EXISTS (
                    SELECT 1 FROM review WHERE record_id = ?1 AND name = ?2
                        AND mine_lamport = ?3 AND mine_node = ?4 AND mine IS ?5)
            """,
            [
                .text(record.rawValue), .text(field), .integer(stamp.lamport),
                .text(stamp.node.rawValue), DatabaseValue(value),
            ]
        ) { _ in true } ?? false
    }
}
