import Coding
import Glibc
import Sync
import Synchronization
import Testing

@Suite("Transport over HTTP")
struct CurlTransportTests {
    private func transport(
        to server: LoopbackServer, limits: TransportLimits = TransportLimits()
    ) throws -> CurlTransport {
        CurlTransport(
            address: try ServerAddress(parsing: "http://127.0.0.1:\(server.port)"),
            trust: .anyone,
            credentials: CurlTransport.Credentials(token: "token-1", node: "node-1"),
            limits: limits, nonce: { "nonce-1" })
    }

    @Test("a call carries token, node, nonce, key and a packed body")
    func request() throws {
        let server = LoopbackServer { $0.respond() }
        let call = WireCall(
            method: .post, path: "/api/v1/sync/push", body: Array(#"{"a":1}"#.utf8),
            idempotencyKey: "key-1")
        let outcome = try transport(to: server).send(call)
        #expect(outcome == .answer(WireAnswer(status: 200, body: Array("{}".utf8))))
        let request = try #require(server.requests.first)
        for line in [
            "POST /api/v1/sync/push HTTP/1.1", "Authorization: Bearer token-1",
            "X-Client-Node-Id: node-1", "X-Request-Nonce: nonce-1", "Idempotency-Key: key-1",
            "Content-Encoding: gzip", "Content-Type: application/json", "Accept-Encoding: gzip",
        ] {
            #expect(request.contains(line + "\r\n"), "\(line)")
        }
        #expect(!request.contains("Expect"))
        let body = try #require(request.firstRange(of: "\r\n\r\n")).upperBound
        let packed = request[body...].unicodeScalars.map { UInt8($0.value) }
        #expect(try Gzip.inflate(packed, limit: 100) == Array(#"{"a":1}"#.utf8))
    }

    @Test("a call before enrolment carries no secret")
    func noSecret() throws {
        let server = LoopbackServer { $0.respond() }
        _ = try transport(to: server).send(WireCall(path: "/api/v1/ca", isAuthenticated: false))
        let request = try #require(server.requests.first)
        #expect(!request.contains("token-1") && !request.contains("node-1"))
    }

    @Test("a packed answer is unpacked, and the type loses its parameters")
    func packedAnswer() throws {
        let server = LoopbackServer { connection in
            guard let body = try? Gzip.compress(Array("{\"x\":true}".utf8)) else { return }
            connection.respond(
                type: "Application/JSON; charset=utf-8",
                headers: ["Content-Encoding: gzip", "Retry-After: 7"], body: body)
        }
        let answer = WireAnswer(
            status: 200, retryAfterSeconds: 7, body: Array("{\"x\":true}".utf8))
        #expect(try transport(to: server).send(WireCall(path: "/")) == .answer(answer))
    }

    @Test("a time to wait that a proxy gives as a date is a minute, whatever the clock says")
    func dateToWait() throws {
        let server = LoopbackServer { connection in
            connection.respond(
                status: "503 Service Unavailable",
                headers: ["Retry-After: Wed, 21 Oct 2026 07:28:00 GMT"])
        }
        let answer = WireAnswer(status: 503, retryAfterSeconds: 60, body: Array("{}".utf8))
        #expect(try transport(to: server).send(WireCall(path: "/")) == .answer(answer))
    }

    @Test("T20 a captive portal's page arrives as what it is")
    func captivePortal() throws {
        let page = Array("<html>sign in</html>".utf8)
        let server = LoopbackServer { $0.respond(type: "text/html", body: page) }
        let expected = WireAnswer(status: 200, contentType: "text/html", body: page)
        #expect(try transport(to: server).send(WireCall(path: "/")) == .answer(expected))
    }

    @Test("a redirect is an answer, and nobody follows it")
    func redirect() throws {
        let elsewhere = LoopbackServer { $0.respond() }
        let target = "http://127.0.0.1:\(elsewhere.port)/"
        let server = LoopbackServer {
            $0.respond(status: "302 Found", headers: ["Location: \(target)"])
        }
        let outcome = try transport(to: server).send(WireCall(path: "/"))
        #expect(outcome == .answer(WireAnswer(status: 302, body: Array("{}".utf8))))
        #expect(elsewhere.requests.isEmpty)
    }

    @Test("an endless body is cut at the limit")
    func hugeBody() throws {
        let server = LoopbackServer { connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            let chunk = [UInt8](repeating: 0x20, count: 1 << 16)
            var sent = 0
            while sent < 100 << 20, connection.write(chunk) { sent += chunk.count }
        }
        var limits = TransportLimits()
        limits.packedBytes = 1 << 20
        let outcome = try transport(to: server, limits: limits).send(WireCall(path: "/"))
        #expect(outcome == .fault(.tooLarge))
    }

    @Test("a small body that unpacks to too much is cut at the limit")
    func bomb() throws {
        let server = LoopbackServer { connection in
            let zeros = [UInt8](repeating: 0, count: 4 << 20)
            guard let body = try? Gzip.compress(zeros) else { return }
            connection.respond(headers: ["Content-Encoding: gzip"], body: body)
        }
        var limits = TransportLimits()
        limits.unpackedBytes = 1 << 20
        let outcome = try transport(to: server, limits: limits).send(WireCall(path: "/"))
        #expect(outcome == .fault(.tooLarge))
    }

    @Test("gzip that is cut short, or an encoding that was not asked for, is malformed")
    func damagedEncoding() throws {
        let cut = LoopbackServer { connection in
            guard let body = try? Gzip.compress(Array("{}".utf8)) else { return }
            connection.respond(
                headers: ["Content-Encoding: gzip"], body: Array(body.dropLast(4)))
        }
        #expect(try transport(to: cut).send(WireCall(path: "/")) == .fault(.malformed))
        let other = LoopbackServer { $0.respond(headers: ["Content-Encoding: br"]) }
        #expect(try transport(to: other).send(WireCall(path: "/")) == .fault(.malformed))
    }

    @Test("a body that drips a byte a second is as dead as a silent one")
    func drip() throws {
        let server = LoopbackServer { connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while connection.write(" ") { usleep(200_000) }
        }
        var limits = TransportLimits()
        limits.stallSeconds = 2
        limits.totalMilliseconds = 20_000
        let outcome = try transport(to: server, limits: limits).send(WireCall(path: "/"))
        #expect(outcome == .fault(.timedOut))
    }

    @Test("T07 a connection on which nothing moves is cut")
    func silence() throws {
        let server = LoopbackServer { $0.waitForClose() }
        var limits = TransportLimits()
        limits.stallSeconds = 1
        let outcome = try transport(to: server, limits: limits).send(WireCall(path: "/"))
        #expect(outcome == .fault(.timedOut))
    }

    @Test("a body cut short and an answer that is not HTTP are no answers")
    func cut() throws {
        let short = LoopbackServer {
            $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}")
        }
        #expect(try transport(to: short).send(WireCall(path: "/")) == .fault(.interrupted))
        let other = LoopbackServer { $0.write("220 mail.example.org ESMTP\r\n") }
        let outcome = try transport(to: other).send(WireCall(path: "/"))
        #expect(outcome == .fault(.malformed) || outcome == .fault(.interrupted))
    }

