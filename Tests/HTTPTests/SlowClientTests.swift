import HTTP
import TestSupport
import Testing

/// Clients that hold a connection by being slow (S-9). The deadlines are absolute: a byte now and
/// then does not move them. Times are shortened, so that the tests are quick.
@Suite("Slow clients", .timeLimit(.minutes(10)))
struct SlowClientTests {
    static let limits: Limits = {
        var limits = Limits()
        limits.headerTime = .milliseconds(300)
        limits.idleTime = .milliseconds(400)
        limits.transferTime = .milliseconds(300)
        return limits
    }()

    /// Sends a byte every 50 ms until the server cuts the connection.
    private func drip(_ connection: RawConnection) -> Duration {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(20),
            connection.isOpen(after: .milliseconds(50))
        {
            // A failed send is what the test waits for; `isOpen` sees it next.
            try? connection.send("a")
        }
        return ContinuousClock.now - start
    }

    @Test("a header that drips is cut at its deadline")
    func header() throws {
        let server = try EchoServer(limits: Self.limits)
        let connection = try server.connect()
        try connection.send("GET / HTTP/1.1\r\nHost: x\r\nX: ")
        #expect(drip(connection) < .seconds(5))
    }

    @Test("a body that drips is cut at its deadline, whatever length it promised")
    func body() throws {
        let server = try EchoServer(limits: Self.limits)
        let connection = try server.connect()
        try connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
        #expect(drip(connection) < .seconds(5))
        #expect(server.seen.isEmpty)
    }

    @Test("a connection that says nothing is cut")
    func silence() throws {
        let server = try EchoServer(limits: Self.limits)
        let connection = try server.connect()
        #expect(connection.readToEnd().isEmpty)
    }

    @Test("a connection between requests is cut after its idle time")
    func idle() throws {
        let server = try EchoServer(limits: Self.limits)
        let connection = try server.connect()
        try connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(connection.readAnswer()?.status == 200)
        #expect(connection.readToEnd().isEmpty)
    }

    @Test("an answer that the program owes has no deadline")
    func owed() throws {
        let server = try EchoServer(limits: Self.limits)
        let connection = try server.connect()
        try connection.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(connection.isOpen(after: .milliseconds(900)))
        server.answerHeld()
        #expect(connection.readAnswer()?.status == 200)
    }
}
