internal import Coding
package import Replication
internal import SQLite

extension SQLiteStore {
    package func pull(_ request: PullRequest, by device: Device) throws -> PullResponse {
        let cursor = try request.cursor.map(Cursor.init)
        let now = environment.now()
        if let cursor, try isAhead(cursor, request.cursor) {
            try write { try $0.beginEpoch(ifAhead: request.cursor, seal) }
        }
        let response = try read { connection in
            // Read again inside the snapshot: the scope may have changed since the token was
            // looked up.
            let device = try connection.requireDevice(id: device.id, as: device.node)
            var page = try PageReader(
                connection: connection, device: device, counters: try connection.counters,
                limit: Int(max(1, request.limit)), cursor: cursor, seal: seal)
            return try page.response(now: now)
        }
        let acknowledged = cursor?.position ?? 0
        let report = request.report
        queue.note { session in
            // An epoch that has begun meanwhile counts anew how far devices have come.
            guard session.epoch == response.server.epoch else { return }
            try session.remember(pullOf: device, acknowledged: acknowledged)
            try session.remember(report, of: device.id)
        }
        return response
    }

    private func isAhead(_ cursor: Cursor, _ text: String?) throws -> Bool {
        let counters = try read { try $0.counters }
        return cursor.isAhead(of: counters.epoch, counters.position)
            && text.flatMap(seal.genuine) != nil
    }
}

extension SQLiteStore {
    package func note(_ report: DeviceReport, of device: Device) throws -> HeartbeatResponse {
        queue.note { session in try session.remember(report, of: device.id) }
        return HeartbeatResponse(
            serverEpoch: try serverEpoch(), serverTimeUtc: SyncTimestamp.text(environment.now()))
    }
}

/// What devices say of themselves is noted to the minute: a thousand devices that ask every few
/// seconds and have nothing new to tell write nothing.
extension WriteSession {
    private static let minute: Int64 = 60_000

    /// How far the device has come, for the list of devices and for pruning.
    fileprivate func remember(pullOf device: Device, acknowledged position: Int64) throws {
        try connection.execute(
            """
            UPDATE device SET last_pull_at = ?1
            WHERE id = ?2
                AND (last_pull_at IS NULL OR last_pull_at NOT BETWEEN ?1 - ?3 + 1 AND ?1)
            """, [.integer(now), .text(device.id), .integer(Self.minute)])
        try connection.execute(
            """
            UPDATE device_node SET last_pull_at = ?1, pull_position = ?2
            WHERE node = ?3 AND (pull_position <> ?2 OR last_pull_at IS NULL
                OR last_pull_at NOT BETWEEN ?1 - ?4 + 1 AND ?1)
            """,
            [
                .integer(now), .integer(position), .text(device.node.rawValue),
                .integer(Self.minute),
            ])
    }

    /// What waits on the device. One that does not count says nothing of what it said before.
    fileprivate func remember(_ report: DeviceReport, of device: String) throws {
        guard let pending = report.pending else { return }
        try connection.execute(
            """
            UPDATE device SET reported_at = ?1, pending = ?2, failed = ?3, conflict = ?4,
                in_review = ?5, oldest_unsynced = ?6
            WHERE id = ?7 AND (pending IS NOT ?2 OR failed IS NOT ?3 OR conflict IS NOT ?4
                OR in_review IS NOT ?5 OR oldest_unsynced IS NOT ?6 OR reported_at IS NULL
                OR reported_at NOT BETWEEN ?1 - ?8 + 1 AND ?1)
            """,
            [
                .integer(now), .integer(pending), DatabaseValue(report.failed),
                DatabaseValue(report.conflict), DatabaseValue(report.inReview),
                DatabaseValue(report.oldestUnsyncedUtc), .text(device), .integer(Self.minute),
            ])
    }
}