    @Test("nobody listening is unreachable, and says so at once")
    func refused() throws {
        var server: LoopbackServer? = LoopbackServer { $0.respond() }
        let transport = try transport(to: #require(server))
        server = nil
        #expect(transport.send(WireCall(path: "/")) == .fault(.unreachable))
    }

    @Test("proxies named in the environment are ignored")
    func proxies() throws {
        let proxy = LoopbackServer { $0.respond(status: "502 Bad Gateway") }
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        for name in names { setenv(name, "http://127.0.0.1:\(proxy.port)", 1) }
        defer { for name in names { unsetenv(name) } }
        let server = LoopbackServer { $0.respond() }
        let outcome = try transport(to: server).send(WireCall(path: "/"))
        #expect(outcome == .answer(WireAnswer(status: 200, body: Array("{}".utf8))))
        #expect(proxy.requests.isEmpty)
    }

    @Test("a line break in a credential cannot become a header")
    func smuggling() throws {
        let server = LoopbackServer { $0.respond() }
        let transport = CurlTransport(
            address: try ServerAddress(parsing: "http://127.0.0.1:\(server.port)"),
            trust: .anyone,
            credentials: CurlTransport.Credentials(token: "a\r\nX-Admin: 1", node: "n"))
        #expect(transport.send(WireCall(path: "/")) == .fault(.misconfigured))
        #expect(server.requests.isEmpty)
    }

    @Test("a running call ends soon when another thread cancels, and later ones do not begin")
    func cancel() throws {
        let canceller = Canceller()
        let server = LoopbackServer {
            canceller.cancel()
            $0.waitForClose()
        }
        // The call ends by being cancelled and in no other way, however slow the machine is.
        var limits = TransportLimits()
        limits.connectMilliseconds = 300_000
        limits.stallSeconds = 300
        let transport = try transport(to: server, limits: limits)
        canceller.watch(transport)
        #expect(transport.send(WireCall(path: "/")) == .fault(.cancelled))
        #expect(transport.send(WireCall(path: "/")) == .fault(.cancelled))
        #expect(server.requests.count == 1)
    }

    /// Cancels from the server's thread, when the call is known to run.
    private final class Canceller: Sendable {
        private let transport = Mutex<CurlTransport?>(nil)

        func watch(_ running: CurlTransport) { transport.withLock { $0 = running } }

        func cancel() { transport.withLock { $0 }?.cancel() }
    }
}
