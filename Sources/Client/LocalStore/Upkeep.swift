internal import Replication
internal import SQLite

/// Retention (M07): what is settled and old goes, slice by slice. Each slice is a transaction of its
/// own and can be repeated; between two of them an edit gets its turn.
extension DeviceStore {
    /// Whether a day has passed since the last upkeep. A last one that lies in the future is from
    /// before the clock was set back.
    package func isUpkeepDue(_ policy: RetentionPolicy = RetentionPolicy()) throws -> Bool {
        let now = sources.now()
        guard let last = try read({ try $0.metadataInteger("upkeep_at") }) else { return true }
        return last > now || now - last >= policy.interval
    }

    /// Purges by policy, gives free pages back to the file system, and runs migrations that waited.
    ///
    /// - Parameter goOn: asked between slices; what is left then is done the next time.
    /// - Returns: whether it came to its end. Nothing is done before the server has ever said what
    ///   time it is.
    @discardableResult
    package func upkeep(
        _ policy: RetentionPolicy = RetentionPolicy(), while goOn: () -> Bool = { true }
    ) throws -> Bool {
        guard let time = try read({ try $0.serverTime() }) else { return false }
        for step in Self.steps {
            repeat {
                guard goOn() else { return false }
            } while try slice({ try step($0, policy, time) })
        }
        repeat {
            guard goOn() else { return false }
        } while try giveBackPages()
        let now = sources.now()
        try edit { try $0.setMetadata("upkeep_at", .integer(now)) }
        return true
    }

    /// A slice of one step; false where it found nothing to do.
    private typealias Step = @Sendable (Connection, RetentionPolicy, Int64) throws -> Bool

    private static let steps: [Step] = [
        { database, _, time in try database.noteSettled(at: time) },
        { database, _, time in try database.noteGrowth(at: time) },
        { database, _, time in try database.noteLostSince(time) },
        { database, _, time in
            try database.noteReopened(at: time)
            return false
        },
        { database, _, time in try database.noteFinished(at: time) },
        { try $0.purgeAcknowledged(before: $2 - $1.acknowledged) },
        { try $0.purgeHistory(before: $2 - $1.history) },
        { try $0.purgeLog(before: $2 - $1.log) },
        { try $0.purgeLost(before: $2 - $1.lostRecords) },
        { database, _, _ in try database.purgeTombstones() },
        { try $0.archiveFinished(before: $2 - $1.finishedInspections) },
    ]

    /// Without waiting for the disk: a purge that a power cut takes back comes again.
    private func slice(_ body: (Connection) throws -> Bool) throws -> Bool {
        let writer = try writer
        return try StoreError.translating {
            try writer.perform { database in
                try database.setSynchronous(.normal)
                let outcome = Result {
                    try journalled(on: database, isDurable: false) {
                        try database.whileApplying { try body(database) }
                    }
                }
                try database.setSynchronous(.full)
                let hasMore = try outcome.get()
                if hasMore { try logKeeper?.noteSlice(on: database) }
                return hasMore
            }
        }
    }

    /// Pages that one slice gives back; each may move another page of the file.
    private static let pagesOfSlice = 64

    /// Every database is made with `auto_vacuum = INCREMENTAL`; in one that was not, this finds
    /// nothing that it can do, and a full VACUUM is nobody's to start in the field.
    private func giveBackPages() throws -> Bool {
        let writer = try writer
        return try StoreError.translating {
            try writer.perform { database in
                let before = try database.freePages()
                guard before > 0 else { return false }
                try database.execute("PRAGMA incremental_vacuum(\(Self.pagesOfSlice))")
                try logKeeper?.noteSlice(on: database)
                return try database.freePages() < before
            }
        }
    }
}

extension Connection {
    /// The time that the newest answer said, for counting ages.
    func noteServerTime(_ text: String) throws {
        // A server that writes no instant is a server that says no time.
        guard let time = try? SyncTimestamp.milliseconds(text) else { return }
        try setMetadata("server_time", .integer(time))
    }

    fileprivate func serverTime() throws -> Int64? { try metadataInteger("server_time") }

    // MARK: What is settled, and since when

    // Where the server's clock was set back, what it had noted for later counts from now.

    fileprivate func noteSettled(at time: Int64) throws -> Bool {
        try execute(
            """
            UPDATE __sync_outbox SET settled_since = ?1
            WHERE seq_id IN (
                SELECT seq_id FROM __sync_outbox
                WHERE status = 'ACKNOWLEDGED'
                    AND (settled_since IS NULL OR settled_since > ?1) LIMIT 100)
            """, [.integer(time)])
        return changes > 0
    }

    /// At most one mark a day and table: a purge needs no finer ones.
    fileprivate func noteGrowth(at time: Int64) throws -> Bool {
        for table in ["__sync_history", "__sync_log"] {
            try execute(
                "DELETE FROM __sync_mark WHERE table_name = ? AND since > ?",
                [.text(table), .integer(time)])
            try execute(
                """
                INSERT INTO __sync_mark (table_name, since, last_id)
                SELECT ?1, ?2, last FROM (SELECT max(id) AS last FROM \(table))
                WHERE last IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM __sync_mark WHERE table_name = ?1 AND since > ?2 - ?3)
                """, [.text(table), .integer(time), .integer(RetentionPolicy.day)])
        }
        return false
    }

    // MARK: What goes

    fileprivate func purgeAcknowledged(before instant: Int64) throws -> Bool {
        try execute(
            """
            DELETE FROM __sync_outbox WHERE seq_id IN (
                SELECT seq_id FROM __sync_outbox
                WHERE status = 'ACKNOWLEDGED' AND settled_since <= ? LIMIT 50)
            """, [.integer(instant)])
        return changes > 0
    }

    /// Not of records on which work waits: whoever decides may want to look.
    fileprivate func purgeHistory(before instant: Int64) throws -> Bool {
        guard let last = try mark(of: "__sync_history", before: instant) else { return false }
        try execute(
            """
            DELETE FROM __sync_history WHERE id IN (
                SELECT id FROM __sync_history WHERE id <= ? AND record_id NOT IN (
                    SELECT record_id FROM __sync_outbox WHERE status <> 'ACKNOWLEDGED'
                    UNION SELECT record_id FROM draft)
                LIMIT 50)
            """, [.integer(last)])
        return changes > 0
    }

    fileprivate func purgeLog(before instant: Int64) throws -> Bool {
        guard let last = try mark(of: "__sync_log", before: instant) else { return false }
        try execute(
            """
            DELETE FROM __sync_log
            WHERE id IN (SELECT id FROM __sync_log WHERE id <= ? LIMIT 50)
            """, [.integer(last)])
        return changes > 0
    }

    /// How far a table had grown at an instant; marks before the one that says so are done with.
    private func mark(of table: String, before instant: Int64) throws -> Int64? {
        let mark = try first(
            """
            SELECT since, last_id FROM __sync_mark
            WHERE table_name = ? AND since <= ? ORDER BY since DESC LIMIT 1
            """, [.text(table), .integer(instant)]
        ) { (try $0.integer(0), try $0.integer(1)) }
        guard let (since, last) = mark else { return nil }
        try execute(
            "DELETE FROM __sync_mark WHERE table_name = ? AND since < ?",
            [.text(table), .integer(since)])
        return last
    }
}
