package import Coding
internal import Crypto

/// `POST /api/v1/sync/push`.
package struct PushRequest: Hashable, Sendable {
    /// Mutations of one request.
    package static let mostMutations = 50

    package var clientNodeId: NodeID
    package var clientEpoch: Int64
    /// The baton of the last answer; nil before the first.
    package var baton: String?
    package var schemaVersion: Int64
    /// The cursor up to which this device has pulled; nil before the first pull.
    package var pullPosition: String?
    /// Whether all bases are for certain of that cursor's epoch. A device that has met a restored server
    /// knows it of some (`FieldChange.hasExactBase`).
    package var hasExactBases = false
    /// Sent since the baton's answer, without an answer of their own, and not in this batch: they show
    /// that this comes from the device that sent them, and from no copy of it.
    package var unheard: [MutationID] = []
    package var mutations: [Mutation] { didSet { written = WrittenMutations() } }
    private var written: WrittenMutations

    /// - Parameter written: the JSON of each mutation, from whoever has it already.
    package init(
        clientNodeId: NodeID, clientEpoch: Int64, baton: String?, schemaVersion: Int64 = 1,
        pullPosition: String?, mutations: [Mutation], written: [[UInt8]]? = nil
    ) {
        self.clientNodeId = clientNodeId
        self.clientEpoch = clientEpoch
        self.baton = baton
        self.schemaVersion = schemaVersion
        self.pullPosition = pullPosition
        self.mutations = mutations
        self.written = WrittenMutations()
        if let written {
            precondition(written.count == mutations.count, "a mutation is not written")
            self.written.bytes = Array(written.joined(separator: [UInt8(ascii: ",")]))
            self.written.key = key(of: mutations)
        }
    }

    /// The `Idempotency-Key`: the same batch with the same contents has the same key, whenever it
    /// is sent.
    package var idempotencyKey: String { written.key ?? key(of: mutations) }

    private func key(of mutations: [Mutation]) -> String {
        var bytes: [UInt8] = []
        for mutation in mutations {
            Canonical.append(mutation.id.rawValue, tag: "m", to: &bytes)
            bytes += mutation.contentHash
        }
        return Hexadecimal.encode(SHA256.hash(bytes).prefix(16))
    }
}

extension PushRequest {
    package init(json: JSON) throws(CodingError) {
        let mutations = try json.array("mutations", of: Mutation.init(json:))
        guard mutations.count <= Self.mostMutations else {
            throw CodingError(.tooLarge, path: "mutations", "more than \(Self.mostMutations)")
        }
        guard Set(mutations.map(\.id)).count == mutations.count else {
            throw CodingError(.unexpected, path: "mutations", "the same mutation twice")
        }
        self.init(
            clientNodeId: try json.read("clientNodeId", NodeID.init(json:)),
            clientEpoch: try json.readOptional("clientEpoch", Count.read) ?? 0,
            baton: try json.readOptional("baton", ShortText.read),
            schemaVersion: try json.read("schemaVersion", Count.read),
            pullPosition: try json.readOptional("pullPosition", ShortText.read),
            mutations: mutations)
        let unheard = try json.optionalArray("unheard", of: MutationID.init(json:))
        guard unheard.count <= Self.mostMutations else {
            throw CodingError(.tooLarge, path: "unheard", "more than \(Self.mostMutations)")
        }
        self.unheard = unheard
        hasExactBases = try json.optionalBool("exactBases") ?? false
    }

    package var json: JSON {
        var members = head
        members["mutations"] = .array(mutations.map(\.json))
        return .object(members)
    }

    private var head: [String: JSON] {
        var members: [String: JSON] = [
            "clientNodeId": clientNodeId.json, "clientEpoch": .integer(clientEpoch),
            "baton": JSON(baton), "schemaVersion": .integer(schemaVersion),
            "pullPosition": JSON(pullPosition),
        ]
        if !unheard.isEmpty { members["unheard"] = .array(unheard.map(\.json)) }
        if hasExactBases { members["exactBases"] = .bool(true) }
        return members
    }

    /// `json` as UTF-8, its members in whatever order is quickest: only the baton becomes known when the
    /// batch goes, so what is written already is used.
    package var document: [UInt8] {
        guard let bytes = written.bytes else { return json.serialized() }
        let rest = Array(JSON.object(head).serialized().dropFirst())
        return Array("{\"mutations\":[".utf8) + bytes + Array("],".utf8) + rest
    }
}

/// The mutations of a request as they are sent, and their key. Nothing that the request says: two that
/// say the same are equal, written or not.
private struct WrittenMutations: Hashable, Sendable {
    var bytes: [UInt8]?
    var key: String?

    static func == (left: WrittenMutations, right: WrittenMutations) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

/// What every answer of the sync routes says of the server.
package struct ServerState: Hashable, Sendable {
    package var lamport: Int64
    /// Rises when the server is restored from a backup; versions of other epochs mean nothing.
    package var epoch: Int64
    /// For the hint that a device's clock is off; orders nothing.
    package var timeUtc: String

    package init(lamport: Int64, epoch: Int64, timeUtc: String) {
        self.lamport = lamport
        self.epoch = epoch
        self.timeUtc = timeUtc
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            lamport: try json.read("serverLamport", Count.read),
            epoch: try json.read("serverEpoch", Count.read),
            timeUtc: try json.readOptional("serverTimeUtc", ShortText.read) ?? "")
    }

    var members: [String: JSON] {
        [
            "serverLamport": .integer(lamport), "serverEpoch": .integer(epoch),
            "serverTimeUtc": .string(timeUtc),
        ]
    }
}

/// The answer 200 to a push.
package struct PushResponse: Hashable, Sendable {
    package var results: [Verdict]
    package var baton: String?
    package var server: ServerState

    package init(results: [Verdict], baton: String?, server: ServerState) {
        self.results = results
        self.baton = baton
        self.server = server
    }

    package init(json: JSON) throws(CodingError) {
        self.init(
            results: try json.array("results", of: Verdict.init(json:)),
            baton: try json.readOptional("baton", ShortText.read),
            server: try ServerState(json: json))
    }

    package var json: JSON {
        var members = server.members
        members["results"] = .array(results.map(\.json))
        members["baton"] = JSON(baton)
        return .object(members)
    }
}

/// The answer 202 to a push: queued, verdicts come with a pull.
package struct PushTicket: Hashable, Sendable {
    package var ticket: String

    package init(ticket: String) { self.ticket = ticket }

    package init(json: JSON) throws(CodingError) {
        self.init(ticket: try json.read("ticket", ShortText.read))
    }

    package var json: JSON { ["ticket": .string(ticket)] }
}
