import Coding
import Crypto
import Replication
import Sync
import Synchronization
import Testing

@Suite("Enrolment")
struct EnrolmentTests {
    /// Any bytes do: what counts is that the fingerprint is of these.
    private static let authority: [UInt8] = Array("an authority's certificate".utf8)
    private static let pem = pem(authority)
    private static let pin = "sha256//" + String(repeating: "A", count: 43) + "="
    private static let reserve = "sha256//" + String(repeating: "B", count: 43) + "="
    private static let token = String(repeating: "5ec2e7", count: 8)
    private static let deviceId = "0f5cc0a1-7f5e-4b0a-9d7c-2f3f5a1c9b11"
    private let code = EnrollmentCode(secret: Array(1...16), caCertificate: authority)

    private static func pem(_ der: [UInt8]) -> String {
        "-----BEGIN CERTIFICATE-----\n\(Base64.encode(der))\n-----END CERTIFICATE-----\n"
    }

    /// Answers from a table, and remembers what was asked under which trust.
    private final class Server: Sendable {
        let asked = Mutex<[(trust: ServerTrust, call: WireCall)]>([])
        let certificate: String
        let enrolment: TransportOutcome

        init(certificate: String = pem, enrolment: TransportOutcome) {
            self.certificate = certificate
            self.enrolment = enrolment
        }

        func connect(_ trust: ServerTrust) -> any Transport { Line(server: self, trust: trust) }
    }

    private struct Line: Transport {
        let server: Server
        let trust: ServerTrust

        func send(_ call: WireCall) -> TransportOutcome {
            server.asked.withLock { $0.append((trust, call)) }
            guard call.path == "/api/v1/ca" else { return server.enrolment }
            return .answer(
                WireAnswer(
                    status: 200, contentType: "application/x-pem-file",
                    body: Array(server.certificate.utf8)))
        }

        func disconnect() {}
        func cancel() {}
    }

    private static func welcome(
        caPem: String = pem, pins: [String] = [pin, reserve], token: String = token,
        deviceId: String = deviceId
    ) -> TransportOutcome {
        let response = EnrollResponse(
            deviceId: deviceId, token: token, team: "north", caPem: caPem, pins: pins,
            serverEpoch: 1)
        return .answer(WireAnswer(status: 201, body: response.json.serialized()))
    }

    private func enrol(
        _ server: Server, at address: String = "https://127.0.0.1:8443", authority: [UInt8]? = nil
    ) throws -> EnrollResponse {
        let address = try ServerAddress(parsing: address)
        return try Enrolment(at: address, with: code, connect: server.connect).enrol(
            name: "handheld 7", node: NodeID("n1"), publicKey: [1, 2, 3], authority: authority)
    }

    @Test("the authority is fetched without a secret, the code is sent to it alone")
    func order() throws {
        let server = Server(enrolment: Self.welcome())
        #expect(try enrol(server).token == Self.token)
        let asked = server.asked.withLock { $0 }
        #expect(asked.map(\.call.path) == ["/api/v1/ca", "/api/v1/enroll"])
        #expect(asked[0].trust == .anyone && asked[0].call.body == nil)
        #expect(asked[1].trust.isAuthority)
        #expect(asked.allSatisfy { !$0.call.isAuthenticated })
        let sent = try EnrollRequest(json: JSON.parse(asked[1].call.body ?? []))
        #expect(sent.code == code.text && sent.nodeId == NodeID("n1"))
    }

    @Test("a file saves the fetch, and is compared all the same")
    func file() throws {
        let server = Server(enrolment: Self.welcome())
        _ = try enrol(server, authority: Array(Self.pem.utf8))
        #expect(server.asked.withLock { $0.map(\.call.path) } == ["/api/v1/enroll"])
        #expect(throws: SyncError.self) {
            try enrol(server, authority: Array(Self.pem([9, 9]).utf8))
        }
        #expect(server.asked.withLock { $0.count } == 1)
    }

    @Test(
        "another server, or one that slips in a second authority, never sees the code",
        arguments: [
            pem([1, 2, 3]), pem(authority) + pem([1, 2, 3]), pem([1, 2, 3]) + pem(authority), "",
            "<html>sign in</html>", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----",
        ])
    func wrongServer(certificate: String) {
        let server = Server(certificate: certificate, enrolment: Self.welcome())
        #expect(throws: SyncError.self) { try enrol(server) }
        #expect(server.asked.withLock { $0.count } == 1)
    }

    @Test(
        "what our server refuses is final, unless it says to come again",
        arguments: [
            (401, "code_unknown", SyncError.Code.refused), (409, "code_used", .codeUsed),
            (409, "node_taken", .refused), (409, "other_team", .otherTeam),
            (410, "code_expired", .codeExpired),
            (400, "bad_code", .refused), (403, "x", .refused), (408, "x", .unreachable),
            (429, "too_many", .unreachable), (500, "internal", .unreachable),
            (503, "overloaded", .unreachable),
        ])
    func refusals(status: Int, word: String, code: SyncError.Code) throws {
        let failure = WireFailure(error: WireError(code: word, message: "the team is full"))
        let answer = WireAnswer(status: status, body: failure.json.serialized())
        #expect { try enrol(Server(enrolment: .answer(answer))) } throws: {
            ($0 as? SyncError)?.code == code
        }
    }

    @Test(
        "what is not our server's answer says nothing of the code: try again elsewhere",
        arguments: [200, 302, 307, 401, 403, 404, 409, 410, 502])
    func captivePortal(status: Int) {
        let page = WireAnswer(
            status: status, contentType: "text/html", body: Array("<html>sign in</html>".utf8))
        #expect { try enrol(Server(enrolment: .answer(page))) } throws: {
            ($0 as? SyncError)?.code == .unreachable
        }
    }

    @Test("no answer at all is unreachable", arguments: TransportFault.allCases)
    func faults(fault: TransportFault) {
        #expect { try enrol(Server(enrolment: .fault(fault))) } throws: {
            ($0 as? SyncError)?.code == .unreachable
        }
    }

    @Test("an answer that would lock the device out later is refused now")
    func unusable() {
        for answer in [
            Self.welcome(caPem: Self.pem([7])), Self.welcome(pins: []),
            Self.welcome(pins: ["sha256//x"]), Self.welcome(pins: [Self.pin]),
            Self.welcome(pins: [Self.pin, Self.pin]), Self.welcome(token: "short"),
            Self.welcome(token: Self.token + "\r\nX-Admin: 1"),
            Self.welcome(token: Self.token + "é"),
            Self.welcome(token: String(repeating: "a", count: 257)),
            Self.welcome(deviceId: "d1"), Self.welcome(deviceId: "../../../../etc"),
        ] {
            #expect(throws: SyncError.self) { try enrol(Server(enrolment: answer)) }
        }
    }

    @Test("plain HTTP on loopback has no keys to pin")
    func plain() throws {
        let server = Server(enrolment: Self.welcome(pins: []))
        #expect(try enrol(server, at: "http://127.0.0.1:8080").token == Self.token)
    }
}

extension ServerTrust {
    fileprivate var isAuthority: Bool {
        if case .authority = self { true } else { false }
    }
}
