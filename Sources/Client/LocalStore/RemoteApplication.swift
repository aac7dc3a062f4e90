internal import Coding
internal import Replication
internal import SQLite

/// What the server said, while it is written into the tables in one transaction.
///
/// Repeating it is harmless: a record is taken only if its version is newer, and the version is
/// written together with the last of its fields.
final class RemoteApplication {
    let database: Connection
    let nowUtc: String
    let newID: () -> String
    var sums: SiteSums
    /// The counter of the server whose answer this is; nil for a page.
    var serverLamport: Int64?

    init(database: Connection, nowUtc: String, newID: @escaping () -> String) {
        self.database = database
        self.nowUtc = nowUtc
        self.newID = newID
        sums = SiteSums(database)
    }

    /// Applies a slice. Records go in together; what follows them finds them in the tables.
    func take(_ slice: [ApplyStep], _ report: inout PageReport) throws {
        var parts: [RecordPart] = []
        for step in slice {
            switch step {
            case .fields(let record, let names, let isLast):
                if parts.contains(where: { $0.record.id == record.id }) {
                    try apply(&parts, &report)
                }
                parts.append(RecordPart(record: record, names: names, isLast: isLast))
            case .verdict(let verdict, let isAnswer):
                try apply(&parts, &report)
                // A decision says nothing of the fields that the verdict before it left to the
                // inspector. Where that one never arrived, the mutation is pushed again and hears
                // both; where it came after the decision, only those fields are left.
                guard try isAnswer || awaitsDecision(verdict.mutationId) else { continue }
                try settle(verdict, &report.verdicts)
            case .removal(let id):
                try apply(&parts, &report)
                // What a restored server lacks of it stays kept: nobody else may have it any more.
                if try remove(id, isLost: false) { report.removed += 1 }
            }
        }
        try apply(&parts, &report)
    }

    private func awaitsDecision(_ id: MutationID) throws -> Bool {
        try !["PENDING", "CONFLICT"].contains(database.status(of: id))
    }

    /// The counter of the server, and the epoch that gives versions their meaning. What comes now
    /// is news: until the digests are compared again nothing proves that the copies are equal.
    func note(_ server: ServerState) throws {
        try database.execute(
            "UPDATE __sync_metadata SET value = max(value, ?) WHERE key = 'lamport'",
            [.integer(server.lamport)])
        try database.execute(
            "UPDATE __sync_metadata SET value = ? WHERE key = 'server_epoch' AND value IS NOT ?",
            [.integer(server.epoch), .integer(server.epoch)])
        try database.execute(
            "UPDATE __sync_metadata SET value = 0 WHERE key = 'proven' AND value IS NOT 0")
        try database.noteServerTime(server.timeUtc)
    }

    func writeSiteSums() throws { try sums.write() }

    /// Makes the sums of all sites from the digests of their records.
    func recountSums() throws { sums = try SiteSums(recounting: database) }

    // MARK: Records

    private struct RecordPart {
        var record: WireRecord
        var names: ArraySlice<FieldName>
        var isLast: Bool
        /// Of the whole record, with its last part. A tombstone has none.
        var digest: RecordDigest?

        init(record: WireRecord, names: ArraySlice<FieldName>, isLast: Bool) {
            self.record = record
            self.names = names
            self.isLast = isLast
            if isLast { digest = wholeDigest }
        }

        /// The server's record is the whole confirmed state, so its digest is this record's.
        var wholeDigest: RecordDigest? {
            guard !record.isDeleted else { return nil }
            return RecordDigest(
                id: record.id, version: record.version, fields: record.fields.mapValues(\.value))
        }
    }

    private struct Known {
        var version: Int64
        var isDeleted: Bool
        var digest: RecordDigest?
        var mark: UnseenMark?
        /// Archived, and nobody has asked for its answers.
        var isAsleep = false

        /// What a pull from the beginning has not met yet is taken as it comes. A record that left
        /// the scope while work on it waited counts in no digest: should the scope come back, the
        /// version that is here already makes it count again.
        func isOlder(than record: WireRecord) -> Bool {
            if mark != nil { return true }
            if version != record.version { return version < record.version }
            return version > 0 && digest == nil && !record.isDeleted
        }
    }

    private func known(_ id: RecordID) throws -> Known? {
        try database.first(
            """
            SELECT version, is_deleted, digest, (
                SELECT is_old FROM __sync_unseen WHERE record_id = id), EXISTS (
                SELECT 1 FROM __sync_archived WHERE record_id = id AND is_wanted = 0)
            FROM record WHERE id = ?
            """, [.text(id.rawValue)]
        ) { row in
            Known(
                version: try row.integer(0), isDeleted: try row.flag(1),
                digest: row.isNull(2) ? nil : try RecordDigest(bytes: row.blob(2)),
                mark: UnseenMark(stored: try row.optionalInteger(3)), isAsleep: try row.flag(4))
        }
    }

