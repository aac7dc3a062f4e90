internal import Replication
internal import SQLite

/// Devices that enrolled after a backup was made, as the replaced database has them: a restored server
/// that does not know them would refuse what they alone still have.
package struct LaterDevices: Sendable, Equatable {
    struct Team: Sendable, Equatable {
        let id: String
        let name: String
        let createdAt: Int64
    }

    struct Device: Sendable, Equatable {
        let id: String
        let name: String
        let team: String
        let node: String
        let state: String
        let tokenHash: [UInt8]
        let publicKey: String
        let enrolledAt: Int64
    }

    struct Node: Sendable, Equatable {
        let node: String
        let device: String
        let registeredAt: Int64
    }

    package init() {}

    var teams: [Team] = []
    var devices: [Device] = []
    /// Of all devices: one may have taken another since.
    var nodes: [Node] = []
}

extension LaterDevices {
    /// Everything that the replaced database has; what the backup has as well is left out later.
    init(in connection: Connection) throws {
        // What an earlier version of this program has left is brought up to date as a backup only.
        let isKnown = try connection.first(
            "SELECT 1 FROM sqlite_master WHERE name = 'device_node'"
        ) { _ in true }
        guard isKnown ?? false else { return }
        teams = try connection.query("SELECT id, name, created_at FROM team") {
            Team(id: try $0.text(0), name: try $0.text(1), createdAt: try $0.integer(2))
        }
        devices = try connection.query(
            """
            SELECT id, name, team_id, node, state, token_hash, public_key, enrolled_at
            FROM device ORDER BY enrolled_at, id
            """
        ) { row in
            Device(
                id: try row.text(0), name: try row.text(1), team: try row.text(2),
                node: try row.text(3), state: try row.text(4), tokenHash: try row.blob(5),
                publicKey: try row.text(6), enrolledAt: try row.integer(7))
        }
        nodes = try connection.query("SELECT node, device_id, registered_at FROM device_node") {
            Node(node: try $0.text(0), device: try $0.text(1), registeredAt: try $0.integer(2))
        }
    }
}

extension WriteSession {
    /// Takes over devices and nodes that the backup does not know, each in the state in which it was,
    /// and the team of such a device, without its sites, where the backup has none of that name.
    ///
    /// - Returns: the names of the devices.
    func take(_ later: LaterDevices) throws -> [String] {
        var names: [String] = []
        for device in later.devices where try !connection.has("device", device.id) {
            guard let team = later.teams.first(where: { $0.id == device.team }) else { continue }
            try connection.execute(
                """
                INSERT INTO device
                    (id, name, team_id, node, state, token_hash, public_key, enrolled_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(device.id), .text(device.name), .text(try take(team)),
                    .text(device.node), .text(device.state), .blob(device.tokenHash),
                    .text(device.publicKey), .integer(device.enrolledAt),
                ])
            names.append(device.name)
        }
        for node in later.nodes where try connection.has("device", node.device) {
            guard try connection.owner(of: NodeID(node.node)) == nil else { continue }
            // As far as the server knows it came a moment ago, like all others (`beginEpoch`).
            try connection.execute(
                """
                INSERT INTO device_node
                    (node, device_id, registered_at, last_pull_at, pull_position)
                VALUES (?, ?, ?, ?, ?)
                """,
                [
                    .text(node.node), .text(node.device), .integer(node.registeredAt),
                    .integer(try beginning), .integer(WriteSession.notPulledYet),
                ])
        }
        return names
    }

    /// - Returns: the id under which the team is here.
    private func take(_ team: LaterDevices.Team) throws -> String {
        if try connection.has("team", team.id) { return team.id }
        let namesake = try connection.first(
            "SELECT id FROM team WHERE name = ?", [.text(team.name)]
        ) { try $0.text(0) }
        if let namesake { return namesake }
        try connection.execute(
            "INSERT INTO team (id, name, scope_version, created_at) VALUES (?, ?, 0, ?)",
            [.text(team.id), .text(team.name), .integer(team.createdAt)])
        return team.id
    }
}

extension Connection {
    /// Whether a table whose key is `id` has this one.
    fileprivate func has(_ table: String, _ id: String) throws -> Bool {
        try first("SELECT 1 FROM \(table) WHERE id = ?", [.text(id)]) { _ in true } ?? false
    }
}
