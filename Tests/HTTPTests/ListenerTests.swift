import HTTP
import TestSupport
import Testing

@Suite("A listener", .timeLimit(.minutes(10)))
struct ListenerTests {
    @Test("requests on one connection are answered in turn, at once or later")
    func keepAlive() throws {
        let server = try EchoServer()
        let connection = try server.connect()
        for path in ["/a", "/later", "/b"] {
            try connection.send("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
            let answer = try #require(connection.readAnswer())
            #expect(answer.status == 200)
            #expect(answer.text == "POST \(path) abc")
            #expect(answer.headers["cache-control"] == "no-store")
        }
    }

    @Test("a chunked body arrives whole")
    func chunked() throws {
        let server = try EchoServer()
        let connection = try server.connect()
        try connection.send(
            "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        #expect(connection.readAnswer()?.text == "POST /c abcde")
    }

    @Test("a refusal by the head reads the body away and keeps the connection")
    func refusedByHead() throws {
        let server = try EchoServer()
        let connection = try server.connect()
        try connection.send("POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
        #expect(connection.readAnswer()?.status == 401)
        try connection.send("GET /after HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(connection.readAnswer()?.status == 200)
        #expect(server.seen == ["/after"])
    }

    @Test("a body is taken up to its limit and not a byte further", arguments: [false, true])
    func bodyLimit(chunked: Bool) throws {
        var limits = Limits()
        limits.body = 1000
        let server = try EchoServer(limits: limits)
        for (count, status) in [(999, 200), (1000, 200), (1001, 413), (3500, 413)] {
            let connection = try server.connect()
            let body = String(repeating: "a", count: count)
            let framing =
                chunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count)"
            let sent = chunked ? "\(String(count, radix: 16))\r\n\(body)\r\n0\r\n\r\n" : body
            try connection.send("POST /x HTTP/1.1\r\nHost: x\r\n\(framing)\r\n\r\n\(sent)")
            let answer = try #require(connection.readAnswer())
            #expect(answer.status == status, "\(count) bytes")
            if status == 413 { #expect(answer.text.contains(#""code":"body_too_large""#)) }
        }
        #expect(server.seen == ["/x", "/x"])
    }

    @Test("the handler's own limit for a body holds too")
    func ownBodyLimit() throws {
        let server = try EchoServer()
        for (count, status) in [(10, 200), (11, 413)] {
            let connection = try server.connect()
            let body = String(repeating: "a", count: count)
            try connection.send(
                "POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: \(count)\r\n\r\n\(body)")
            #expect(connection.readAnswer()?.status == status)
        }
    }

    @Test("a length far over the limit is answered without reading it")
    func hugeLength() throws {
        let server = try EchoServer()
        let connection = try server.connect()
        try connection.send(
            "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\nabc")
        let answer = try #require(connection.readAnswer())
        #expect(answer.status == 413)
        #expect(connection.readToEnd().isEmpty)
    }

    @Test("a header is taken up to its limit and not a byte further")
    func headerLimit() throws {
        let server = try EchoServer()
        let start = "GET /h HTTP/1.1\r\nHost: x\r\nX-Pad: "
        let rest = (16 << 10) - start.utf8.count - 4
        for (pad, status) in [(rest - 1, 200), (rest, 200), (rest + 1, 431), (rest + 9000, 431)] {
            let connection = try server.connect()
            try connection.send(start + String(repeating: "p", count: pad) + "\r\n\r\n")
            #expect(connection.readAnswer()?.status == status, "\(pad - rest) over")
        }
    }

    @Test("bodies beyond the memory set aside for them are answered 503 with Retry-After")
    func bodiesInMemory() throws {
        var limits = Limits()
        limits.bodiesInMemory = 1500
        let server = try EchoServer(limits: limits)
        let holder = try server.connect()
        let post = "HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
        let body = String(repeating: "a", count: 1000)
        try holder.send("POST /held " + post + body)
        let other = try server.connect()
        try server.waitForRequest()
        try other.send("POST /x " + post + body)
        let refused = try #require(other.readAnswer())
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] != nil)
        server.answerHeld()
        #expect(holder.readAnswer()?.status == 200)
        // The memory is free when the answer has gone, a moment after it came.
        var status: Int?
        for _ in 1...1000 where status != 200 {
            try other.send("POST /x " + post + body)
            status = other.readAnswer()?.status
        }
        #expect(status == 200)
    }

    @Test("plain HTTP is refused on an address that others can reach")
    func loopbackOnly() throws {
        let address = try ListenAddress("0.0.0.0:0")
        #expect(throws: HTTPError.self) {
            try Listener(address, identity: nil, handler: EchoServer.Echo())
        }
    }

    @Test("a port in use is said in words")
    func portInUse() throws {
        let server = try EchoServer()
        #expect {
            _ = try Listener(server.listener.address, identity: nil, handler: server.echo)
        } throws: { error in
            "\(error)".contains("Address already in use")
        }
    }
}
