internal import Replication
internal import SQLite

/// Which records a device sees: those under the sites of its team, and those that its team made
/// without a site. Every query for a device is bound by it; nothing in a request widens it.
struct Scope {
    let team: Team

    /// Of `record`, with the team's id bound twice. The unary plus keeps SQLite from using the index
    /// by site, which would sort everything in scope for each page: the feed is read in its order, a
    /// stretch at a time.
    static let condition = """
        ((+site_id <> '' AND +site_id IN (SELECT site_id FROM site_team WHERE team_id = ?))
            OR (+site_id = '' AND team_id = ?))
        """

    func contains(_ site: WriteSession.Site, in connection: Connection) throws -> Bool {
        guard !site.id.isEmpty else { return site.team == team.id }
        return try connection.team(ofSite: site.id) == team.id
    }
}

extension Connection {
    func team(ofSite site: String) throws -> String? {
        try first("SELECT team_id FROM site_team WHERE site_id = ?", [.text(site)]) {
            try $0.text(0)
        }
    }

    /// The place of the first change after `position` that the team sees; nil where there is none. A
    /// look into the index by site for each of its sites, whatever the server holds of others.
    func nextChange(for team: Team, after position: Int64) throws -> Int64? {
        let ofSites = try first(
            """
            SELECT min((
                SELECT min(position) FROM record
                WHERE site_id = site_team.site_id AND record.team_id = '' AND position > ?1))
            FROM site_team WHERE team_id = ?2
            """, [.integer(position), .text(team.id)]
        ) { try $0.optionalInteger(0) }
        let withoutSite = try first(
            """
            SELECT min(position) FROM record WHERE site_id = '' AND team_id = ? AND position > ?
            """, [.text(team.id), .integer(position)]
        ) { try $0.optionalInteger(0) }
        return [ofSites, withoutSite].compactMap { $0 ?? nil }.min()
    }

    /// Records of sites that left the team since the scope version, for which it has no other claim,
    /// in the order of the feed. One that changes meanwhile is told again, which does no harm.
    func recordsRemoved(
        from team: Team, since version: Int64, until target: Int64, after position: Int64,
        limit: Int
    ) throws -> [(id: RecordID, position: Int64)] {
        try query(
            """
            SELECT record.id, record.position FROM site_departure
            JOIN record ON record.site_id = site_departure.site_id
            WHERE site_departure.team_id = ? AND at_version > ? AND at_version <= ?
                AND site_departure.site_id NOT IN
                    (SELECT site_id FROM site_team WHERE team_id = ?)
                AND record.position > ?
            ORDER BY record.position LIMIT ?
            """,
            [
                .text(team.id), .integer(version), .integer(target), .text(team.id),
                .integer(position), .integer(Int64(limit)),
            ]
        ) { (id: RecordID(rawValue: try $0.text(0)), position: try $0.integer(1)) }
    }
}

extension WriteSession {
    /// Puts a site into a team. What its devices may see changes at once; the scope versions tell
    /// their cursors.
    ///
    /// - Returns: whether anything changed.
    func assign(site: RecordID, to team: Team) throws -> Bool {
        let before = try connection.team(ofSite: site.rawValue)
        guard before != team.id else { return false }
        if let before {
            let departure = try raiseScope(of: before)
            try connection.execute(
                """
                INSERT OR REPLACE INTO site_departure (team_id, site_id, at_version)
                VALUES (?, ?, ?)
                """, [.text(before), .text(site.rawValue), .integer(departure)])
        }
        let since = try raiseScope(of: team.id)
        try connection.execute(
            "INSERT OR REPLACE INTO site_team (site_id, team_id, since) VALUES (?, ?, ?)",
            [.text(site.rawValue), .text(team.id), .integer(since)])
        return true
    }

    private func raiseScope(of team: String) throws -> Int64 {
        try connection.execute(
            "UPDATE team SET scope_version = scope_version + 1 WHERE id = ?", [.text(team)])
        let version = try connection.first(
            "SELECT scope_version FROM team WHERE id = ?", [.text(team)]
        ) { try $0.integer(0) }
        return version ?? 0
    }
}
