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
        caPem: String = pem, pins: [String] = [pin, pin]
    ) -> TransportOutcome {
        let response = EnrollResponse(
            deviceId: "d1", token: "secret", team: "north", caPem: caPem, pins: pins,
            serverEpoch: 1)
        return .answer(WireAnswer(status: 201, body: response.json.serialized()))
    }

    private func enrol(_ server: Server, authority: [UInt8]? = nil) throws -> EnrollResponse {
        let address = try ServerAddress(parsing: "https://127.0.0.1:8443")
        return try Enrolment(at: address, with: code, connect: server.connect).enrol(
            name: "handheld 7", node: NodeID("n1"), publicKey: [1, 2, 3], authority: authority)
    }

    @Test("the authority is fetched without a secret, the code is sent to it alone")
    func order() throws {
        let server = Server(enrolment: Self.welcome())
        #expect(try enrol(server).token == "secret")
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

    @Test("each refusal has its own words")
    func refusals() throws {
        let failure = WireFailure(error: WireError(code: "x", message: "the team is full"))
        for (status, code) in [
            (409, SyncError.Code.codeUsed), (410, .codeExpired), (403, .refused), (400, .refused),
            (429, .refused), (500, .refused),
        ] {
            let answer = WireAnswer(status: status, body: failure.json.serialized())
            #expect { try enrol(Server(enrolment: .answer(answer))) } throws: {
                ($0 as? SyncError)?.code == code
            }
        }
        #expect { try enrol(Server(enrolment: .fault(.unreachable))) } throws: {
            ($0 as? SyncError)?.code == .unreachable
        }
    }

    @Test("an answer that would lock the device out later is refused now")
    func unusable() {
        for answer in [
            Self.welcome(caPem: Self.pem([7])), Self.welcome(pins: []),
            Self.welcome(pins: ["sha256//x"]),
        ] {
            #expect(throws: SyncError.self) { try enrol(Server(enrolment: answer)) }
        }
    }
}

extension ServerTrust {
    fileprivate var isAuthority: Bool {
        if case .authority = self { true } else { false }
    }
}
