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
        queue.note { session in
            // An epoch that has begun meanwhile counts anew how far devices have come.
            guard session.epoch == response.server.epoch else { return }
            try session.remember(request, of: device, acknowledged: acknowledged)
        }
        return response
    }

    private func isAhead(_ cursor: Cursor, _ text: String?) throws -> Bool {
        let counters = try read { try $0.counters }
        return cursor.epoch == counters.epoch && cursor.position > counters.position
            && text.flatMap(seal.genuine) != nil
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