    /// Writes what is newer than the tables, and forgets the parts.
    private func apply(_ parts: inout [RecordPart], _ report: inout PageReport) throws {
        guard !parts.isEmpty else { return }
        let staging = try Staging(database)
        var news: [(part: RecordPart, known: Known?)] = []
        for part in parts {
            let known = try known(part.record.id)
            if let known, !known.isOlder(than: part.record) {
                // It came, so it is in scope, also where it is the tombstone that is here already.
                if part.isLast { try database.noteReturned(part.record.id) }
                continue
            }
            if let known, known.isAsleep, known.digest == part.wholeDigest {
                // The pull has met it, and it has not changed: it sleeps on.
                if part.isLast {
                    try database.noteReturned(part.record.id)
                    try database.removeMark(of: part.record.id)
                }
                continue
            }
            // While the old values still stand there: what is shown must not go back and forth.
            if known?.mark == .oldEpoch {
                try offerAgain(part.record.id, shown: part.record)
                try database.keepUnshown(in: part.record, nowUtc: nowUtc)
            }
            try stage(part, known, in: staging)
            news.append((part, known))
        }
        parts.removeAll()
        guard !news.isEmpty else { return }
        // Before the tables change: what stands there now is what the sums were made of.
        try sums.adoptChildren(of: news.filter { $0.known == nil }.map(\.part.record))
        try staging.write(hasKnown: news.contains { $0.known != nil })
        for (part, known) in news { try finish(part, known) }
        try offerReturned(news.filter { $0.known == nil && $0.part.isLast }.map(\.part.record))
        if try database.keepsLost() {
            for (part, _) in news where part.isLast { try database.letGoShown(in: part.record) }
        }
        report.records += news.count { $0.part.isLast }
    }

    /// Records that are new here, in a pull that began anew: they may have been here before, left, and
    /// come back with a restored server that lacks what was acknowledged then.
    private func offerReturned(_ records: [WireRecord]) throws {
        guard !records.isEmpty, try database.fullPull() == .renewal else { return }
        for record in records {
            guard try offerAgain(record.id, shown: record, isNew: true) else { continue }
            try database.keepOldBases(of: record.id)
            try database.requireOldCursor()
        }
    }

    private func stage(_ part: RecordPart, _ known: Known?, in staging: Staging) throws {
        let record = part.record
        // A deletion or a restoration that still waits here is shown, whatever the server says.
        let waiting = known == nil ? nil : try database.waitingDeletion(of: record.id)
        let isDeleted = waiting ?? record.isDeleted
        try staging.stage(
            Staging.Part(
                record: record, isComplete: part.isLast, isKnown: known != nil,
                isDeleted: isDeleted, digest: part.digest))
        for name in part.names {
            guard let field = record.fields[name] else { continue }
            try staging.stage(field, name, of: record.id, isKnown: known != nil)
        }
    }

    private func finish(_ part: RecordPart, _ known: Known?) throws {
        guard part.isLast else { return }
        if let known {
            try clearAbsent(in: part.record)
            try database.noteWhole(part.record.id)
            if known.digest == nil { try database.noteReturned(part.record.id) }
            if known.mark == .oldEpoch { try database.keepOldBases(of: part.record.id) }
            if known.mark != nil { try database.removeMark(of: part.record.id) }
        }
        try sums.replace(known?.digest, by: part.digest, of: part.record.id)
    }

    /// A field that the server's record does not name has no value there.
    private func clearAbsent(in record: WireRecord) throws {
        let id = DatabaseValue.text(record.id.rawValue)
        let shadows = try names("SELECT name FROM __sync_shadow WHERE record_id = ?", id)
        let present = try names("SELECT name FROM field WHERE record_id = ?", id)
        for name in present.union(shadows) where record.fields[name] == nil {
            let table = shadows.contains(name) ? "__sync_shadow" : "field"
            try database.execute(
                "UPDATE \(table) SET value = NULL, version = ? WHERE record_id = ? AND name = ?",
                [.integer(record.version), id, .text(name)])
        }
    }

    private func names(_ sql: String, _ id: DatabaseValue) throws -> Set<FieldName> {
        try Set(database.query(sql, [id]) { try $0.text(0) })
    }

    /// Of a record of which more is confirmed than its version says no digest is known until the
    /// server sends it again.
    func countAnew(_ id: RecordID) throws {
        try sums.replace(known(id)?.digest, by: nil, of: id)
        try database.execute(
            "UPDATE record SET digest = NULL WHERE id = ?", [.text(id.rawValue)])
    }

    // MARK: Out of scope

    /// Removes a record that this device may not see any more, or that the server has lost: of that
    /// one a copy is kept apart. One with work that waits stays until that is settled, but is not part
    /// of the digest.
    func remove(_ id: RecordID, isLost: Bool) throws -> Bool {
        guard let known = try known(id) else { return false }
        try sums.replace(known.digest, by: nil, of: id)
        // Also under work that waits: the copy brings back what that work rests on. What this device
        // makes anew by itself needs none.
        if isLost, try !database.waitsToBeMade(id) { try database.keepLost(id, nowUtc: nowUtc) }
        if !isLost { try database.keepBeforeLoss(of: id) }
        guard try !database.holdsWork(id) else {
            try database.noteLeft(id, isLost: isLost)
            return false
        }
        try sums.disownChildren(of: id)
        try database.removeCopy(of: id)
        return true
    }
}
