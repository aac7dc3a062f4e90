internal import Coding
internal import Replication
internal import SQLite

/// How far records and fields have come on their way to the server.
extension Connection {
    /// The worst of what waits, by record.
    func recordBadges() throws -> [RecordID: SyncBadge] {
        var badges: [RecordID: SyncBadge] = [:]
        try each(
            "SELECT record_id, status FROM __sync_outbox WHERE status <> 'ACKNOWLEDGED'"
        ) { row in
            let id = RecordID(try row.text(0))
            badges[id] = max(badges[id] ?? .synced, SyncBadge(status: try row.text(1)))
        }
        return badges
    }

    func recordBadge(of id: RecordID) throws -> SyncBadge {
        try query(
            """
            SELECT status FROM __sync_outbox WHERE record_id = ? AND status <> 'ACKNOWLEDGED'
            """, [.text(id.rawValue)]
        ) { SyncBadge(status: try $0.text(0)) }.max() ?? .synced
    }

    /// The worst of what waits, by field. Of one of which an older value is in review the newest, which
    /// is shown, has not left the device: no supervisor sees it.
    func fieldBadges(of id: RecordID) throws -> [FieldName: SyncBadge] {
        var badges: [FieldName: SyncBadge] = [:]
        try each(
            """
            SELECT name, status FROM __sync_waiting
            WHERE record_id = ? ORDER BY lamport, seq_id
            """, [.text(id.rawValue)]
        ) { row in
            let (name, badge) = (try row.text(0), SyncBadge(status: try row.text(1)))
            let before = badges[name] ?? .synced
            badges[name] = before == .inReview ? badge : max(before, badge)
        }
        return badges
    }

    /// Values that a supervisor has before him while newer ones are shown here and wait behind them.
    func valuesInReview(of id: RecordID) throws -> [FieldName: FieldValue] {
        let rows = try query(
            """
            SELECT name, value FROM __sync_waiting AS asked
            WHERE record_id = ? AND status = 'IN_REVIEW' AND EXISTS (
                SELECT 1 FROM __sync_waiting AS later
                WHERE later.record_id = asked.record_id AND later.name = asked.name
                    AND later.status <> 'IN_REVIEW'
                    AND (later.lamport > asked.lamport
                        OR later.lamport = asked.lamport AND later.seq_id > asked.seq_id))
            ORDER BY lamport, seq_id
            """, [.text(id.rawValue)]
        ) { (try $0.text(0), try $0.fieldValue(1)) }
        return Dictionary(rows) { $1 }
    }
}
