internal import Coding
internal import Replication
internal import SQLite

/// After a restore of the server: what it had acknowledged and does not show goes to it again, with
/// the old ids and counts. Acknowledged rows stay for 30 days for this.
extension RemoteApplication {
    /// - Parameters:
    ///   - shown: the record as the server has it now; nil where it does not have it.
    ///   - isNew: whether nothing but that is here of the record.
    /// - Returns: whether anything is offered.
    @discardableResult
    func offerAgain(_ id: RecordID, shown: WireRecord?, isNew: Bool = false) throws -> Bool {
        let node = try database.position().node
        let rows = try database.offerableRows(of: id)
        guard rows.contains(where: { !$0.isWaiting }) else { return false }
        // Deleted here and unknown there: no reading is missing.
        if shown == nil, try database.isSettledTombstone(id) {
            return try offerDeletionAgain(of: id, rows)
        }
        let own = OwnWords(
            node: node, confirmed: isNew ? [:] : try database.confirmed(of: id),
            isDeleted: isNew ? nil : try database.isDeletedThere(id),
            newest: try database.newestOwnEntries(of: id),
            isOfOneEpoch: try database.knowsOneEpoch())
        let lacking = rows.map { row in
            guard !row.isWaiting else { return [AcknowledgedRow.Entry]() }
            return shown.map { row.entries(lackingIn: $0, own) } ?? row.entries
        }
        guard shown == nil || lacking.contains(where: { !$0.isEmpty }) else { return false }
        let oldest = Dictionary(
            lacking.joined().map { ($0.name, $0.lamport) }, uniquingKeysWith: min)
        // What was entered later goes later, also than a part that gets a new place.
        var last = Int64.min
        for (row, missing) in zip(rows, lacking) {
            if row.isWaiting {
                let isBehind = row.sequence > last
                last = try isBehind ? row.sequence : database.reissue(row.sequence, newID: newID())
                continue
            }
            guard shown == nil || !missing.isEmpty || row.follows(oldest) else { continue }
            let names = row.entries.filter { entry in
                missing.contains { $0.name == entry.name } || entry.isNewer(than: oldest)
            }
            last = try database.offerAgain(row, names.map(\.name), after: last, newID: newID)
            try database.noteFormer(names, of: id, own.confirmed)
        }
        return true
    }
}

/// A mutation that the server has acknowledged, or one that waits among such.
struct AcknowledgedRow {
    struct Entry {
        var name: FieldName
        var value: FieldValue
        var lamport: Int64

        /// What came after a change that is offered goes after it again, also where the server shows
        /// its value: the older change would be the last word else.
        func isNewer(than offered: [FieldName: Int64]) -> Bool {
            offered[name].map { $0 < lamport } ?? false
        }

        /// Whether this is what was confirmed. Not by the node: this device may have had another one.
        func isSame(as confirmed: WireRecord.Field) -> Bool {
            confirmed.stamp.lamport == lamport && confirmed.value == value
        }
    }

    var sequence: Int64
    var record: RecordID
    /// What is left of a mutation, or what was taken from one: the server does not know this content
    /// by this id.
    var isPart: Bool
    var isWaiting: Bool
    var entries: [Entry] = []

    /// Whether something in it comes after one of these changes.
    func follows(_ offered: [FieldName: Int64]) -> Bool {
        entries.contains { $0.isNewer(than: offered) }
    }

    /// The entries that the server's record does not show: what stands there is another value, and
    /// older. What is newer it has from somebody who came later; only where this entry was the last
    /// word as far as this device knew, nobody may have seen it, and the merge decides. Of a field
    /// that shows what was confirmed here all along, the server has lost nothing. Nor is anything
    /// missing that this device has overwritten itself: its later word is there, or goes. A knowing
    /// correction back to what the backup has goes all the same: what it overruled may be brought yet.
    func entries(lackingIn shown: WireRecord, _ own: OwnWords) -> [Entry] {
        entries.filter { entry in
            if entry.name == Mutation.deletedField { return lacksDeletion(entry, shown, own) }
            guard own.newest[entry.name] == entry.lamport else { return false }
            let stamp = Stamp(lamport: entry.lamport, node: own.node)
            let confirmed = own.confirmed[entry.name]?.stamp
            // Somebody came later, and what he entered goes as a copy: this is not the last word.
            // What this device entered itself under another node is.
            let isSame = own.confirmed[entry.name].map(entry.isSame) ?? false
            if let confirmed, confirmed.node != own.node, !isSame, stamp < confirmed {
                return false
            }
            let field = shown.fields[entry.name]
            guard field?.value ?? .null != entry.value else {
                return isSame && own.isNews(entry.name, beside: field)
            }
            guard let field else { return true }
            guard field.stamp != confirmed else { return false }
            if field.stamp < stamp { return true }
            // A later one of this node's own came with an edit that had waited.
            return confirmed?.lamport == entry.lamport && field.stamp.node != own.node
        }
    }

