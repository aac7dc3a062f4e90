import HTTP
import TestSupport
import Testing

/// Requests that two programs could read differently. None may reach the handler, and nothing that
/// hides behind one may be answered as a request of its own (S-8).
@Suite("Malformed requests", .timeLimit(.minutes(10)))
struct MalformedRequestTests {
    static let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"

    /// A body of chunks that holds nothing.
    static let end = "0\r\n\r\n"

    static func post(_ lines: String, version: String = "1.1", body: String = "abcd") -> String {
        "POST /a HTTP/\(version)\r\nHost: x\r\n\(lines)\r\n\r\n\(body)"
    }

    static let requests: [(name: String, bytes: String)] = [
        (
            "length and chunks",
            post("Content-Length: 4\r\nTransfer-Encoding: chunked", body: end)
        ),
        (
            "chunks and length",
            post("Transfer-Encoding: chunked\r\nContent-Length: 4", body: end)
        ),
        ("unknown transfer encoding", post("Transfer-Encoding: xchunked")),
        ("two transfer encodings", post("Transfer-Encoding: gzip, chunked", body: end)),
        ("encodings after chunked", post("Transfer-Encoding: chunked, identity", body: end)),
        (
            "transfer encoding twice",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", body: end)
        ),
        ("two lengths", post("Content-Length: 4\r\nContent-Length: 0")),
        ("the same length twice", post("Content-Length: 4\r\nContent-Length: 4")),
        ("a list of lengths", post("Content-Length: 4, 4")),
        ("negative length", post("Content-Length: -1")),
        ("signed length", post("Content-Length: +4")),
        ("length with junk", post("Content-Length: 4abc")),
        ("hexadecimal length", post("Content-Length: 0x4")),
        ("empty length", post("Content-Length: ")),
        ("length of 2^64", post("Content-Length: 18446744073709551616")),
        ("blank before the colon", post("Content-Length : 4")),
        ("name with a blank", post("Content Length: 4")),
        ("folded line", "GET /fold HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n Content-Length: 3\r\n\r\n"),
        ("folded encoding", post("X: 1\r\n\tTransfer-Encoding: chunked\r\nContent-Length: 4")),
        ("NUL in a value", "GET /nul HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n"),
        ("NUL in the path", "GET /n\0ul HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("no host", "GET /nohost HTTP/1.1\r\n\r\n"),
        ("two hosts", "GET /hosts HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        ("body in HTTP/1.0", post("Content-Length: 4", version: "1.0")),
        ("chunks in HTTP/1.0", post("Transfer-Encoding: chunked", version: "1.0")),
        ("body of a GET", "GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcd"),
        ("escape of NUL", "GET /a%00b HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("broken escape", "GET /a%zz HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("escape of no UTF-8", "GET /a%ff HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("absolute target", "GET http://y/a HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("the same query twice", "GET /a?x=1&x=2 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("huge chunk", post("Transfer-Encoding: chunked", body: "FFFFFFFFFFFFFFFFF\r\nabc")),
        ("chunk size with junk", post("Transfer-Encoding: chunked", body: "3x\r\nabc\r\n" + end)),
        ("unknown method", "FROB /a HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("tunnel", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("no version", "GET /a\r\n\r\n"),
        ("version from the future", "GET /a HTTP/9.9\r\nHost: x\r\n\r\n"),
        ("nonsense", "\u{1}\u{2}\u{3}\r\n\r\n"),
    ]

    static let names = requests.map(\.name)

    /// How a line is written: with one blank after the colon or without, and beside other lines,
    /// whose missing blanks must not make up for bytes that are hidden elsewhere.
    enum Writing: CaseIterable {
        case usual, withoutBlanks, besideOthers

        func applied(to request: String) -> String {
            switch self {
            case .usual: request
            case .withoutBlanks:
                request.replacing("Host: ", with: "Host:").replacing("X: ", with: "X:")
                    .replacing("X-A: ", with: "X-A:").replacing("Length: ", with: "Length:")
                    .replacing("Encoding: ", with: "Encoding:")
            case .besideOthers:
                request.replacing(
                    "Host: x\r\n", with: "Host:x\r\nA:1\r\nB:1\r\nC:1\r\nD:1\r\nE:1\r\n")
            }
        }
    }

    @Test("are refused, and the connection ends", arguments: names, Writing.allCases)
    func refused(name: String, writing: Writing) throws {
        let request = try #require(Self.requests.first { $0.name == name })
        let server = try EchoServer()
        let connection = try server.connect()
        try connection.send(writing.applied(to: request.bytes) + Self.hidden)
        connection.finishSending()
        var statuses: [Int] = []
        while let answer = connection.readAnswer() { statuses.append(answer.status) }
        #expect(server.seen.isEmpty, "reached the handler: \(server.seen)")
        #expect(statuses.count <= 1 && statuses.allSatisfy { (400..<600).contains($0) })
    }

    @Test(
        "a header is taken however its blanks stand",
        arguments: [
            "Host:x\r\nA:1\r\nB:1\r\nC:1\r\nD:1\r\nE:1",
            "Host:\tx\r\nA:    1\r\nEmpty:\r\nBlank:  ",
            "Host: x\r\nA: 1 \r\nB: a b\tc\t", "Host: x\r\nLatin: \u{E9}\r\nCookie: a=b; c=d",
        ])
    func blanks(lines: String) throws {
        let server = try EchoServer()
        let connection = try server.connect()
        try connection.send("\r\nGET /good?x=1&y= HTTP/1.1\r\n\(lines)\r\n\r\n")
        #expect(connection.readAnswer()?.status == 200)
        #expect(server.seen == ["/good"])
    }

    @Test(
        "bytes that belong to no line are found, whatever the others save",
        arguments: [
            "X:a\r\n b", "X:a\r\n\tb\r\nY:1", "X:a\0b", "X:a\0", "X:a\0\0", "X:\0", "X:a\nY:b",
            "X:a\n",
            "X:a\r\n \r\n",
        ])
    func stray(lines: String) throws {
        let server = try EchoServer()
        for saved in 0..<12 {
            let others = (0..<saved).map { "A\($0):1\r\n" }.joined()
            for order in ["Host:x\r\n\(others)\(lines)\r\n", "Host:x\r\n\(lines)\r\n\(others)"] {
                let connection = try server.connect()
                try connection.send("GET /stray HTTP/1.1\r\n\(order)\r\n")
                connection.finishSending()
                #expect(connection.readAnswer()?.status != 200, "\(saved) others")
                #expect(server.seen.isEmpty)
            }
        }
    }

    @Test("random damage never makes a hidden request visible", arguments: 0..<20)
    func damaged(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let server = try EchoServer(limits: SlowClientTests.limits)
        for _ in 0..<10 {
            let writing = random.pick(Writing.allCases)
            var bytes = Array(writing.applied(to: random.pick(Self.requests).bytes).utf8)
            for _ in 0...random.below(4) {
                bytes[random.below(bytes.count)] = UInt8(random.below(256))
            }
            let connection = try server.connect()
            try connection.send(bytes)
            connection.finishSending()
            _ = connection.readToEnd()
        }
        #expect(!server.seen.contains("/hidden"))
        let good = try server.connect()
        try good.send("GET /good HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(good.readAnswer()?.status == 200)
    }
}
