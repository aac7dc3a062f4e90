internal import Replication
internal import SQLite

/// What becomes too old to be of use to anybody. It is looked for beside the writer, which only takes
/// it away, some hundred rows at a time; ages are by the server's clock.
extension SQLiteStore {
    func forgetOld() throws {
        let now = environment.now()
        let longAgo = DatabaseValue.integer(now - Retention.history)
        try forgetHeard(before: now - Retention.verdicts)
        try write { try $0.forgetDelivered() }
        try sweep(
            """
            SELECT id FROM history WHERE at < ?1 AND NOT EXISTS (
                SELECT 1 FROM review
                WHERE review.record_id = history.record_id AND review.decision IS NULL)
            LIMIT \(Self.sweptAtOnce)
            """, [longAgo], "DELETE FROM history WHERE id = ?")
        try sweep(
            """
            SELECT id FROM review WHERE decision IS NOT NULL AND decided_at < ?1
            LIMIT \(Self.sweptAtOnce)
            """, [longAgo], "DELETE FROM review WHERE id = ?")
        try sweep(
            "SELECT id FROM copied WHERE at < ?1 LIMIT \(Self.sweptAtOnce)", [longAgo],
            "DELETE FROM copied WHERE id = ?")
        try forgetDecided()
        try forgetEpochs(before: now - Retention.epochs)
    }

    private static let sweptAtOnce = 500

    /// - Parameters:
    ///   - find: keys of rows that go.
    ///   - remove: takes one away, whatever became of it meanwhile.
    private func sweep(
        _ find: String, _ values: [DatabaseValue], _ remove: String
    ) throws {
        while true {
            let keys = try readForOffice { try $0.query(find, values) { $0.value(0) } }
            guard !keys.isEmpty else { return }
            try write { session in
                for key in keys { try session.connection.execute(remove, [key]) }
            }
        }
    }

    /// Goes once through a table in the order of its key, which is `?1` of both statements: the last
    /// that was found, and one that goes.
    private func sweepInOrder(
        _ find: String, _ values: [DatabaseValue] = [],
        _ remove: String, _ more: [DatabaseValue] = []
    ) throws {
        var last = DatabaseValue.text("")
        while true {
            let keys = try readForOffice { try $0.query(find, [last] + values) { $0.value(0) } }
            guard let next = keys.last else { return }
            try write { session in
                for key in keys { try session.connection.execute(remove, [key] + more) }
            }
            last = next
        }
    }

    /// Verdicts of long ago that their devices have heard: nobody sends those mutations again, and if
    /// a backup of the device did, an equal value would change nothing.
    private func forgetHeard(before limit: Int64) throws {
        try sweepInOrder(
            """
            SELECT verdict.mutation_id FROM verdict
            CROSS JOIN baton ON baton.node = verdict.node
            WHERE verdict.mutation_id > ?1 AND verdict.at < ?2
                AND verdict.status IN ('applied', 'merged', 'conflict')
                AND instr(' ' || baton.answered || ' ', ' ' || verdict.mutation_id || ' ') = 0
                AND NOT EXISTS (
                    SELECT 1 FROM delivery WHERE delivery.mutation_id = verdict.mutation_id)
                AND NOT EXISTS (
                    SELECT 1 FROM review
                    WHERE review.mutation_id = verdict.mutation_id AND review.decision IS NULL)
            ORDER BY verdict.mutation_id LIMIT \(Self.sweptAtOnce)
            """, [.integer(limit)], "DELETE FROM verdict WHERE mutation_id = ?")
    }

    /// Mutations that were kept until a person decided. A parked one stays as long as its decision is
    /// remembered: what its device sends on top of it waits for a person too.
    private func forgetDecided() throws {
        for (table, condition) in [("stranded", " AND review.decision IS NULL"), ("parked", "")] {
            try sweepInOrder(
                """
                SELECT mutation_id FROM \(table) WHERE mutation_id > ?1 AND NOT EXISTS (
                    SELECT 1 FROM review
                    WHERE review.mutation_id = \(table).mutation_id\(condition))
                ORDER BY mutation_id LIMIT \(Self.sweptAtOnce)
                """, [], "DELETE FROM \(table) WHERE mutation_id = ?")
        }
    }

    /// What versions records had when an epoch began is for devices that come from before. Who comes
    /// from an epoch that ended so long ago is taken to have seen nothing, which may ask a person once
    /// too often and overwrites nothing.
    private func forgetEpochs(before limit: Int64) throws {
        let newest = try readForOffice { connection in
            try connection.first(
                """
                SELECT max(epoch) FROM server_epoch WHERE began_at < ?1
                    AND EXISTS (
                        SELECT 1 FROM server_epoch AS earlier
                        WHERE earlier.epoch < server_epoch.epoch)
                """, [.integer(limit)]
            ) { try $0.optionalInteger(0) }
        }
        guard let epoch = newest ?? nil else { return }
        let values = [DatabaseValue.integer(epoch)]
        try sweepInOrder(
            """
            SELECT DISTINCT record_id FROM record_epoch WHERE record_id > ?1 AND epoch <= ?2
            ORDER BY record_id LIMIT \(Self.sweptAtOnce)
            """, values, "DELETE FROM record_epoch WHERE record_id = ?1 AND epoch <= ?2", values)
        try write { session in
            try session.connection.execute("DELETE FROM server_epoch WHERE epoch < ?", values)
        }
    }
}

extension WriteSession {
    /// Decisions that have been heard, or that nobody will hear; keys of batches that nobody repeats
    /// any more; what devices brought into epochs that are past.
    fileprivate func forgetDelivered() throws {
        let limit = DatabaseValue.integer(now - Retention.deliveries)
        try connection.execute(
            """
            DELETE FROM delivery WHERE at < ?1 AND (
                position <= (
                    SELECT min(other.pull_position) FROM device_node
                    JOIN device_node AS other ON other.device_id = device_node.device_id
                    WHERE device_node.node = delivery.node AND other.last_pull_at >= ?1)
                OR NOT EXISTS (
                    SELECT 1 FROM device_node JOIN device ON device.id = device_node.device_id
                    WHERE device_node.node = delivery.node AND device.state = 'active'))
            """, [limit])
        try connection.execute("DELETE FROM batch WHERE at < ?", [limit])
        try connection.execute("DELETE FROM offered_again WHERE epoch < ?", [.integer(epoch)])
    }

    // MARK: The machine's clock

    /// A clock that is years ahead, as after a battery died, would make everything old at once.
    func requireBelievableClock() throws {
        let before = try connection.first(
            "SELECT value FROM identity WHERE name = 'pruned_at'"
        ) { try $0.integer(0) }
        guard let before, now - before > Retention.longestPause else { return try noteClock() }
        throw ServerStoreError(
            .clockDoubted,
            "the clock says \(SyncTimestamp.text(now)), and the server was last pruned, or spoken "
                + "to, at \(SyncTimestamp.text(before)); nothing was removed. If the clock is "
                + "right, say so with 'walkdownd prune --trust-clock'")
    }

    func noteClock() throws {
        let before = try connection.first(
            "SELECT value FROM identity WHERE name = 'pruned_at'"
        ) { try $0.integer(0) }
        try connection.execute(
            "INSERT OR REPLACE INTO identity (name, value) VALUES ('pruned_at', ?)",
            [.integer(max(now, before ?? now))])
    }
}