    /// With the version that it had the server knows whether the record was restored after it.
    private func lacksDeletion(_ entry: Entry, _ shown: WireRecord, _ own: OwnWords) -> Bool {
        let deletes = entry.value == .integer(1)
        guard deletes != shown.isDeleted, own.newest[entry.name] == entry.lamport else {
            return false
        }
        if let isDeleted = own.isDeleted, own.isOfOneEpoch { return deletes == isDeleted }
        // Somebody who came later has worked on it, so it was restored.
        return !deletes || shown.fields.values.allSatisfy { $0.stamp.lamport < entry.lamport }
    }
}

/// What this device knows of its own changes of one record.
struct OwnWords {
    var node: NodeID
    /// Of each field that has a confirmed value, that.
    var confirmed: [FieldName: WireRecord.Field]
    /// Whether a deletion is confirmed; nil where nothing was here of the record.
    var isDeleted: Bool?
    /// The count of the last change of each field that was accepted, waits or is under way.
    var newest: [FieldName: Int64]
    /// Whether the versions of what is confirmed are all of the epoch before the restored server's.
    var isOfOneEpoch: Bool

    /// Whether what was confirmed came later than the equal value that the server shows.
    func isNews(_ name: FieldName, beside shown: WireRecord.Field?) -> Bool {
        isOfOneEpoch && confirmed[name]?.cameAfter(shown) ?? false
    }
}

extension WireRecord.Field {
    /// Whether this change of the epoch before was made after the one that a restored server shows.
    /// Whatever stood in between was overruled, also where both say the same; of that server's own
    /// changes since, versions tell nothing, and too much is told at worst.
    func cameAfter(_ shown: WireRecord.Field?) -> Bool {
        stamp != shown?.stamp && version > shown?.version ?? 0
    }
}

extension Connection {
    fileprivate func newestOwnEntries(of id: RecordID) throws -> [FieldName: Int64] {
        let newest = try query(
            """
            SELECT name, max(entry.lamport) FROM __sync_outbox AS outbox
            JOIN __sync_outbox_field AS entry ON entry.seq_id = outbox.seq_id
            WHERE record_id = ? AND status IN ('ACKNOWLEDGED', 'PENDING', 'IN_FLIGHT')
            GROUP BY name
            """, [.text(id.rawValue)]
        ) { (try $0.text(0), try $0.integer(1)) }
        return Dictionary(newest) { $1 }
    }

    /// The one that makes the record comes first, the others in the order in which they were entered,
    /// which is not that of their places where parts were offered again before.
    fileprivate func offerableRows(of id: RecordID) throws -> [AcknowledgedRow] {
        var rows = try query(
            """
            SELECT seq_id, is_part, status = 'PENDING' FROM __sync_outbox
            WHERE record_id = ? AND status IN ('ACKNOWLEDGED', 'PENDING')
            ORDER BY operation <> 'INSERT', lamport, seq_id
            """, [.text(id.rawValue)]
        ) { row in
            AcknowledgedRow(
                sequence: try row.integer(0), record: id, isPart: try row.flag(1),
                isWaiting: try row.flag(2))
        }
        for index in rows.indices {
            rows[index].entries = try query(
                "SELECT name, value, lamport FROM __sync_outbox_field WHERE seq_id = ?",
                [.integer(rows[index].sequence)]
            ) { row in
                AcknowledgedRow.Entry(
                    name: try row.text(0), value: try row.fieldValue(1),
                    lamport: try row.integer(2))
            }
        }
        return rows
    }

    fileprivate func confirmed(of id: RecordID) throws -> [FieldName: WireRecord.Field] {
        let rows = try query(
            "SELECT name, value, lamport, node, version FROM (\(Self.confirmedFields))",
            [.text(id.rawValue)]
        ) { (try $0.text(0), try WireRecord.Field(row: $0)) }
        return Dictionary(rows) { first, _ in first }
    }

    fileprivate func isSettledTombstone(_ id: RecordID) throws -> Bool {
        let isDeleted = try first(
            "SELECT is_deleted FROM record WHERE id = ?", [.text(id.rawValue)]
        ) { try $0.flag(0) }
        return try isDeleted ?? false && waitingDeletion(of: id) == nil
    }

