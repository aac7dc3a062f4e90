internal import Coding
package import Replication
internal import SQLite

/// What enrolment left on the device, encrypted with everything else.
package struct Enrolment: Sendable, Equatable {
    package var serverURL: String
    package var deviceID: String
    package var token: String
    package var team: String
    /// nil from a server that did not tell it.
    package var teamID: String?
    package var caPem: String
    /// `sha256//…` of public keys.
    package var pins: [String]
    /// The seed of the device's Ed25519 key, whose public half the server has; base64.
    package var deviceKey: String

    package init(
        serverURL: String, deviceID: String, token: String, team: String, teamID: String? = nil,
        caPem: String, pins: [String], deviceKey: String
    ) {
        self.serverURL = serverURL
        self.deviceID = deviceID
        self.token = token
        self.team = team
        self.teamID = teamID
        self.caPem = caPem
        self.pins = pins
        self.deviceKey = deviceKey
    }
}

/// Where this device stands with its server.
package struct SyncPosition: Sendable, Equatable {
    package var node: NodeID
    package var clientEpoch: Int64
    /// 0 before the first contact.
    package var serverEpoch: Int64
    /// nil before the first page.
    package var cursor: String?
    /// Of the last answer to a push.
    package var baton: String?
    package var lamport: Int64
    package var lastSyncUtc: String?
}

extension DeviceStore {
    package func position() throws -> SyncPosition {
        try read { try $0.position() }
    }

    package func store(_ enrolment: Enrolment) throws {
        try edit { try $0.keep(enrolment) }
    }

    /// nil on a device that was not enrolled.
    package func enrolment() throws -> Enrolment? {
        try read { database in
            guard let serverURL = try database.metadataText("server_url") else { return nil }
            let stored = try database.metadataText("pins") ?? "[]"
            let pins = try JSON.parse(Array(stored.utf8)).asArray()
            return Enrolment(
                serverURL: serverURL, deviceID: try database.metadataText("device_id") ?? "",
                token: try database.metadataText("token") ?? "",
                team: try database.metadataText("team") ?? "",
                teamID: try database.metadataText("team_id"),
                caPem: try database.metadataText("ca_pem") ?? "",
                pins: try pins.map { try $0.asString() },
                deviceKey: try database.metadataText("device_key") ?? "")
        }
    }

    /// Until when the server asked not to be bothered, in milliseconds since 1970.
    package func retryFloor() throws -> Int64? {
        try read { try $0.metadataInteger("retry_floor") }
    }

    package func keepRetryFloor(_ instant: Int64?) throws {
        try edit { try $0.setMetadata("retry_floor", DatabaseValue(instant)) }
    }

    /// Whether cycles begin by themselves; those that a person asks for always do. In the second copy
    /// too: a rebuilt store must not begin to send.
    package func syncsInBackground() throws -> Bool {
        try read { try $0.syncsInBackground() }
    }

    package func setBackgroundSync(on isOn: Bool) throws {
        try edit { try $0.setMetadata("background_sync", DatabaseValue(isOn)) }
    }

    /// One line of `__sync_log`, of which the newest thousand are kept.
    package func log(_ event: String, _ detail: String) throws {
        let now = SyncTimestamp.text(sources.now())
        try edit { try $0.log(event, detail, nowUtc: now) }
    }
}

extension Connection {
    func position() throws -> SyncPosition {
        guard let node = try metadataText("node") else {
            throw StoreError.damaged("the store does not know its node")
        }
        return SyncPosition(
            node: NodeID(node), clientEpoch: try metadataInteger("client_epoch") ?? 0,
            serverEpoch: try metadataInteger("server_epoch") ?? 0,
            cursor: try metadataText("cursor"), baton: try metadataText("baton"),
            lamport: try metadataInteger("lamport") ?? 0,
            lastSyncUtc: try metadataText("last_sync_utc"))
    }

    func keep(_ enrolment: Enrolment) throws {
        try setMetadata("server_url", .text(enrolment.serverURL))
        try setMetadata("device_id", .text(enrolment.deviceID))
        try setMetadata("token", .text(enrolment.token))
        try setMetadata("team", .text(enrolment.team))
        try setMetadata("team_id", DatabaseValue(enrolment.teamID))
        try setMetadata("ca_pem", .text(enrolment.caPem))
        try setMetadata(
            "pins", .text(JSON.array(enrolment.pins.map(JSON.string)).text()))
        try setMetadata("device_key", .text(enrolment.deviceKey))
    }

    func syncsInBackground() throws -> Bool { try metadataInteger("background_sync") != 0 }

    func metadataText(_ key: String) throws -> String? {
        try first("SELECT value FROM __sync_metadata WHERE key = ?", [.text(key)]) { row in
            try row.optionalText(0)
        } ?? nil
    }

    func metadataInteger(_ key: String) throws -> Int64? {
        try first("SELECT value FROM __sync_metadata WHERE key = ?", [.text(key)]) { row in
            try row.optionalInteger(0)
        } ?? nil
    }

    /// What stands there already costs no write.
    func setMetadata(_ key: String, _ value: DatabaseValue) throws {
        let known = try first(
            "SELECT value FROM __sync_metadata WHERE key = ?", [.text(key)]
        ) { $0.value(0) }
        guard known != value else { return }
        let sql =
            known == nil
            ? "INSERT INTO __sync_metadata (value, key) VALUES (?, ?)"
            : "UPDATE __sync_metadata SET value = ? WHERE key = ?"
        try execute(sql, [value, .text(key)])
    }

    func log(_ event: String, _ detail: String, nowUtc: String) throws {
        try execute(
            "INSERT INTO __sync_log (at_utc, event, detail) VALUES (?, ?, ?)",
            [.text(nowUtc), .text(event), .text(detail)])
        try execute("DELETE FROM __sync_log WHERE id <= (SELECT max(id) FROM __sync_log) - 1000")
    }
}
