package import Coding
package import Replication
internal import SQLite

/// What an inspector decided about one field in conflict.
package enum Resolution: Sendable, Equatable {
    case mine
    case theirs
    case value(FieldValue)
}

/// Retry, discard and resolve. They work on the queue itself, so they pass the lock and
/// limit triggers; each is one transaction, findings that follow from what stands then among it.
extension DeviceStore {
    /// Sends a failed mutation again, together with the record's later unsent ones, as one new
    /// mutation with a new id.
    @discardableResult
    package func retry(_ id: MutationID) throws -> MutationID? {
        try settle { database in
            let mutation = try database.waitingMutation(id)
            try require(mutation, toBe: ["FAILED"])
            return try absorb(from: mutation, database)
        }
    }

    /// The records that discarding a mutation would remove from this device: of an INSERT the
    /// record and everything below it. For asking before.
    package func recordsRemoved(byDiscarding id: MutationID) throws -> [RecordID] {
        try read { database in
            let mutation = try database.waitingMutation(id)
            if mutation.status == "CONFLICT", try mutation.meetsTombstone() {
                return try database.recordsRemoved(byLettingGo: mutation.record)
            }
            return try database.recordsRemoved(
                byDiscarding: mutation.operation, of: mutation.record)
        }
    }

    /// Gives a change up. Fields that no other waiting mutation names show the confirmed value
    /// again; the value that was given up stays in history.
    package func discard(_ id: MutationID) throws {
        try settle { database in
            let mutation = try database.waitingMutation(id)
            return (mutation.record, Array(mutation.entries.keys))
        } _: { database in
            let mutation = try database.waitingMutation(id)
            if mutation.status != "PENDING" || mutation.sealed {
                try require(mutation, toBe: ["FAILED", "CONFLICT"])
            }
            switch mutation.operation {
            case "INSERT" where try !database.isOnServer(mutation.record):
                try removeUnsent(mutation.record, rule: MergeRule.discarded.rawValue, database)
            default:
                try giveUp(mutation, rule: MergeRule.discarded.rawValue, database)
                if mutation.status == "CONFLICT", try mutation.meetsTombstone(),
                    try database.isTombstone(mutation.record)
                {
                    try letGoBelow(mutation.record, database)
                }
            }
        }
    }

    /// Settles every field in conflict of a record; what was decided goes out as one new mutation
    /// on the version that was shown.
    /// - Parameter shown: the other side of each field as it was shown, where somebody else's change
    ///   may have come in since.
    /// - Throws: `unresolved` where a field in conflict is not named, `notInConflict` where
    ///   another one is, `changedSinceShown`.
    package func resolve(
        _ id: RecordID, _ resolutions: [FieldName: Resolution],
        shown: [FieldName: FieldValue] = [:]
    ) throws {
        try settle { _ in
            (id, Array(resolutions.keys))
        } _: { database in
            let waiting = try database.waitingMutations(of: id)
            guard waiting.contains(where: { $0.status == "CONFLICT" }) else {
                throw StoreError.notInConflict(resolutions.keys.sorted())
            }
            // Nothing of a record in conflict is sent, so that all of it is taken along: a field in
            // conflict that was divided from one in review stands behind later changes of it.
            let taken = waiting.filter {
                $0.status == "CONFLICT" || $0.status == "PENDING" && !$0.isForReview
            }
            let inConflict = taken.filter { $0.status == "CONFLICT" }
            var conflict = try ShownConflict(inConflict, database)
            try conflict.requireDecided(by: resolutions)
            try conflict.requireUnchanged(since: shown)
            let parts = try database.parted(
                taken, by: inConflict[0], taking: Set(resolutions.keys))
            let absorbed = parts.absorbed
            var entries = try conflict.settle(absorbed.combinedEntries, resolutions, database)
            let operation = absorbed.combinedOperation
            if try conflict.letsGo(by: resolutions) && database.isDeletedThere(id) {
                conflict.giveUp(entries)
                entries = [:]
            } else if conflict.meetsTombstone, operation != "DELETE" {
                entries[Mutation.deletedField] = try conflict.restoration(database)
                try database.execute(
                    "UPDATE record SET is_deleted = 0 WHERE id = ?", [.text(id.rawValue)])
                try database.awaitRestoration(of: id)
            }
            try database.keepInHistory(conflict.given, of: id, rule: MergeRule.resolved.rawValue)
            _ = try database.replace(
                absorbed, with: entries, operation: operation, newID: sources.newID())
            try database.putBehind(parts.later, newID: sources.newID)
            let names = Set(absorbed.flatMap(\.entries.keys))
            for name in names { try database.showConfirmedOrNewest(name, of: id) }
            try database.forgetOldBases(of: resolutions.keys, on: id)
            if try database.isTombstone(id) { try letGoBelow(id, database) }
        }
    }

    /// An edit of a field that a failed mutation names is an answer to the failure: the two and
    /// what lies between them become one new mutation.
    func absorbFailure(of names: Set<FieldName>, in id: RecordID, _ database: Connection) throws {
        let failed = try database.first(
            "SELECT 1 FROM __sync_outbox WHERE record_id = ? AND status = 'FAILED'",
            [.text(id.rawValue)]
        ) { _ in true }
        guard failed != nil else { return }
        let answered = try database.waitingMutations(of: id).first {
            $0.status == "FAILED" && !names.isDisjoint(with: $0.entries.keys)
        }
        guard let answered else { return }
        try database.whileApplying { _ = try absorb(from: answered, database) }
    }

