internal import Coding
internal import Crypto
internal import Replication
internal import SQLite

extension SQLiteStore {
    /// Removes the tombstones that everybody has heard of, some hundred at a time so that pushes go
    /// on between, and gives the room back to the disk.
    package func prune() throws -> PruneReport {
        var pruned: Int64 = 0
        var last = 0
        repeat {
            last = try write { try $0.deleteWhatIsUnderTombstones() }
        } while last > 0
        repeat {
            last = try write { try $0.pruneTombstones() }
            pruned += Int64(last)
        } while last > 0
        try write { try $0.forgetDelivered() }
        try forgetHeard()
        try queue.writer.giveBackRoom()
        let now = environment.now()
        let (waiting, devices) = try readForOffice { connection in
            try connection.tombstonesWaiting(at: now)
        }
        return PruneReport(pruned: pruned, waiting: waiting, waitsFor: devices)
    }
}

extension SQLiteStore {
    /// Verdicts of long ago that their devices have heard: nobody sends those mutations again, and if
    /// a backup of the device did, an equal value would change nothing. They are looked for beside the
    /// writer, which only takes them away.
    fileprivate func forgetHeard() throws {
        let limit = environment.now() - Retention.verdicts
        while true {
            let heard = try readForOffice { try $0.verdictsHeard(before: limit) }
            guard !heard.isEmpty else { return }
            try write { session in
                for id in heard {
                    try session.connection.execute(
                        "DELETE FROM verdict WHERE mutation_id = ?", [.text(id)])
                }
            }
        }
    }
}

/// What remains of a record whose tombstone is gone.
enum PrunedID {
    /// 16 bytes, whatever form the id has.
    static func bytes(of id: RecordID) -> DatabaseValue {
        .blob(Array(SHA256.hash(Array(id.rawValue.utf8)).prefix(16)))
    }
}

extension Connection {
    func isPruned(_ id: RecordID) throws -> Bool {
        try first("SELECT 1 FROM pruned WHERE id = ?", [PrunedID.bytes(of: id)]) { _ in true }
            ?? false
    }

    /// The place in the feed that every live device has passed. One that begins anew needs no
    /// tombstone; one that was silent for long pulls from the beginning when it comes.
    fileprivate func watermark(at now: Int64, _ counters: Counters) throws -> Int64 {
        let slowest = try first(
            "SELECT min(device_node.pull_position) FROM " + Connection.liveNodes,
            [.integer(now - Retention.liveDevice)]
        ) { try $0.optionalInteger(0) }
        return (slowest ?? nil) ?? counters.position
    }

    /// What was answered before its node's newest baton was given, and brought back since.
    fileprivate func verdictsHeard(before limit: Int64) throws -> [String] {
        try query(
            """
            SELECT verdict.mutation_id FROM verdict JOIN baton ON baton.node = verdict.node
            WHERE verdict.at < ? AND verdict.status IN ('applied', 'merged')
                AND instr(' ' || baton.answered || ' ', ' ' || verdict.mutation_id || ' ') = 0
                AND verdict.mutation_id NOT IN (SELECT mutation_id FROM delivery)
            LIMIT 1000
            """, [.integer(limit)]
        ) { try $0.text(0) }
    }

    private static let liveNodes = """
        device_node JOIN device ON device.id = device_node.device_id
        WHERE device.state = 'active' AND device_node.last_pull_at >= ?
            AND device_node.pull_position > 0
        """

    fileprivate func tombstonesWaiting(at now: Int64) throws -> (Int64, devices: [String]) {
        let waiting = try first(
            """
            SELECT count(*), ifnull(max(position), 0) FROM record
            WHERE is_deleted = 1 AND deleted_at <= ?
            """, [.integer(now - Retention.tombstones)]
        ) { (count: try $0.integer(0), position: try $0.integer(1)) }
        let devices = try query(
            "SELECT DISTINCT device.id FROM " + Connection.liveNodes
                + " AND device_node.pull_position < ? ORDER BY device.id",
            [.integer(now - Retention.liveDevice), .integer(waiting?.position ?? 0)]
        ) { try $0.text(0) }
        return (waiting?.count ?? 0, devices)
    }
}

