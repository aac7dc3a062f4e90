import Coding
import Crypto
import Forms
import HTTP
import Replication
import ServerStore
import Synchronization
import TestSupport

@testable import Gateway

/// A whole server in this process on plain HTTP: store, gateway, listener, and nothing faked but the
/// clock of the store.
final class TestServer: Sendable {
    static let authority = Array("the authority's certificate".utf8)

    let folder: TemporaryFolder
    let clock = FixedClock()
    let store: any Store
    let listener: Listener
    private let lines = Lines()

    final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// - Parameter wrap: puts something between the gateway and the store.
    init(rates: Rates = Rates(), wrap: (any Store) -> any Store = { $0 }) throws {
        folder = try TemporaryFolder("gateway")
        let store = try SQLiteStore.create(
            at: folder.file("server.db"), SQLiteStore.Environment(now: clock.reading))
        self.store = store
        try Ground(team: "north").lay(in: store)
        let identity = Gateway.Identity(
            authority: "-----BEGIN CERTIFICATE-----\n",
            fingerprint: EnrollmentCode.fingerprint(of: Self.authority),
            pins: ["sha256//one", "sha256//two"])
        let lines = lines
        let log = Log(now: clock.reading) { line in lines.all.withLock { $0.append(line) } }
        listener = try Listener(
            ListenAddress("127.0.0.1:0"), identity: nil,
            handler: Gateway(store: wrap(store), identity: identity, log: log, rates: rates))
    }

    deinit { listener.stop(patience: .zero) }

    static func form() throws -> FormDefinition {
        try FormDefinition(
            id: "cold", version: "1", title: "Cold",
            sections: [
                Section(
                    name: "all", title: "All",
                    questions: [
                        Question(
                            path: "notes", label: "Notes", type: .text(multiline: true),
                            merge: "ask"),
                        Question(
                            path: "pressure", label: "Pressure", type: .decimal,
                            merge: "quarantine"),
                    ])
            ])
    }

    var logged: [String] { lines.all.withLock { $0 } }

    func connect() throws -> RawConnection { try RawConnection(port: listener.address.port) }

    static let inspection = Ground.inspection()

    // MARK: Devices

    func issueCode(
        validFor: Int64 = 3_600_000, name: String? = nil
    ) throws -> EnrollmentCode {
        let code = EnrollmentCode(
            secret: Crypto.random(EnrollmentCode.secretCount), caCertificate: Self.authority)
        _ = try store.issueCode(
            team: "north", deviceName: name, secretHash: code.secretHash, validFor: validFor)
        return code
    }

    /// A device that enrolled over HTTP.
    func enrol(_ name: String = "handheld") throws -> TestDevice {
        let answer = try WireRequest.enrol(code: try issueCode().text, name: name).send(to: self)
        guard answer.status == 201 else { throw RawConnection.Failure(description: answer.text) }
        return TestDevice(
            server: self, answer: try EnrollResponse(json: JSON.parse(answer.body)),
            node: "node-\(name)")
    }
}

/// A device as far as the wire knows it.
final class TestDevice {
    let server: TestServer
    let answer: EnrollResponse
    let node: String
    private var sequence: Int64 = 0
    /// Of the last answer that the device heard.
    var baton: String?

    init(server: TestServer, answer: EnrollResponse, node: String) {
        self.server = server
        self.answer = answer
        self.node = node
    }

    var headers: [(String, String)] {
        [("Authorization", "Bearer \(answer.token)"), ("X-Client-Node-Id", node)]
    }

    /// An answer to a question of the one inspection.
    func mutation(
        notes: String, id: String = UUIDText.version4(random: Crypto.random(16))
    ) -> Mutation {
        sequence += 1
        return Mutation(
            id: MutationID(id), sequence: sequence, table: RecordTable.inspection,
            record: TestServer.inspection, parent: ImportedID.asset("A1"), operation: .update,
            lamport: sequence,
            changes: [
                "notes": FieldChange(
                    value: .string(notes), baseValue: .null, baseVersion: 1, lamport: sequence)
            ],
            createdAtUtc: "2026-03-02T08:00:00.000Z", schemaVersion: 1)
    }

    func batch(_ mutations: [Mutation]) -> PushRequest {
        PushRequest(
            clientNodeId: NodeID(node), clientEpoch: 1, baton: baton, schemaVersion: 1,
            pullPosition: nil, mutations: mutations)
    }

    func push(_ mutations: [Mutation], key: String? = nil) -> WireRequest {
        let request = batch(mutations)
        return WireRequest(
            "POST", "/api/v1/sync/push",
            headers: headers + [("Idempotency-Key", key ?? request.idempotencyKey)],
            json: request.json.serialized())
    }

    /// Copies of so many records with so many fields each.
    func copies(records: Int, fields: Int) -> WireRequest {
        let field = WireRecord.Field(
            value: .integer(1), stamp: Stamp(lamport: 1, node: "node-x"), version: 1)
        let names = (0..<fields).map { ("q\($0)", field) }
        let request = CopyRequest(
            clientNodeId: NodeID(node), pullPosition: "1.1.1",
            records: (0..<records).map { number in
                WireRecord(
                    table: RecordTable.inspection, id: RecordID("r\(number)"), parent: nil,
                    version: 1, fields: Dictionary(uniqueKeysWithValues: names), updatedAtUtc: "")
            })
        return WireRequest(
            "POST", "/api/v1/sync/copies", headers: headers, json: request.json.serialized())
    }

    func pull(_ query: String = "") -> WireRequest {
        WireRequest("GET", "/api/v1/sync/pull" + query, headers: headers)
    }
}

/// One request of a test.
struct WireRequest {
    var method: String
    var target: String
    var headers: [(String, String)]
    var body: [UInt8]

    init(
        _ method: String, _ target: String, headers: [(String, String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// With a body that says it is JSON.
    init(
        _ method: String, _ target: String, headers: [(String, String)] = [], json: [UInt8]
    ) {
        self.init(
            method, target, headers: headers + [("Content-Type", "application/json")], body: json)
    }

    static func enrol(code: String, name: String = "handheld") -> WireRequest {
        let request = EnrollRequest(
            code: code, deviceName: name, nodeId: NodeID("node-\(name)"), publicKey: "")
        return WireRequest("POST", "/api/v1/enroll", json: request.json.serialized())
    }

    func with(_ name: String, _ value: String?) -> WireRequest {
        var copy = self
        copy.headers.removeAll { $0.0.lowercased() == name.lowercased() }
        if let value { copy.headers.append((name, value)) }
        return copy
    }

    func with(body: [UInt8]) -> WireRequest {
        var copy = self
        copy.body = body
        return copy
    }

    var bytes: [UInt8] {
        var lines = "\(method) \(target) HTTP/1.1\r\nHost: test\r\n"
        for (name, value) in headers { lines += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" { lines += "Content-Length: \(body.count)\r\n" }
        return Array((lines + "\r\n").utf8) + body
    }

    func send(to server: TestServer) throws -> RawConnection.Answer {
        try send(over: try server.connect())
    }

    func send(over connection: RawConnection) throws -> RawConnection.Answer {
        try connection.send(bytes)
        guard let answer = connection.readAnswer() else {
            throw RawConnection.Failure(description: "no answer to \(method) \(target)")
        }
        return answer
    }
}

extension RawConnection.Answer {
    /// The code of an error, nil where the body is no error.
    var errorCode: String? {
        // What is no JSON bears no code, which is what the tests then see.
        try? JSON.parse(body).object("error").string("code")
    }
}
