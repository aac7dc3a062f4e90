internal import Coding
package import Replication
internal import SQLite

extension SQLiteStore {
    package func pull(_ request: PullRequest, by device: Device) throws -> PullResponse {
        let cursor = try request.cursor.map(Cursor.init)
        let now = environment.now()
        let response = try read { connection in
            // Read again inside the snapshot: the scope may have changed since the token was
            // looked up.
            let device = try connection.requireDevice(id: device.id, as: device.node)
            var page = try PageReader(
                connection: connection, device: device, counters: try connection.counters,
                limit: Int(max(1, request.limit)), cursor: cursor)
            return try page.response(now: now)
        }
        let acknowledged = cursor?.position ?? 0
        queue.note { session in
            try session.remember(request, of: device, acknowledged: acknowledged)
        }
        return response
    }
}

extension WriteSession {
    /// Notes what the device has passed and counted, for the list of devices and for pruning.
    fileprivate func remember(
        _ request: PullRequest, of device: Device, acknowledged position: Int64
    ) throws {
        try connection.execute(
            """
            UPDATE device SET last_pull_at = ?, pending = ifnull(?, pending), oldest_unsynced = CASE WHEN ? IS NULL
                    THEN oldest_unsynced ELSE ? END
            WHERE id = ?
            """,
            [
                .integer(now), DatabaseValue(request.pending),
                DatabaseValue(request.pending), DatabaseValue(request.oldestUnsyncedUtc),
                .text(device.id),
            ])
        try connection.execute(
            "UPDATE device_node SET last_pull_at = ?, pull_position = ? WHERE node = ?",
            [.integer(now), .integer(position), .text(device.node.rawValue)])
    }
}