extension WriteSession {
    private static let prunedAtOnce: Int64 = 500

    /// What stands under a tombstone that may go, and was not deleted itself, is deleted now, so that
    /// devices hear of it; thirty days later both go.
    ///
    /// - Returns: how many were deleted.
    fileprivate func deleteWhatIsUnderTombstones() throws -> Int {
        let children = try connection.query(
            StoredRecord.select + """
                 WHERE is_deleted = 0 AND parent_id IN (
                    SELECT id FROM record WHERE is_deleted = 1 AND deleted_at <= ?)
                LIMIT ?
                """,
            [.integer(now - Retention.tombstones), .integer(WriteSession.prunedAtOnce)],
            StoredRecord.init(row:))
        for child in children {
            try put(
                child.id, table: child.table, parent: child.parent,
                [Mutation.deletedField: .integer(1)], by: WriteSession.pruner)
        }
        return children.count
    }

    /// The node that deletes what nobody can reach any more.
    private static let pruner = NodeID("portal:prune")

    /// - Returns: how many are gone; 0 where none is left that may go.
    fileprivate func pruneTombstones() throws -> Int {
        let watermark = try connection.watermark(at: now, connection.counters)
        // What stands under a tombstone goes first, so that nothing is left without its parent.
        let tombstones = try connection.query(
            """
            SELECT id, position FROM record
            WHERE is_deleted = 1 AND deleted_at <= ? AND position <= ?
                AND NOT EXISTS (SELECT 1 FROM record AS child WHERE child.parent_id = record.id)
                AND NOT EXISTS (
                    SELECT 1 FROM review WHERE record_id = record.id AND decision IS NULL)
            ORDER BY deleted_at LIMIT ?
            """,
            [
                .integer(now - Retention.tombstones), .integer(watermark),
                .integer(WriteSession.prunedAtOnce),
            ]
        ) { (id: RecordID(try $0.text(0)), position: try $0.integer(1)) }
        for tombstone in tombstones { try prune(tombstone.id) }
        if let last = tombstones.map(\.position).max() {
            try connection.execute(
                "UPDATE counter SET value = max(value, ?) WHERE name = 'pruned'", [.integer(last)])
        }
        return tombstones.count
    }

    private func prune(_ id: RecordID) throws {
        try connection.execute(
            "INSERT OR IGNORE INTO pruned (id) VALUES (?)", [PrunedID.bytes(of: id)])
        for table in ["field", "record_epoch"] {
            try connection.execute(
                "DELETE FROM \(table) WHERE record_id = ?", [.text(id.rawValue)])
        }
        try connection.execute("DELETE FROM record WHERE id = ?", [.text(id.rawValue)])
    }

    /// Decisions that have been heard and the keys of batches that nobody repeats any more.
    fileprivate func forgetDelivered() throws {
        let limit = DatabaseValue.integer(now - Retention.deliveries)
        try connection.execute(
            """
            DELETE FROM delivery WHERE at < ?1 AND position <= (
                SELECT min(other.pull_position) FROM device_node
                JOIN device_node AS other ON other.device_id = device_node.device_id
                WHERE device_node.node = delivery.node AND other.last_pull_at >= ?1)
            """, [limit])
        try connection.execute("DELETE FROM batch WHERE at < ?", [limit])
    }
}

extension StoreWriter {
    private static let pagesAtOnce = 1_000

    /// Gives the pages that became free back to the disk.
    fileprivate func giveBackRoom() throws {
        var free = DatabaseValue.integer(.max)
        while case .integer(let count) = free, count > 0 {
            let left = try database.perform { connection in
                try connection.execute("PRAGMA incremental_vacuum(\(StoreWriter.pagesAtOnce))")
                return try connection.pragma("freelist_count")
            }
            guard let left, left != free else { break }
            free = left
        }
        try checkpoint()
    }
}
