import HTTP
import TestSupport
import Testing

@Suite("Certificates")
struct CertificateTests {
    static let now: Int64 = 1_772_438_400

    @Test("an authority and its server survive being written and read")
    func roundTrip() throws {
        let key = try PrivateKey()
        let authority = try Certificate(authority: "Walkdown CA", key: key, now: Self.now)
        let again = try Certificate(pem: authority.pem())
        #expect(try again.der() == authority.der())
        #expect(try PrivateKey(pem: key.pem()).pin() == key.pin())
    }

    @Test("a pin is sha256// and 44 digits of base64, another for each key")
    func pins() throws {
        let first = try PrivateKey().pin()
        #expect(first.hasPrefix("sha256//"))
        #expect(first.utf8.count == 8 + 44)
        #expect(try PrivateKey().pin() != first)
    }

    @Test("a certificate tells its key, its signer and its time")
    func looking() throws {
        let (key, other, serverKey) = (try PrivateKey(), try PrivateKey(), try PrivateKey())
        let authority = try Certificate(authority: "Walkdown CA", key: key, now: Self.now)
        let stranger = try Certificate(authority: "Walkdown CA", key: other, now: Self.now)
        let server = try Certificate(
            server: ["localhost"], key: serverKey, issuer: authority, issuerKey: key, now: Self.now)
        #expect(try server.pin() == serverKey.pin())
        #expect(try authority.pin() == key.pin())
        #expect(server.isSigned(by: authority))
        #expect(!server.isSigned(by: stranger))
        #expect(server.begins < Self.now && server.expires > Self.now)
        #expect(authority.expires > server.expires)
    }

    @Test("a listener starts with a certificate for names and addresses")
    func listens() throws {
        let identity = try Self.identity(["localhost", "127.0.0.1", "::1", "field.example.org"])
        let server = try EchoServer(identity: identity)
        #expect(server.port > 0)
        let plain = try server.connect()
        try plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(plain.readAnswer() == nil, "plain HTTP is not answered on a TLS port")
    }

    @Test(
        "a host that is no name is refused in words",
        arguments: ["", "a b", "-a", "a..b", "127.0.0.1:8443", "https://x", "x\0y"])
    func badHosts(host: String) throws {
        #expect(throws: HTTPError.self) { try Self.identity([host]) }
    }

    @Test("what is no PEM is refused", arguments: ["", "hello", "-----BEGIN CERTIFICATE-----\n"])
    func badPEM(text: String) {
        #expect(throws: HTTPError.self) { try Certificate(pem: text) }
        #expect(throws: HTTPError.self) { try PrivateKey(pem: text) }
    }

    static func identity(_ hosts: [String]) throws -> ServerIdentity {
        let key = try PrivateKey()
        let authority = try Certificate(authority: "Walkdown CA", key: key, now: now)
        let serverKey = try PrivateKey()
        let server = try Certificate(
            server: hosts, key: serverKey, issuer: authority, issuerKey: key, now: now)
        return ServerIdentity(certificate: try server.pem(), key: try serverKey.pem())
    }
}
