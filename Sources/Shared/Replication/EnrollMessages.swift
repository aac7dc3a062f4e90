package import Coding

/// `POST /api/v1/enroll`.
package struct EnrollRequest: Hashable, Sendable {
    package var code: String
    package var deviceName: String
    package var nodeId: NodeID
    /// The device's Ed25519 key, base64.
    package var publicKey: String
    /// Of a device that enrols again, and holds what this team may see.
    package var formerTeam: FormerTeam?

    package init(
        code: String, deviceName: String, nodeId: NodeID, publicKey: String,
        formerTeam: FormerTeam? = nil
    ) {
        self.code = code
        self.deviceName = deviceName
        self.nodeId = nodeId
        self.publicKey = publicKey
        self.formerTeam = formerTeam
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            code: try json.read("code", ShortText.read),
            deviceName: try json.read("deviceName", ShortText.read),
            nodeId: try json.read("nodeId", NodeID.init(json:)),
            publicKey: try json.read("publicKey", ShortText.read),
            formerTeam: try json.optionalObject("formerTeam").map(FormerTeam.init(json:)))
    }

    package var json: JSON {
        var members: [String: JSON] = [
            "code": .string(code), "deviceName": .string(deviceName), "nodeId": nodeId.json,
            "publicKey": .string(publicKey),
        ]
        if let formerTeam { members["formerTeam"] = formerTeam.json }
        return .object(members)
    }
}

/// A team as a device knows it from its enrolment.
package struct FormerTeam: Hashable, Sendable {
    /// nil where the server of then did not tell it.
    package var id: String?
    package var name: String

    package init(id: String?, name: String) {
        self.id = id
        self.name = name
    }

    init(json: JSON) throws(CodingError) {
        self.init(id: try json.optionalString("id"), name: try json.read("name", ShortText.read))
    }

    var json: JSON { ["id": JSON(id), "name": .string(name)] }
}

/// The answer 201: what a device needs to speak to this server from now on.
package struct EnrollResponse: Hashable, Sendable {
    package var deviceId: String
    /// What the device is called from now on: the name that its code was made with, before the one that it
    /// sent. nil from a server that does not tell it.
    package var deviceName: String?
    package var token: String
    package var team: String
    /// nil from a server that does not tell it.
    package var teamId: String?
    package var caPem: String
    /// `sha256//…` of public keys, the one in use first.
    package var pins: [String]
    package var serverEpoch: Int64

    package init(
        deviceId: String, deviceName: String? = nil, token: String, team: String,
        teamId: String? = nil, caPem: String, pins: [String], serverEpoch: Int64
    ) {
        self.deviceId = deviceId
        self.deviceName = deviceName
        self.token = token
        self.team = team
        self.teamId = teamId
        self.caPem = caPem
        self.pins = pins
        self.serverEpoch = serverEpoch
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            deviceId: try json.read("deviceId", ShortText.read),
            deviceName: try json.optionalString("deviceName"),
            token: try json.read("token", ShortText.read),
            team: try json.read("team", ShortText.read),
            teamId: try json.optionalString("teamId"),
            caPem: try json.string("caPem"), pins: try json.array("pins", of: ShortText.read),
            serverEpoch: try json.read("serverEpoch", Count.read))
    }

    package var json: JSON {
        [
            "deviceId": .string(deviceId), "deviceName": JSON(deviceName),
            "token": .string(token), "team": .string(team),
            "teamId": JSON(teamId), "caPem": .string(caPem), "pins": .array(pins.map(JSON.string)),
            "serverEpoch": .integer(serverEpoch),
        ]
    }
}

/// One entry of `GET /api/v1/forms`: `{"forms":[…]}`.
package struct FormListing: Hashable, Sendable {
    package var id: String
    package var version: String
    package var title: String
    /// `open` or `closed`.
    package var state: String

    package init(id: String, version: String, title: String, state: String) {
        self.id = id
        self.version = version
        self.title = title
        self.state = state
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            id: try json.read("id", ShortText.read),
            version: try json.read("version", ShortText.read),
            title: try json.read("title", ShortText.read),
            state: try json.read("state", ShortText.read))
    }

    package var json: JSON {
        [
            "id": .string(id), "version": .string(version), "title": .string(title),
            "state": .string(state),
        ]
    }

    /// The whole document.
    package static func list(in json: JSON) throws(CodingError) -> [FormListing] {
        try json.array("forms", of: FormListing.init(json:))
    }

    package static func document(_ forms: [FormListing]) -> JSON {
        ["forms": .array(forms.map(\.json))]
    }
}
