internal import Coding
internal import Replication
internal import SQLite

/// One page of the feed: first what the scope gained or lost, then what changed, in its order.
struct PageReader {
    let connection: Connection
    let device: Device
    let counters: Counters
    let limit: Int
    private let seal: CursorSeal
    private var cursor: Cursor
    private var records: [WireRecord] = []
    private var removed: [RecordID] = []
    private var results: [Verdict] = []
    private var bytes = 0
    private var hasMore = false

    /// A page ends at this many bytes of JSON, estimated from above.
    private static let largestPage = 1 << 20
    /// Ids of records that left the scope weigh little: so many in the place of one record.
    private static let removedForARecord = 10

    init(
        connection: Connection, device: Device, counters: Counters, limit: Int, cursor: Cursor?,
        seal: CursorSeal
    ) throws {
        self.seal = seal
        self.connection = connection
        self.device = device
        self.counters = counters
        self.limit = limit
        self.cursor =
            cursor
            ?? Cursor(epoch: counters.epoch, position: 0, scope: device.team.scopeVersion)
        if self.cursor.position == 0 { self.cursor.floor = counters.pruned }
        guard self.cursor.epoch == counters.epoch, self.cursor.position <= counters.position,
            self.cursor.scope <= device.team.scopeVersion,
            self.cursor.position >= counters.pruned || self.cursor.floor == counters.pruned
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
        if let floor = cursor.floor, cursor.position >= floor { cursor.floor = nil }
        return PullResponse(
            deltaRecords: records, results: results, removed: removed,
            nextCursor: seal.text(of: cursor),
            hasMore: hasMore, digest: hasMore ? nil : try digest(),
            server: counters.state(at: now))
    }

    /// Whether so many bytes more still belong into this page. The first thing always does: a page
    /// that held nothing would be asked for again for ever.
    private mutating func hasRoom(for size: Int) -> Bool {
        guard bytes == 0 || bytes + size <= PageReader.largestPage else { return false }
        bytes += size
        return true
    }

    // MARK: Scope

    /// What left the scope, then the records of sites that joined: those that the feed has passed
    /// already; the others come with the feed itself.
    private mutating func readExpansion() throws {
        var expansion =
            cursor.expansion
            ?? Cursor.Expansion(target: device.team.scopeVersion, offset: 0, removal: 0)
        // The feed follows in any case; its last page carries the digest.
        hasMore = true
        let isTold = try readRemoved(&expansion)
        let isWhole = try isTold && readJoined(&expansion)
        if isWhole {
            cursor.scope = expansion.target
            cursor.expansion = nil
        } else {
            cursor.expansion = expansion
        }
    }

    /// - Returns: whether all have been told.
    private mutating func readRemoved(_ expansion: inout Cursor.Expansion) throws -> Bool {
        guard let start = expansion.removal else { return true }
        let most = limit * PageReader.removedForARecord
        let rows = try connection.recordsRemoved(
            from: device.team, since: cursor.scope, until: expansion.target, after: start,
            limit: most + 1)
        for row in rows {
            guard removed.count < most,
                hasRoom(for: row.id.rawValue.utf8.count + 3)
            else { return false }
            removed.append(row.id)
            expansion.removal = row.position
        }
        expansion.removal = nil
        return true
    }

    /// - Returns: whether all are in the page.
    private mutating func readJoined(_ expansion: inout Cursor.Expansion) throws -> Bool {
        let rows = try rows(
            """
            site_id IN (
                SELECT site_id FROM site_team WHERE team_id = ? AND since > ? AND since <= ?)
            AND team_id = '' AND position > ? AND position <= ?
            """,
            [
                .text(device.team.id), .integer(cursor.scope), .integer(expansion.target),
                .integer(expansion.offset), .integer(cursor.position),
            ])
        for row in rows {
            guard try take(row) else { return false }
            expansion.offset = row.position
        }
        return true
    }

    // MARK: Feed

    /// Changed records and later decisions, both in the order of the one counter that gave them
    /// their places, so that the cursor passes neither unseen.
    private mutating func readFeed() throws {
        let start = cursor.position
        let changed = try changedRows(after: start)
        let decided = try connection.deliveries(
            to: device, after: start, through: counters.position, limit: limit + 1)
        // What lies behind the last decision that was read is not known yet.
        let isAll = decided.count <= limit
        let horizon = isAll ? counters.position : decided.last?.position ?? start
        hasMore = true
        var (rows, decisions) = (changed[...], decided[...])
        while let next = [rows.first?.position, decisions.first?.position].compactMap(\.self).min(),
            next <= horizon
        {
            let isRecord = rows.first?.position == next
            guard
                isRecord
                    ? try take(rows.removeFirst()) : try take(decisions.removeFirst().mutation)
            else { return }
            cursor.position = next
        }
        cursor.position = horizon
        hasMore = !isAll
    }

    /// Places of the feed that are looked through at once.
    private static let stretch: Int64 = 256

    /// Changes in scope, from one to the next stretch that holds any: what others have between is
    /// leapt over, so that a small team on a large server does not read all of it.
    private func changedRows(after start: Int64) throws -> [Row] {
        var found: [Row] = []
        var last = start
        while found.count <= limit,
            let next = try connection.nextChange(for: device.team, after: last)
        {
            last = next + PageReader.stretch - 1
            found += try rows(
                "position >= ? AND position <= ? AND " + Scope.condition,
                [.integer(next), .integer(last), .text(device.team.id), .text(device.team.id)])
        }
        return found
    }

    // MARK: One thing

    private typealias Row = (record: StoredRecord, position: Int64)

    /// Records without their fields: one more than a page holds, which tells that there are more.
    private func rows(_ condition: String, _ values: [DatabaseValue]) throws -> [Row] {
        try connection.query(
            StoredRecord.select + " WHERE " + condition + " ORDER BY position LIMIT ?",
            values + [.integer(Int64(limit + 1))]
        ) { (record: try StoredRecord(row: $0), position: try $0.integer(7)) }
    }

    /// - Returns: false when the page is full.
    private mutating func take(_ row: Row) throws -> Bool {
        guard records.count < limit, bytes < PageReader.largestPage else { return false }
        var record = row.record
        record.state.fields = try connection.fields(of: record.id)
        let wire = record.wire
        guard hasRoom(for: wire.estimatedBytes) else { return false }
        records.append(wire)
        return true
    }

    /// - Returns: false when the page is full.
    private mutating func take(_ mutation: MutationID) throws -> Bool {
        // Two columns of it were decided: the verdict that stands now holds both.
        guard !results.contains(where: { $0.mutationId == mutation }) else { return true }
        guard results.count < limit, bytes < PageReader.largestPage else { return false }
        guard let verdict = try connection.decision(on: mutation, for: device) else { return true }
        guard hasRoom(for: verdict.estimatedBytes) else { return false }
        results.append(verdict)
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
        return DigestReport(position: seal.text(of: cursor), sites: sites)
    }
}
