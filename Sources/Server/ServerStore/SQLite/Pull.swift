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
            let device = try connection.requireDevice(id: device.id)
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
    /// Notes what the device has passed and counted; deliveries up to its cursor have arrived.
    fileprivate func remember(
        _ request: PullRequest, of device: Device, acknowledged position: Int64
    ) throws {
        try connection.execute(
            """
            UPDATE device SET last_pull_at = ?, pull_position = max(pull_position, ?),
                pending = ifnull(?, pending), oldest_unsynced = CASE WHEN ? IS NULL
                    THEN oldest_unsynced ELSE ? END
            WHERE id = ?
            """,
            [
                .integer(now), .integer(position), DatabaseValue(request.pending),
                DatabaseValue(request.pending), DatabaseValue(request.oldestUnsyncedUtc),
                .text(device.id),
            ])
        try connection.execute(
            "DELETE FROM delivery WHERE node = ? AND position <= ?",
            [.text(device.node.rawValue), .integer(position)])
    }
}

/// One page of the feed: first what the scope gained or lost, then what changed, in its order.
struct PageReader {
    let connection: Connection
    let device: Device
    let counters: Counters
    let limit: Int
    private var cursor: Cursor
    private var records: [WireRecord] = []
    private var removed: [RecordID] = []
    private var results: [Verdict] = []
    private var bytes = 0
    private var hasMore = false

    /// A page ends at this many bytes of JSON, estimated from above.
    private static let largestPage = 1 << 20

    init(
        connection: Connection, device: Device, counters: Counters, limit: Int, cursor: Cursor?
    ) throws {
        self.connection = connection
        self.device = device
        self.counters = counters
        self.limit = limit
        let start = Cursor(
            epoch: counters.epoch, position: 0, scope: device.team.scopeVersion)
        self.cursor = cursor ?? start
        guard self.cursor.epoch == counters.epoch, self.cursor.position <= counters.position,
            self.cursor.scope <= device.team.scopeVersion,
            cursor == nil || self.cursor.position >= counters.pruned
        else {
            throw ServerStoreError(
                .cursorExpired, "the cursor has expired; pull from the beginning")
        }
    }

    mutating func response(now: Int64) throws -> PullResponse {
        if cursor.expansion != nil || cursor.scope < device.team.scopeVersion {
            try readExpansion()
        } else {
            try readFeed()
        }
        return PullResponse(
            deltaRecords: records, results: results, removed: removed, nextCursor: cursor.text,
            hasMore: hasMore, digest: hasMore ? nil : try digest(),
            server: counters.state(at: now))
    }

    // MARK: Scope

    /// Records of sites that joined: those that the feed has passed already; the others come with
    /// the feed itself.
    private mutating func readExpansion() throws {
        var expansion =
            cursor.expansion ?? Cursor.Expansion(target: device.team.scopeVersion, offset: 0)
        if expansion.offset == 0 {
            removed = try connection.recordsRemoved(
                from: device.team, since: cursor.scope, until: expansion.target)
        }
        let isWhole = try take(
            """
            site_id IN (
                SELECT site_id FROM site_team WHERE team_id = ? AND since > ? AND since <= ?)
            AND team_id = '' AND position > ? AND position <= ?
            """,
            [
                .text(device.team.id), .integer(cursor.scope), .integer(expansion.target),
                .integer(expansion.offset), .integer(cursor.position),
            ]
        ) { expansion.offset = $0 }
        if isWhole {
            cursor.scope = expansion.target
            cursor.expansion = nil
        } else {
            cursor.expansion = expansion
        }
        // The feed follows in any case; its last page carries the digest.
        hasMore = true
    }

    // MARK: Feed

    private mutating func readFeed() throws {
        let start = cursor.position
        var end = counters.position
        let isWhole = try take(
            "position > ? AND " + Scope.condition,
            [.integer(start), .text(device.team.id), .text(device.team.id)]
        ) { end = $0 }
        if isWhole { end = counters.position }
        results = try connection.deliveries(to: device, after: start, through: end)
        cursor.position = end
        hasMore = !isWhole
    }

    /// Adds records to the page until it is full.
    ///
    /// - Returns: whether all that match are in the page.
    private mutating func take(
        _ condition: String, _ values: [DatabaseValue], _ passed: (Int64) -> Void
    ) throws -> Bool {
        let rows = try connection.query(
            StoredRecord.select + " WHERE " + condition + " ORDER BY position LIMIT ?",
            values + [.integer(Int64(limit + 1))]
        ) { (record: try StoredRecord(row: $0), position: try $0.integer(7)) }
        for (index, row) in rows.enumerated() {
            guard index < limit, bytes < PageReader.largestPage else { return false }
            var record = row.record
            record.state.fields = try connection.fields(of: record.id)
            let wire = record.wire
            let size = wire.estimatedBytes
            if index > 0, bytes + size > PageReader.largestPage { return false }
            bytes += size
            records.append(wire)
            passed(row.position)
        }
        return true
    }

    // MARK: Digest

    /// Of the same snapshot as the page, so that it belongs to the position of its cursor.
    private func digest() throws -> DigestReport {
        var sites: [String: SiteDigest] = [:]
        try connection.each(
            """
            SELECT site_id, sum FROM site_digest
            WHERE (site_id <> '' AND site_id IN (SELECT site_id FROM site_team WHERE team_id = ?))
                OR (site_id = '' AND team_id = ?)
            """, [.text(device.team.id), .text(device.team.id)]
        ) { sites[try $0.text(0)] = try SiteDigest(bytes: $0.blob(1)) }
        return DigestReport(position: cursor.text, sites: sites)
    }
}