    /// Removes a record that the server never had, with its descendants. With the guard up.
    func removeUnsent(_ id: RecordID, rule: String, _ database: Connection) throws {
        for member in try database.family(of: id) {
            let waiting = try database.waitingMutations(of: member)
            try database.keepInHistory(waiting.combinedEntries, of: member, rule: rule)
            let key: [DatabaseValue] = [.text(member.rawValue)]
            try database.execute("DELETE FROM __sync_outbox WHERE record_id = ?", key)
            for table in ["field", "__sync_shadow", "__sync_held", "__sync_unseen", "draft"] {
                try database.execute("DELETE FROM \(table) WHERE record_id = ?", key)
            }
            try database.execute("DELETE FROM record WHERE id = ?", key)
        }
    }

    private func absorb(
        from head: WaitingMutation, _ database: Connection
    ) throws -> MutationID? {
        let taken = try database.waitingMutations(of: head.record).filter {
            $0.sequence >= head.sequence
                && ($0.status == "FAILED" || $0.status == "PENDING" && !$0.isForReview)
        }
        let parts = try database.parted(taken, by: head)
        let id = try absorb(parts.absorbed, of: head.record, database)
        try database.putBehind(parts.later, newID: sources.newID)
        return id
    }

    private func absorb(
        _ absorbed: [WaitingMutation], of record: RecordID, _ database: Connection
    ) throws -> MutationID? {
        let operation = absorbed.combinedOperation
        let entries = absorbed.combinedEntries
        guard operation == "DELETE" else {
            return try database.replace(
                absorbed, with: entries, operation: operation, newID: sources.newID())
        }
        try database.keepInHistory(entries, of: record, rule: MergeRule.deleted.rawValue)
        if absorbed.contains(where: { $0.operation == "INSERT" }) {
            try removeUnsent(record, rule: MergeRule.deleted.rawValue, database)
            return nil
        }
        let id = try database.replace(
            absorbed, with: entries.filter { $0.key == Mutation.deletedField },
            operation: operation, newID: sources.newID())
        for name in entries.keys { try database.showConfirmedOrNewest(name, of: record) }
        return id
    }

    func giveUp(
        _ mutation: WaitingMutation, rule: String, _ database: Connection
    ) throws {
        try database.keepInHistory(mutation.entries, of: mutation.record, rule: rule)
        try database.execute(
            "DELETE FROM __sync_outbox WHERE seq_id = ?", [.integer(mutation.sequence)])
        for (name, entry) in mutation.entries {
            try database.rebase(name, after: mutation, on: entry)
            try database.showConfirmedOrNewest(name, of: mutation.record)
        }
    }

    private func require(_ mutation: WaitingMutation, toBe statuses: [String]) throws {
        guard statuses.contains(mutation.status) else {
            throw StoreError.wrongStatus(mutation: mutation.id, status: mutation.status)
        }
    }
}

extension [WaitingMutation] {
    /// One entry a field: the newest value on the oldest base.
    fileprivate var combinedEntries: [FieldName: WaitingMutation.Entry] {
        reduce(into: [:]) { combined, mutation in
            combined.merge(mutation.entries) { first, second in
                // By count, not by place: see `showConfirmedOrNewest`.
                let newest = second.lamport >= first.lamport ? second : first
                return WaitingMutation.Entry(
                    value: newest.value, baseValue: first.baseValue,
                    baseVersion: first.baseVersion, lamport: newest.lamport)
            }
        }
    }

    fileprivate var combinedOperation: String {
        if contains(where: { $0.operation == "DELETE" }) { return "DELETE" }
        return contains { $0.operation == "INSERT" } ? "INSERT" : "UPDATE"
    }
}

extension Connection {
    func recordsRemoved(byDiscarding operation: String, of id: RecordID) throws -> [RecordID] {
        guard operation == "INSERT", try !isOnServer(id) else { return [] }
        return try family(of: id)
    }

    /// Whether a server has confirmed the record, in whatever way it came to it: then giving up an
    /// INSERT gives up its values and not the record.
    func isOnServer(_ id: RecordID) throws -> Bool {
        try first("SELECT version > 0 FROM record WHERE id = ?", [.text(id.rawValue)]) {
            try $0.flag(0)
        } ?? false
    }

    /// The next waiting change of a field was made on a value that is given up: its base becomes
    /// what that one's was.
    fileprivate func rebase(
        _ name: FieldName, after mutation: WaitingMutation, on entry: WaitingMutation.Entry
    ) throws {
        try execute(
            """
            UPDATE __sync_outbox_field SET base_value = ?1
            WHERE name = ?2 AND seq_id = (
                SELECT min(waiting.seq_id)
                FROM __sync_outbox AS waiting
                JOIN __sync_outbox_field AS later ON later.seq_id = waiting.seq_id
                WHERE waiting.record_id = ?3 AND waiting.seq_id > ?4 AND later.name = ?2
                    AND waiting.status <> 'ACKNOWLEDGED' AND waiting.sealed = 0)
            """,
            [
                entry.baseValue, .text(name), .text(mutation.record.rawValue),
                .integer(mutation.sequence),
            ])
    }
}
