package import Replication
internal import SQLite

extension SQLiteStore {
    // MARK: Enrolment

    package func issueCode(
        team name: String, deviceName: String?, secretHash: [UInt8], validFor: Int64
    ) throws -> IssuedCode {
        let deviceName = try deviceName.map(checkedName)
        return try write { session in
            let team = try session.connection.requireTeam(named: name)
            let expires = session.now + validFor
            try session.connection.execute(
                """
                INSERT INTO enrolment_code (secret_hash, team_id, name, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?)
                """,
                [
                    .blob(secretHash), .text(team.id), DatabaseValue(deviceName),
                    .integer(session.now), .integer(expires),
                ])
            return IssuedCode(team: team, expires: expires)
        }
    }

    /// Uses the code and makes the device in one transaction, so that two devices with the same code
    /// cannot both be enrolled.
    package func enrol(_ enrolment: Enrolment) throws -> Device {
        let offered = try checkedName(enrolment.deviceName)
        guard !enrolment.node.rawValue.hasPrefix(Supervisor.nodePrefix) else {
            throw ServerStoreError(.badName, "node ids of the portal are not for devices")
        }
        return try write { session in
            let code = try session.connection.usableCode(enrolment.secretHash, at: session.now)
            guard try session.connection.owner(of: enrolment.node) == nil else {
                throw ServerStoreError(.nodeTaken, "another device has enrolled under this node id")
            }
            if let former = enrolment.formerTeam {
                try session.connection.require(code.team, toBe: former)
            }
            let id = session.newID()
            try session.connection.execute(
                """
                INSERT INTO device
                    (id, name, team_id, node, state, token_hash, public_key, enrolled_at)
                VALUES (?, ?, ?, ?, 'active', ?, ?, ?)
                """,
                [
                    .text(id), .text(code.name ?? offered), .text(code.team),
                    .text(enrolment.node.rawValue),
                    .blob(enrolment.tokenHash), .text(enrolment.publicKey), .integer(session.now),
                ])
            try session.register(enrolment.node, of: id, position: 0)
            try session.connection.execute(
                "UPDATE enrolment_code SET used_at = ?, device_id = ? WHERE secret_hash = ?",
                [.integer(session.now), .text(id), .blob(enrolment.secretHash)])
            return try session.connection.requireDevice(id: id)
        }
    }

    // MARK: Devices

    /// The device that a bearer token belongs to, also a revoked one; asked anew for each request,
    /// so that a revocation acts on the next one.
    package func device(tokenHash: [UInt8], node: NodeID?) throws -> Device? {
        try lookUp { connection in
            let found = try connection.device(where: "device.token_hash = ?", .blob(tokenHash))
            guard let node, let device = found else { return found }
            try connection.check(node, of: device)
            return device.speaking(as: node)
        }
    }

    package func device(id: String) throws -> Device? {
        try readForOffice { try $0.device(where: "device.id = ?", .text(id)) }
    }

    package func devices() throws -> [Device] {
        try readForOffice { connection in
            try connection.query(
                Device.select + " ORDER BY device.name, device.id", [], Device.init(row:))
        }
    }

    package func decidedSinceReports() throws -> [String: Int64] {
        try readForOffice { connection in
            let counts = try connection.query(
                """
                SELECT device.id,
                    min(ifnull(device.conflict, 0) + ifnull(device.in_review, 0), (
                        SELECT count(DISTINCT delivery.mutation_id) FROM device_node
                        JOIN delivery ON delivery.node = device_node.node
                        JOIN verdict ON verdict.mutation_id = delivery.mutation_id
                        WHERE device_node.device_id = device.id AND delivery.position > (
                                SELECT max(pull_position) FROM device_node AS heard
                                WHERE heard.device_id = device.id)
                            AND verdict.status IN ('applied', 'merged')))
                FROM device WHERE ifnull(device.conflict, 0) + ifnull(device.in_review, 0) > 0
                """
            ) { (try $0.text(0), try $0.integer(1)) }
            return Dictionary(uniqueKeysWithValues: counts)
        }
    }

