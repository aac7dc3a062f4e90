package import Replication

/// People who share sites; each device belongs to one.
package struct Team: Sendable, Equatable {
    package let id: String
    package let name: String
    /// Rises when a site joins or leaves, so that a cursor knows which scope it was made under.
    package let scopeVersion: Int64
}

/// A handheld that has enrolled.
package struct Device: Sendable, Equatable {
    package enum State: String, Sendable {
        case active, revoked
    }

    package let id: String
    package let name: String
    package let team: Team
    /// How the clocks of records know the device: the node that it speaks as, else the one that it
    /// enrolled under.
    package private(set) var node: NodeID
    package let state: State
    /// Instants are milliseconds since 1970, UTC; nil = never.
    package let lastPush: Int64?
    package let lastPull: Int64?
    /// As the device counted last, and when it said so, to the minute.
    package let report: DeviceReport
    package let lastReport: Int64?

    /// The same device under another of its nodes. Whether it is one of its nodes says the store.
    package func speaking(as node: NodeID) -> Device {
        var device = self
        device.node = node
        return device
    }
}

/// What the gateway knows of a device that asks to be enrolled. Secrets come hashed.
package struct Enrolment: Sendable {
    package var secretHash: [UInt8]
    package var deviceName: String
    package var node: NodeID
    package var publicKey: String
    package var tokenHash: [UInt8]
    /// Of a device that enrols again.
    package var formerTeam: FormerTeam?

    package init(
        secretHash: [UInt8], deviceName: String, node: NodeID, publicKey: String,
        tokenHash: [UInt8], formerTeam: FormerTeam? = nil
    ) {
        self.secretHash = secretHash
        self.deviceName = deviceName
        self.node = node
        self.publicKey = publicKey
        self.tokenHash = tokenHash
        self.formerTeam = formerTeam
    }
}

/// A one-time code that waits for its device.
package struct IssuedCode: Sendable, Equatable {
    package let team: Team
    /// Milliseconds since 1970, UTC.
    package let expires: Int64
}
