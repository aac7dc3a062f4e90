internal import SQLite

extension SQLiteStore {
    package func addTeam(named name: String) throws -> Team {
        let name = try checkedName(name)
        return try write { session in
            guard try session.connection.team(named: name) == nil else {
                throw ServerStoreError(.nameTaken, "there is a team '\(name)' already")
            }
            let id = session.newID()
            try session.connection.execute(
                "INSERT INTO team (id, name, scope_version, created_at) VALUES (?, ?, 0, ?)",
                [.text(id), .text(name), .integer(session.now)])
            return Team(id: id, name: name, scopeVersion: 0)
        }
    }

    package func teams() throws -> [Team] {
        try readForOffice { connection in
            try connection.query(
                "SELECT id, name, scope_version FROM team ORDER BY name", [], Team.init(row:))
        }
    }
}

/// A name that people read: not blank, not long, nothing that commands a terminal.
func checkedName(_ text: String) throws -> String {
    let controls = text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F) ~= $0.value }
    guard !controls, text.utf8.count <= 200, text.contains(where: { !$0.isWhitespace }) else {
        throw ServerStoreError(
            .badName, "a name has 1 to 200 bytes, not only blanks and no control characters")
    }
    return text
}

extension Team {
    init(row: Row) throws {
        self.init(
            id: try row.text(0), name: try row.text(1), scopeVersion: try row.integer(2))
    }
}

extension Connection {
    func team(named name: String) throws -> Team? {
        try first(
            "SELECT id, name, scope_version FROM team WHERE name = ?", [.text(name)],
            Team.init(row:))
    }

    func requireTeam(named name: String) throws -> Team {
        guard let team = try team(named: name) else {
            throw ServerStoreError(.unknownTeam, "there is no team '\(name)'")
        }
        return team
    }
}