    package func tokenHash(ofDevice id: String) throws -> [UInt8]? {
        try readForOffice { connection in
            try connection.first("SELECT token_hash FROM device WHERE id = ?", [.text(id)]) {
                try $0.blob(0)
            }
        }
    }

    package func revokeDevice(id: String) throws {
        try write { session in
            _ = try session.connection.requireDevice(id: id)
            try session.connection.execute(
                "UPDATE device SET state = 'revoked' WHERE id = ?", [.text(id)])
        }
    }
}

extension Device {
    static let select = """
        SELECT device.id, device.name, team.id, team.name, team.scope_version, device.node,
            device.state, device.last_push_at, device.last_pull_at, device.pending,
            device.oldest_unsynced, device.failed, device.conflict, device.in_review,
            device.reported_at
        FROM device JOIN team ON team.id = device.team_id
        """

    init(row: Row) throws {
        self.init(
            id: try row.text(0), name: try row.text(1),
            team: Team(
                id: try row.text(2), name: try row.text(3), scopeVersion: try row.integer(4)),
            node: NodeID(try row.text(5)),
            // A state that a newer server wrote: whatever it means, it does not open doors.
            state: State(rawValue: try row.text(6)) ?? .revoked,
            lastPush: try row.optionalInteger(7), lastPull: try row.optionalInteger(8),
            report: DeviceReport(
                pending: try row.optionalInteger(9), failed: try row.optionalInteger(11),
                conflict: try row.optionalInteger(12), inReview: try row.optionalInteger(13),
                oldestUnsyncedUtc: try row.optionalText(10)),
            lastReport: try row.optionalInteger(14))
    }
}

extension Connection {
    func device(where condition: String, _ value: DatabaseValue) throws -> Device? {
        try first(Device.select + " WHERE " + condition, [value], Device.init(row:))
    }

    func requireDevice(id: String) throws -> Device {
        guard let device = try device(where: "device.id = ?", .text(id)) else {
            throw ServerStoreError(.unknownDevice, "there is no device '\(id)'")
        }
        return device
    }

    /// A device that enrols again holds what its team may see: under another one all of it would go, and
    /// what waits there would be refused. The id decides, because a restored backup may have another name
    /// for the team; the name does where the team was made anew since.
    fileprivate func require(_ team: String, toBe former: FormerTeam) throws {
        let names = try query(
            "SELECT id, name FROM team WHERE id IN (?, ?)", [.text(team), DatabaseValue(former.id)]
        ) { (id: try $0.text(0), name: try $0.text(1)) }
        let name = names.first { $0.id == team }?.name
        let isKnown = names.contains { $0.id == former.id }
        guard isKnown ? former.id != team : former.name != name else { return }
        throw ServerStoreError(
            .otherTeam,
            "the enrolment code is of team '\(name ?? "")', and the device of team '\(former.name)'"
        )
    }

    fileprivate func usableCode(
        _ secretHash: [UInt8], at now: Int64
    ) throws -> (team: String, name: String?) {
        let found = try first(
            """
            SELECT team_id, name, expires_at, used_at FROM enrolment_code WHERE secret_hash = ?
            """, [.blob(secretHash)]
        ) { row in
            (
                team: try row.text(0), name: try row.optionalText(1), expires: try row.integer(2),
                isUsed: !row.isNull(3)
            )
        }
        guard let found else {
            throw ServerStoreError(.codeUnknown, "this server has not issued that enrolment code")
        }
        guard !found.isUsed else {
            throw ServerStoreError(.codeUsed, "the enrolment code was used already")
        }
        guard now < found.expires else {
            throw ServerStoreError(.codeExpired, "the enrolment code has expired")
        }
        return (found.team, found.name)
    }
}
