package import Coding

/// `POST /api/v1/enroll`.
package struct EnrollRequest: Hashable, Sendable {
    package var code: String
    package var deviceName: String
    package var nodeId: NodeID
    /// The device's Ed25519 key, base64.
    package var publicKey: String

    package init(code: String, deviceName: String, nodeId: NodeID, publicKey: String) {
        self.code = code
        self.deviceName = deviceName
        self.nodeId = nodeId
        self.publicKey = publicKey
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            code: try json.read("code", ShortText.read),
            deviceName: try json.read("deviceName", ShortText.read),
            nodeId: try json.read("nodeId", NodeID.init(json:)),
            publicKey: try json.read("publicKey", ShortText.read))
    }

    package var json: JSON {
        [
            "code": .string(code), "deviceName": .string(deviceName), "nodeId": nodeId.json,
            "publicKey": .string(publicKey),
        ]
    }
}

/// The answer 201: what a device needs to speak to this server from now on.
package struct EnrollResponse: Hashable, Sendable {
    package var deviceId: String
    package var token: String
    package var team: String
    package var caPem: String
    /// `sha256//…` of public keys, the one in use first.
    package var pins: [String]
    package var serverEpoch: Int64

    package init(
        deviceId: String, token: String, team: String, caPem: String, pins: [String],
        serverEpoch: Int64
    ) {
        self.deviceId = deviceId
        self.token = token
        self.team = team
        self.caPem = caPem
        self.pins = pins
        self.serverEpoch = serverEpoch
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            deviceId: try json.read("deviceId", ShortText.read),
            token: try json.read("token", ShortText.read),
            team: try json.read("team", ShortText.read),
            caPem: try json.string("caPem"), pins: try json.array("pins", of: ShortText.read),
            serverEpoch: try json.read("serverEpoch", Count.read))
    }

    package var json: JSON {
        [
            "deviceId": .string(deviceId), "token": .string(token), "team": .string(team),
            "caPem": .string(caPem), "pins": .array(pins.map(JSON.string)),
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
