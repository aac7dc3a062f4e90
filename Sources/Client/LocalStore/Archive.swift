internal import Forms
internal import Inspections
internal import Replication
internal import SQLite

/// Records that are settled for good. A tombstone goes whole. An inspection that has long been
/// finished leaves its answers: what stays of it and of the records below it is what the digest of
/// its site is made of, and the built-in fields that lock it. It is in no list any more. When
/// somebody changes it, or something below it, a pull from the beginning brings the answers of all
/// that belong to it; until then it stays in no list, so that nobody writes over what he cannot see.
extension Connection {
    /// A page has brought all of the record. One that was archived with others waits for those.
    func noteWhole(_ id: RecordID) throws {
        guard try isArchived(id) else { return }
        // Also where a pull from the beginning brings the news: it may have passed the others already.
        if try fullPull() == .idle || isAsleep(id), try wantFamily(of: id) { return }
        try execute("DELETE FROM __sync_archived WHERE record_id = ?", [.text(id.rawValue)])
    }

    /// Whether the record left its answers and nobody has asked for them again.
    func isAsleep(_ id: RecordID) throws -> Bool {
        try first(
            "SELECT 1 FROM __sync_archived WHERE record_id = ? AND is_wanted = 0",
            [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    /// Whether nothing but the frame is left of the record: its answers went by retention.
    func holdsOnlyFrame(of id: RecordID) throws -> Bool {
        guard try isArchived(id) else { return false }
        let answer = try first(
            "SELECT 1 FROM field WHERE record_id = ? AND name NOT LIKE '@%' LIMIT 1",
            [.text(id.rawValue)]
        ) { _ in true }
        return answer == nil
    }

    private func isArchived(_ id: RecordID) throws -> Bool {
        try first("SELECT 1 FROM __sync_archived WHERE record_id = ?", [.text(id.rawValue)]) { _ in
            true
        } ?? false
    }

    /// Asks for the answers of all that was archived with a record.
    /// - Returns: false where there is nothing but the record itself.
    private func wantFamily(of id: RecordID) throws -> Bool {
        let family = try family(of: top(of: id))
        let others = try family.filter { try $0 != id && isArchived($0) }
        guard !others.isEmpty else { return false }
        for member in family {
            try execute(
                "UPDATE __sync_archived SET is_wanted = 1 WHERE record_id = ?",
                [.text(member.rawValue)])
        }
        return true
    }

    /// The inspection that a record belongs to, or the record itself.
    private func top(of id: RecordID) throws -> RecordID {
        try first(
            """
            WITH RECURSIVE above (id, parent_id, depth) AS (
                SELECT id, parent_id, 0 FROM record WHERE id = ?1
                UNION
                SELECT record.id, record.parent_id, depth + 1 FROM record JOIN above
                    ON record.id = above.parent_id
                WHERE record.table_name NOT IN (?2, ?3) AND depth < \(Self.deepestFamily))
            SELECT id FROM above ORDER BY depth DESC LIMIT 1
            """,
            [.text(id.rawValue), .text(RecordTable.asset), .text(RecordTable.site)]
        ) { RecordID(try $0.text(0)) } ?? id
    }

    /// Whether answers are wanted that only a pull from the beginning brings.
    func wantsAnswers() throws -> Bool {
        try first("SELECT 1 FROM __sync_archived WHERE is_wanted = 1 LIMIT 1") { _ in true }
            ?? false
    }

    func archivedRecords() throws -> Set<RecordID> {
        try Set(query("SELECT record_id FROM __sync_archived") { RecordID(try $0.text(0)) })
    }

    /// Tombstones that a cursor has passed. One with records below it stays: their place in the sum
    /// of the site hangs on it. One whose cursor is not written yet would come again. One of a
    /// deletion that was acknowledged lately stays to tell a restored server of it.
    func purgeTombstones() throws -> Bool {
        guard try metadataText("cursor") != nil else { return false }
        let gone = try query(
            """
            SELECT id FROM record
            WHERE is_deleted = 1 AND version > 0 AND digest IS NULL
                AND NOT EXISTS (SELECT 1 FROM record AS child WHERE child.parent_id = record.id)
                AND NOT EXISTS (SELECT 1 FROM __sync_left WHERE record_id = record.id)
                AND NOT EXISTS (SELECT 1 FROM __sync_held WHERE record_id = record.id)
                AND NOT EXISTS (SELECT 1 FROM draft WHERE record_id = record.id)
                AND NOT EXISTS (SELECT 1 FROM __sync_outbox WHERE record_id = record.id)
            LIMIT 5
            """
        ) { RecordID(try $0.text(0)) }
        for id in gone { try removeCopy(of: id) }
        return !gone.isEmpty
    }

    /// Ends to count where an inspection has changed since it was finished.
    func noteReopened(at time: Int64) throws {
        try execute(
            "UPDATE __sync_finished SET since = ?1 WHERE since > ?1", [.integer(time)])
        try execute(
            """
            DELETE FROM __sync_finished WHERE record_id NOT IN (
                SELECT finished.record_id FROM __sync_finished AS finished
                JOIN record ON record.id = finished.record_id
                    AND record.version = finished.version
                JOIN field ON field.record_id = record.id AND field.name = ?1
                    AND field.value IN (?2, ?3))
            """, Self.finishedStates)
    }

    /// Begins to count where an inspection is finished.
    func noteFinished(at time: Int64) throws -> Bool {
        try execute(
            """
            INSERT INTO __sync_finished (record_id, version, since)
            SELECT id, record.version, ?4 FROM record
            JOIN field ON field.record_id = record.id AND field.name = ?1
                AND field.value IN (?2, ?3)
            WHERE table_name = 'inspection' AND is_deleted = 0 AND digest IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM __sync_finished WHERE record_id = id)
                AND NOT EXISTS (SELECT 1 FROM __sync_archived WHERE record_id = id)
            LIMIT 100
            """, Self.finishedStates + [.integer(time)])
        return changes > 0
    }

    private static let finishedStates: [DatabaseValue] = [
        .text(BuiltInField.state), .text(InspectionState.complete.rawValue),
        .text(InspectionState.approved.rawValue),
    ]

    func archiveFinished(before instant: Int64) throws -> Bool {
        let old = try query(
            "SELECT record_id FROM __sync_finished WHERE since <= ? ORDER BY since LIMIT 1",
            [.integer(instant)]
        ) { RecordID(try $0.text(0)) }
        for id in old {
            let family = try family(of: id)
            let isUsed =
                try isLastVisit(id) || hasOpenFinding(id)
                || family.contains { try holdsWork($0) || isShown($0) }
            if !isUsed { for member in family { try archive(member) } }
            // One with work on it counts from the beginning, and so does one that the next visit to its
            // equipment shows, or of which something is still to be mended.
            try execute("DELETE FROM __sync_finished WHERE record_id = ?", [.text(id.rawValue)])
        }
        return !old.isEmpty
    }

    /// Whether something that was found is neither mended nor closed: it stands in the list of findings
    /// whatever its age, with the name of its inspection.
    private func hasOpenFinding(_ id: RecordID) throws -> Bool {
        try findings(below: id).contains { found in
            guard found.finding.status == .pending else { return false }
            // What was found in a deleted row stands in no list, and nobody can mend it. One that is not here
            // was deleted too, and its tombstone has gone: upkeep follows an exchange of everything.
            guard let row = found.finding.key.row else { return true }
            return try isLive(RecordID(row), table: RecordTable.repetition)
        }
    }

    private func isShown(_ id: RecordID) throws -> Bool {
        try first(
            "SELECT 1 FROM __sync_held WHERE record_id = ? LIMIT 1", [.text(id.rawValue)]
        ) { _ in true } ?? false
    }

    private func archive(_ id: RecordID) throws {
        let key: [DatabaseValue] = [.text(id.rawValue)]
        try execute("DELETE FROM field WHERE record_id = ? AND name NOT LIKE '@%'", key)
        // What somebody wrote of a finding goes as what he answered does.
        try execute(
            "DELETE FROM field WHERE record_id = ?1 AND name IN (?2, ?3)",
            key + [.text(BuiltInField.note), .text(BuiltInField.owner)])
        try execute("INSERT OR IGNORE INTO __sync_archived (record_id) VALUES (?)", key)
    }
}
