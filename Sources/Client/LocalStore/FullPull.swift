internal import Replication
internal import SQLite

/// A pull from the beginning. Every record that the server has confirmed is marked when it begins;
/// a record that comes loses its mark; what is marked at the end the server does not have (any
/// more). The marks are rows, and the cursor is written last, so that it can be stopped anywhere and
/// go on in another process.
extension DeviceStore {
    /// Forgets the cursor: what it points at is no longer kept, or the copies differ.
    package func restartPull() throws {
        try edit { try $0.restartPull() }
    }

    /// Between two repairs, in milliseconds: what a pull from the beginning has not mended, another
    /// one at once will not mend either.
    static let repairInterval: Int64 = 600_000

    /// Begins a pull from the beginning because the digests of these sites differ.
    /// - Returns: false where one began less than ten minutes ago.
    package func beginRepair(of sites: [String]) throws -> Bool {
        let now = sources.now()
        let begins = try edit { database in
            // What was noted later than now is from before the clock was set back.
            if let last = try database.metadataInteger("repaired_at"),
                (0..<Self.repairInterval).contains(now - last)
            {
                return false
            }
            try database.setMetadata("repaired_at", .integer(now))
            try database.restartPull()
            try database.setMetadata("full_pull", .integer(FullPull.repair.rawValue))
            return true
        }
        let names = sites.map { $0.isEmpty ? "records without a site" : "site \($0)" }
        try log(
            "digest", "differs at " + names.joined(separator: ", ") + (begins ? "; repairing" : ""))
        return begins
    }
}

/// What a pull from the beginning is for, as it stands in the store.
enum FullPull: Int64 {
    /// No such pull: the cursor goes on from where it was.
    case idle = 0
    /// The cursor was no longer kept, or the server is in a new epoch.
    case renewal = 1
    /// The digests differed: the sums are counted anew as well.
    case repair = 2
}

/// The mark of a record that a pull from the beginning has not met yet.
enum UnseenMark: Sendable {
    /// Its version means what it always meant.
    case sameEpoch
    /// Its version is of an older epoch of the server.
    case oldEpoch

    init?(stored: Int64?) {
        guard let stored else { return nil }
        self = stored == 0 ? .sameEpoch : .oldEpoch
    }
}

extension Connection {
    func restartPull() throws {
        // Until the first page comes, bases are those that were learnt under this cursor.
        if let cursor = try metadataText("cursor") {
            try setMetadata("pull_position", .text(cursor))
        }
        try setMetadata("cursor", .null)
        try setMetadata("full_pull", .integer(FullPull.renewal.rawValue))
        try execute(
            """
            INSERT INTO __sync_unseen (record_id, is_old)
            SELECT id, 0 FROM record WHERE version > 0 AND NOT EXISTS (
                SELECT 1 FROM __sync_unseen WHERE record_id = id)
            """)
    }

    /// A record that is confirmed while a pull from the beginning is under way, and that the server does not
    /// show: what was confirmed when the pull began has a mark already. Should it not come, it is out of scope.
    func noteConfirmedUnseen(_ id: RecordID) throws {
        guard try fullPull() != .idle else { return }
        try execute(
            """
            INSERT OR IGNORE INTO __sync_unseen (record_id, is_old)
            SELECT id, 0 FROM record WHERE id = ? AND version = 0
            """, [.text(id.rawValue)])
    }

    func fullPull() throws -> FullPull {
        try metadataInteger("full_pull").flatMap(FullPull.init(rawValue:)) ?? .idle
    }

    func removeMark(of id: RecordID) throws {
        try execute("DELETE FROM __sync_unseen WHERE record_id = ?", [.text(id.rawValue)])
    }

    /// The next marked records in the order of their ids.
    func unseen(after id: RecordID, count: Int64) throws -> [(id: RecordID, mark: UnseenMark)] {
        try query(
            """
            SELECT record_id, is_old FROM __sync_unseen
            WHERE record_id > ? ORDER BY record_id LIMIT ?
            """, [.text(id.rawValue), .integer(count)]
        ) { row in
            (RecordID(try row.text(0)), try row.flag(1) ? .oldEpoch : .sameEpoch)
        }
    }
}

extension RemoteApplication {
    /// The pull has come to its end without this record: the server does not have it, or does not
    /// show it to this device. What waits here keeps it; it goes with the last of that work. Of a
    /// record that was here before the server was restored a copy is kept.
    /// - Returns: whether it was removed.
    func settleUnseen(_ id: RecordID, _ mark: UnseenMark) throws -> Bool {
        if mark == .oldEpoch { try offerAgain(id, shown: nil) }
        let isLost = try mark == .oldEpoch && !database.isOutOfScope(id)
        if try remove(id, isLost: isLost) { return true }
        switch mark {
        case .sameEpoch: try database.removeMark(of: id)
        case .oldEpoch:
            // The mark stays until the record comes: what is based on it is based on the old epoch.
            // Where its INSERT goes again, everything else waits for that. Where another device made
            // it, the server keeps what waits here for as long as that one may offer it again.
            try database.execute(
                """
                UPDATE record SET version = CASE WHEN EXISTS (
                        SELECT 1 FROM __sync_outbox WHERE record_id = record.id
                            AND operation = 'INSERT' AND status <> 'ACKNOWLEDGED')
                    THEN 0 ELSE version END
                WHERE id = ?
                """, [.text(id.rawValue)])
            if database.changes == 0 { try database.removeMark(of: id) }
        }
        return false
    }
}
