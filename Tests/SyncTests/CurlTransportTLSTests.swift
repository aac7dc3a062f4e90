import Sync
import Testing

/// The transport against a TLS server that is not ours. Without the program that is that server the
/// suite is left out on a developer's machine; in CI it fails, because a green run must mean TLS.
@Suite(
    "Transport over TLS",
    .enabled(
        if: OpenSSL.path != nil || OpenSSL.mustBeHere,
        "needs the openssl program (apt-get install openssl)"))
struct CurlTransportTLSTests {
    private let authority: TestAuthority
    private let call = WireCall(path: "/")

    init() throws {
        authority = try TestAuthority()
        try authority.sign("server")
    }

    private func send(
        to port: Int, _ trust: ServerTrust, limits: TransportLimits = TransportLimits()
    ) throws -> TransportOutcome {
        let transport = CurlTransport(
            address: try ServerAddress(parsing: "https://127.0.0.1:\(port)"), trust: trust,
            credentials: CurlTransport.Credentials(token: "t", node: "n"), limits: limits)
        return transport.send(call)
    }

    private func status(_ outcome: TransportOutcome) -> Int? {
        if case .answer(let answer) = outcome { answer.status } else { nil }
    }

    /// A well-formed pin that no key has.
    private static let strangePin = "sha256//" + String(repeating: "A", count: 43) + "="

    @Test("the primary pin lets through, and so does the backup pin")
    func pins() throws {
        let server = try OpenSSLServer(authority, certificate: "server")
        let pin = try authority.pin("server")
        for pins in [[pin, Self.strangePin], [Self.strangePin, pin]] {
            let outcome = try send(to: server.port, .pinned(pem: authority.pem, pins: pins))
            #expect(status(outcome) == 200, "\(outcome)")
        }
    }

    @Test("a key that was never delivered is refused though our authority signed it")
    func wrongPin() throws {
        let server = try OpenSSLServer(authority, certificate: "server")
        let pins = [Self.strangePin, Self.strangePin]
        let outcome = try send(to: server.port, .pinned(pem: authority.pem, pins: pins))
        #expect(outcome == .fault(.wrongPin))
    }

    @Test(
        "a pin that curl could not read, or none at all, sends nothing",
        arguments: [
            [], ["sha256//short="], ["/etc/hostname"], [strangePin, "sha1//x"], [""],
            [strangePin + ";/etc/hostname"],
        ])
    func malformedPin(pins: [String]) throws {
        let server = try OpenSSLServer(authority, certificate: "server")
        let outcome = try send(to: server.port, .pinned(pem: authority.pem, pins: pins))
        #expect(outcome == .fault(.misconfigured))
    }

    @Test("another authority's certificate is refused, even with the right pin")
    func otherAuthority() throws {
        let server = try OpenSSLServer(authority, certificate: "server")
        let other = try TestAuthority()
        let pins = [try authority.pin("server")]
        let outcome = try send(to: server.port, .pinned(pem: other.pem, pins: pins))
        #expect(outcome == .fault(.untrusted))
    }

    @Test("a certificate for another name is refused")
    func otherName() throws {
        try authority.sign("elsewhere", for: "DNS:elsewhere.example.org")
        let server = try OpenSSLServer(authority, certificate: "elsewhere")
        let pins = [try authority.pin("elsewhere")]
        let outcome = try send(to: server.port, .pinned(pem: authority.pem, pins: pins))
        #expect(outcome == .fault(.untrusted))
    }

    @Test(
        "C-21 a certificate outside its dates is told apart, and refused",
        arguments: [
            ("20200101000000Z", "20210101000000Z"), ("20980101000000Z", "20990101000000Z"),
        ])
    func outsideDates(start: String, end: String) throws {
        try authority.sign("untimely", from: start, to: end)
        let server = try OpenSSLServer(authority, certificate: "untimely")
        let outcome = try send(to: server.port, .authority(pem: authority.pem))
        #expect(outcome == .fault(.clock))
    }

    @Test("a server that knows TLS 1.2 only is not spoken to")
    func oldProtocol() throws {
        let server = try OpenSSLServer(authority, certificate: "server", protocol: "-tls1_2")
        let outcome = try send(to: server.port, .authority(pem: authority.pem))
        #expect(outcome == .fault(.handshake))
    }

    @Test("an authority that is not PEM sends nothing")
    func brokenAuthority() throws {
        let server = try OpenSSLServer(authority, certificate: "server")
        let outcome = try send(to: server.port, .authority(pem: Array("nonsense".utf8)))
        #expect(outcome == .fault(.misconfigured) || outcome == .fault(.untrusted))
    }

    @Test("without a vouched server only a call without a secret goes out")
    func unverified() throws {
        let server = try OpenSSLServer(authority, certificate: "server")
        #expect(try send(to: server.port, .anyone) == .fault(.misconfigured))
        let transport = CurlTransport(
            address: try ServerAddress(parsing: "https://127.0.0.1:\(server.port)"),
            trust: .anyone)
        let open = transport.send(WireCall(path: "/", isAuthenticated: false))
        #expect(status(open) == 200)
    }

    @Test("a peer that never shakes hands is given the connect timeout and no more")
    func noHandshake() throws {
        let server = LoopbackServer { $0.respond() }
        var limits = TransportLimits()
        limits.connectMilliseconds = 300
        let trust = ServerTrust.authority(pem: authority.pem)
        #expect(try send(to: server.port, trust, limits: limits) == .fault(.timedOut))
    }
}
