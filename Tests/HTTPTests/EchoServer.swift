import Dispatch
import HTTP
import Synchronization
import TestSupport

/// A listener on loopback whose handler gives back what it got, or does what the path says.
final class EchoServer: Sendable {
    final class Echo: Handler {
        let seen = Mutex<[String]>([])
        let held = Mutex<[Responder]>([])
        /// Signalled for each request.
        let arrived = DispatchSemaphore(value: 0)

        func admit(_ head: RequestHead) -> Admission {
            switch head.path {
            case "/refused": .refused(.error(401, "unauthorized", "No."))
            case "/small": .admitted(bodyLimit: 10)
            default: .admitted(bodyLimit: .max)
            }
        }

        func handle(_ request: Request, _ responder: Responder) {
            seen.withLock { $0.append(request.head.path) }
            arrived.signal()
            switch request.head.path {
            case "/later":
                DispatchQueue.global().async { responder.answer(Self.echo(request)) }
            case "/held": held.withLock { $0.append(responder) }
            default: responder.answer(Self.echo(request))
            }
        }

        static func echo(_ request: Request) -> Response {
            Response(
                status: 200, contentType: "text/plain",
                body: Array("\(request.head.method) \(request.head.path) ".utf8) + request.body)
        }
    }

    let echo = Echo()
    let listener: Listener

    init(limits: Limits = Limits(), identity: ServerIdentity? = nil) throws {
        listener = try Listener(
            ListenAddress("127.0.0.1:0"), identity: identity, limits: limits, handler: echo)
    }

    deinit { listener.stop(patience: .zero) }

    var port: UInt16 { listener.address.port }

    func connect() throws -> RawConnection { try RawConnection(port: port) }

    /// Returns once the handler has seen a further request.
    ///
    /// - Throws: when none comes within ten seconds.
    func waitForRequest() throws {
        guard echo.arrived.wait(timeout: .now() + 10) == .success else {
            throw RawConnection.Failure(description: "no request has reached the handler")
        }
    }

    func answerHeld() {
        for responder in echo.held.withLock({ $0 }) {
            responder.answer(Response(status: 200))
        }
    }

    var seen: [String] { echo.seen.withLock { $0 } }
}