    /// Puts an acknowledged mutation back into the queue. Its values are shown, on what the server
    /// has under them.
    ///
    /// - Parameter last: the place of the one before it: what was entered later goes later.
    /// - Returns: its own place.
    func offerAgain(
        _ row: AcknowledgedRow, _ names: [FieldName], after last: Int64, newID: () -> String
    ) throws -> Int64 {
        var sequence = row.sequence
        if names.count < row.entries.count {
            sequence = try divide(row.sequence, taking: names, newID: newID())
        } else if row.isPart || sequence < last {
            sequence = try reissue(row.sequence, newID: newID())
        }
        for name in names where name != Mutation.deletedField {
            try keepShadow(of: name, in: row.record)
        }
        try execute(
            """
            UPDATE __sync_outbox
            SET status = 'PENDING', sealed = 1, retry_count = 0, next_attempt_at = NULL,
                settled_since = NULL,
                last_error = NULL
            WHERE seq_id = ?
            """, [.integer(sequence)])
        for name in names { try showConfirmedOrNewest(name, of: row.record) }
        return sequence
    }
}

/// Parts of a mutation. The server knows an id by the content that came with it, so a part that goes
/// out again needs an id and a place in the sequence of its own.
extension Connection {
    /// Takes what a verdict has settled out of a mutation that waits on with the rest: an
    /// acknowledged row of its own, before all others, because the newest row of a record is the one
    /// that edits amend.
    func setAsideSettled(_ names: [FieldName], of sequence: Int64, newID: String) throws {
        try execute(
            """
            INSERT INTO __sync_outbox
                (seq_id, mutation_id, table_name, record_id, operation, status, sealed, lamport,
                    schema_version, created_at_utc, is_part, in_bundle)
            SELECT (SELECT min(0, min(seq_id)) - 1 FROM __sync_outbox), ?, table_name, record_id,
                operation, 'ACKNOWLEDGED', 1, lamport, schema_version, created_at_utc, 1, in_bundle
            FROM __sync_outbox WHERE seq_id = ?
            """, [.text(newID), .integer(sequence)])
        try moveEntries(names, from: sequence, to: lastInsertRowID)
        try notePart(sequence)
    }

    /// The server knows the mutation by its id with more than what is left of it.
    func notePart(_ sequence: Int64) throws {
        try execute(
            "UPDATE __sync_outbox SET is_part = 1 WHERE seq_id = ?", [.integer(sequence)])
    }

    /// Takes entries of an acknowledged mutation, whose record the server has, into one that can be
    /// sent.
    /// - Returns: its place in the sequence.
    fileprivate func divide(
        _ sequence: Int64, taking names: [FieldName], newID: String
    ) throws -> Int64 {
        let next = try append(copyOf: sequence, newID: newID)
        try moveEntries(names, from: sequence, to: next)
        try execute(
            "UPDATE __sync_outbox SET operation = 'UPDATE' WHERE seq_id = ? AND operation = 'INSERT'",
            [.integer(next)])
        try notePart(sequence)
        return next
    }

    /// Gives a mutation an id and a place in the sequence that the server has not seen.
    /// - Returns: its place in the sequence.
    @discardableResult
    func reissue(_ sequence: Int64, newID: String) throws -> Int64 {
        let next = try append(copyOf: sequence, newID: newID)
        for table in ["__sync_outbox_field", "__sync_asked_again"] {
            try execute(
                "UPDATE \(table) SET seq_id = ? WHERE seq_id = ?",
                [.integer(next), .integer(sequence)])
        }
        try execute("DELETE FROM __sync_outbox WHERE seq_id = ?", [.integer(sequence)])
        return next
    }

    private func append(copyOf sequence: Int64, newID: String) throws -> Int64 {
        try execute(
            """
            INSERT INTO __sync_outbox
                (mutation_id, table_name, record_id, operation, status, sealed, lamport, bytes,
                    schema_version, created_at_utc, pull_position, in_bundle)
            SELECT ?, table_name, record_id, operation, status, sealed, lamport, bytes,
                schema_version, created_at_utc, pull_position, in_bundle
            FROM __sync_outbox WHERE seq_id = ?
            """, [.text(newID), .integer(sequence)])
        return lastInsertRowID
    }

    private func moveEntries(_ names: [FieldName], from old: Int64, to new: Int64) throws {
        for name in names {
            try execute(
                "UPDATE __sync_outbox_field SET seq_id = ? WHERE seq_id = ? AND name = ?",
                [.integer(new), .integer(old), .text(name)])
        }
    }
}
