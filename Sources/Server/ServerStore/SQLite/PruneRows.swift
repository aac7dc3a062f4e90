internal import Coding
internal import Crypto
internal import Inspections
internal import Replication
internal import SQLite

extension SQLiteStore {
    /// Removes the tombstones that everybody has heard of, some hundred at a time so that pushes go
    /// on between, forgets what is too old to be of use, and gives the room back to the disk.
    ///
    /// - Throws: `clockDoubted`, before anything is removed, where the machine's clock is so far
    ///   beyond the last pruning that it is probably wrong.
    package func prune() throws -> PruneReport {
        try write { try $0.requireBelievableClock() }
        var last: Int64? = 0
        while let position = last {
            last = try write { try $0.deleteWhatIsUnderTombstones(after: position) }
        }
        var pruned: Int64 = 0
        var count = 0
        repeat {
            count = try write { try $0.pruneTombstones() }
            pruned += Int64(count)
        } while count > 0
        try forgetOld()
        try queue.writer.giveBackRoom()
        let now = environment.now()
        let (waiting, devices) = try readForOffice { connection in
            try connection.tombstonesWaiting(at: now)
        }
        return PruneReport(pruned: pruned, waiting: waiting, waitsFor: devices)
    }

    package func trustClock() throws {
        try write { try $0.noteClock() }
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

    /// The office has made the record again.
    func forgetPruned(_ id: RecordID) throws {
        try execute("DELETE FROM pruned WHERE id = ?", [PrunedID.bytes(of: id)])
    }

    /// The place in the feed that every live device has passed. One that begins anew needs no
    /// tombstone; one that was silent for long pulls from the beginning when it comes. One that has
    /// not pulled since the server was restored may know records from before, and holds all back.
    fileprivate func watermark(at now: Int64, _ counters: Counters) throws -> Int64 {
        let slowest = try first(
            "SELECT min(device_node.pull_position) FROM " + Connection.liveNodes,
            [.integer(now - Retention.liveDevice)]
        ) { try $0.optionalInteger(0) }
        return (slowest ?? nil) ?? counters.position
    }

    private static let liveNodes = """
        device_node JOIN device ON device.id = device_node.device_id
        WHERE device.state = 'active' AND device_node.last_pull_at >= ?
            AND device_node.pull_position <> 0
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

    /// Living records below another one, at whatever depth; those that stand deepest come last.
    fileprivate func living(below id: RecordID) throws -> [StoredRecord] {
        var living: [StoredRecord] = []
        var above = [id]
        while !above.isEmpty {
            var below: [RecordID] = []
            for parent in above {
                try each(
                    StoredRecord.select + " WHERE parent_id = ? ORDER BY id",
                    [.text(parent.rawValue)]
                ) { row in
                    let record = try StoredRecord(row: row)
                    below.append(record.id)
                    if try row.integer(9) == 0 { living.append(record) }
                }
            }
            above = below
        }
        return living
    }

    fileprivate func hasOpenReview(_ record: RecordID) throws -> Bool {
        try first(
            "SELECT 1 FROM review WHERE record_id = ? AND decision IS NULL",
            [.text(record.rawValue)]
        ) { _ in true } ?? false
    }
}

extension WriteSession {
    private static let prunedAtOnce: Int64 = 500

    /// Tombstones that may go, but for what stands under them.
    private static let old = """
        is_deleted = 1 AND deleted_at <= ? AND +position <= ?
            AND NOT EXISTS (
                SELECT 1 FROM review WHERE record_id = record.id AND decision IS NULL)
        """

    /// What stands under a tombstone that may go, and was not deleted itself, is deleted now, so that
    /// devices hear of it; thirty days later all of it goes. What waits for a person is left, and
    /// with it all that belongs to the same tombstone.
    ///
    /// Only what is a part of something goes with it. An inspection is more than a part of the
    /// equipment that it was made on, and stays whatever becomes of that.
    ///
    /// - Parameter last: the place of the last tombstone that was looked at.
    /// - Returns: the place to go on from; nil where there are no more.
    fileprivate func deleteWhatIsUnderTombstones(after last: Int64) throws -> Int64? {
        let tombstones = try connection.query(
            """
            SELECT id, position FROM record
            WHERE \(WriteSession.old) AND table_name NOT IN ('site', 'asset') AND +position > ?
                AND EXISTS (SELECT 1 FROM record AS child WHERE child.parent_id = record.id)
            ORDER BY +position LIMIT ?
            """,
            [
                .integer(now - Retention.tombstones),
                .integer(try connection.watermark(at: now, connection.counters)),
                .integer(last), .integer(WriteSession.prunedAtOnce),
            ]
        ) { (id: RecordID(try $0.text(0)), position: try $0.integer(1)) }
        var deleted = 0
        for tombstone in tombstones {
            let living = try connection.living(below: tombstone.id)
            guard try !living.contains(where: { try connection.hasOpenReview($0.id) }) else {
                continue
            }
            for record in living.reversed() {
                try put(
                    record.id, table: record.table, parent: record.parent,
                    [Mutation.deletedField: .integer(1)], by: WriteSession.pruner)
            }
            deleted += living.count
            if deleted >= WriteSession.prunedAtOnce { return tombstone.position }
        }
        return tombstones.count < WriteSession.prunedAtOnce ? nil : tombstones.last?.position
    }

    /// The node that deletes what nobody can reach any more.
    private static let pruner = NodeID("portal:prune")

    /// In history, what moved the values of a record there that is gone.
    static let pruning = MutationID("portal:prune")

    /// - Returns: how many are gone; 0 where none is left that may go.
    fileprivate func pruneTombstones() throws -> Int {
        // What stands under a tombstone goes first, so that nothing is left without its parent.
        let tombstones = try connection.query(
            """
            SELECT id, position FROM record
            WHERE \(WriteSession.old)
                AND NOT EXISTS (SELECT 1 FROM record AS child WHERE child.parent_id = record.id)
            ORDER BY deleted_at LIMIT ?
            """,
            [
                .integer(now - Retention.tombstones),
                .integer(try connection.watermark(at: now, connection.counters)),
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

    /// What somebody else than the one who deleted it had entered stays in history, so that nobody's
    /// reading goes by another's hand, and what the record has of itself, for who brings a late change
    /// of it.
    private func prune(_ id: RecordID) throws {
        let fields = try connection.fields(of: id)
        let deleter = fields[Mutation.deletedField]?.stamp.node
        for (name, register) in fields.sorted(by: { $0.key < $1.key })
        where name != Mutation.deletedField && !register.value.isNull
            && (BuiltInField.isBuiltIn(name) || register.stamp.node != deleter)
        {
            try keep(
                HistoryEntry(
                    field: name, value: register.value, stamp: register.stamp, rule: .delete),
                of: id, version: register.version, because: WriteSession.pruning)
        }
        try connection.execute(
            "INSERT OR IGNORE INTO pruned (id) VALUES (?)", [PrunedID.bytes(of: id)])
        for table in ["field", "record_epoch"] {
            try connection.execute(
                "DELETE FROM \(table) WHERE record_id = ?", [.text(id.rawValue)])
        }
        try connection.execute("DELETE FROM record WHERE id = ?", [.text(id.rawValue)])
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
