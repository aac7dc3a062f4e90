import Dispatch
import TestSupport
import Testing

@testable import HTTP

/// The end of a listener, with clients that do not stop (S-17).
@Suite("Stopping", .timeLimit(.minutes(10)))
struct StoppingTests {
    @Test("answers what was begun and takes nothing new")
    func drain() throws {
        let server = try EchoServer()
        let connection = try server.connect()
        try connection.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        try server.waitForRequest()
        server.listener.stop(patience: .milliseconds(20))
        let answer = try #require(connection.readAnswer())
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] != nil)
        #expect(answer.headers["connection"] == "close")
        #expect(throws: RawConnection.Failure.self) { try server.connect() }
    }

    @Test("tells late requests on open connections to come again, and ends the connections")
    func late() throws {
        let server = try EchoServer()
        let (holder, other) = (try server.connect(), try server.connect())
        try other.send("GET /early HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(other.readAnswer()?.headers["connection"] == nil)
        try server.waitForRequest()
        try holder.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        try server.waitForRequest()
        let stopping = DispatchGroup()
        DispatchQueue.global().async(group: stopping) {
            server.listener.stop(patience: .seconds(20))
        }
        // Nothing is accepted any more: from here on the listener drains.
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end, (try? server.connect()) != nil {}
        try other.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
        let late = try #require(other.readAnswer())
        #expect(late.status == 503)
        #expect(late.text.contains(#""code":"stopping""#))
        #expect(late.headers["retry-after"] != nil)
        #expect(late.headers["connection"] == "close")
        #expect(other.readToEnd().isEmpty)
        server.answerHeld()
        let begun = try #require(holder.readAnswer())
        #expect(begun.status == 200)
        #expect(begun.headers["connection"] == "close")
        #expect(stopping.wait(timeout: .now() + 10) == .success)
        #expect(!server.seen.contains("/late"))
    }

    @Test("ends while clients go on asking without a pause", arguments: ["/now", "/later"])
    func underLoad(path: String) throws {
        let server = try EchoServer()
        let port = server.port
        let clients = DispatchGroup()
        for _ in 0..<20 {
            Thread.detached(in: clients) {
                // An error is the server's end, which is what the client waits for.
                guard let connection = try? RawConnection(port: port) else { return }
                while (try? connection.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")) != nil,
                    connection.readAnswer() != nil
                {}
            }
        }
        for _ in 0..<200 { try server.waitForRequest() }
        server.listener.stop(patience: .seconds(10))
        #expect(clients.wait(timeout: .now() + 20) == .success)
    }

    @Test("hands no request over once the rest was given up")
    func abandoned() throws {
        let table = ConnectionTable(limits: Limits())
        table.opened(700)
        let responder = Responder(connection: OpaquePointer(bitPattern: 8)!)
        #expect(table.hand(700, to: responder))
        table.abandon()
        #expect(responder.answerOrSuspend()?.status == 503, "the one that was held is answered")
        table.opened(701)
        #expect(!table.hand(701, to: responder))
        #expect(!table.hand(702, to: responder), "a connection that is gone waits for nothing")
        #expect(table.isDraining)
    }
}

/// A thread for each client: the pool that `DispatchQueue.global` has is too small for clients that
/// all wait.
private enum Thread {
    static func detached(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        DispatchQueue(label: "client").async {
            body()
            group.leave()
        }
    }
}
