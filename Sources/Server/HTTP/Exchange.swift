import CMicrohttpd

/// One request on its way through the library's callbacks.
///
/// Used only on the thread of its connection (a suspended connection has no callbacks).
final class Exchange {
    enum Step {
        /// Header not judged yet.
        case header
        /// Body bytes are kept.
        case keeping
        /// Refused: body bytes are read and dropped, then the answer goes out.
        case dropping(Response)
        case handling(Responder)
        case answered
    }

    let target: String
    let socket: Int32
    var step = Step.header
    var head: RequestHead?
    var body: [UInt8] = []
    var received = 0
    var bodyLimit = 0
    /// What of the shared memory for bodies this exchange holds.
    var taken = 0

    init(target: String, socket: Int32) {
        self.target = target
        self.socket = socket
    }
}

/// What the callback has to tell the library.
enum Verdict {
    case goOn
    case answer(Response)
    case cut
}

/// The course of a request, as decisions about an `Exchange`; the calls into the library stand in
/// `Callbacks`.
struct Course {
    let limits: Limits
    let table: ConnectionTable
    let handler: any Handler

    /// All lines of the header are here.
    func judge(_ exchange: Exchange, _ framing: Framing, peer: String) -> Verdict {
        if let refusal = framing.refusal(limits: limits) { return .answer(refusal) }
        if table.isDraining { return .answer(.stopping) }
        guard let target = RequestTarget(exchange.target) else {
            return .answer(.error(400, "bad_target", "The path cannot be read.", closes: true))
        }
        let head = RequestHead(
            method: framing.method, path: target.path, query: target.query,
            headers: framing.headers, peer: peer)
        exchange.head = head
        if let refusal = refusal(of: head, framing.body, exchange) {
            if case .length(limits.discarded...) = framing.body { return .answer(refusal.closing) }
            exchange.step = .dropping(refusal)
        } else {
            exchange.step = .keeping
        }
        table.moved(exchange.socket, to: .readingBody(received: 0))
        return .goOn
    }

    /// More of the body is here.
    func receive(_ exchange: Exchange, _ bytes: UnsafeRawBufferPointer) -> Verdict {
        exchange.received += bytes.count
        table.moved(exchange.socket, to: .readingBody(received: exchange.received))
        switch exchange.step {
        case .keeping where exchange.received > exchange.bodyLimit:
            drop(exchange, Self.bodyTooLarge)
        case .keeping where !table.take(bytes.count):
            drop(
                exchange,
                .error(503, "overloaded", "The server is busy; try again.")
                    .with("Retry-After", "2"))
        case .keeping:
            exchange.taken += bytes.count
            exchange.body.append(contentsOf: bytes)
        default: break
        }
        return exchange.received > limits.discarded ? .cut : .goOn
    }

    /// The body is complete, or the suspended connection goes on.
    func finish(_ exchange: Exchange) -> Verdict {
        switch exchange.step {
        case .dropping(let response): return .answer(response)
        case .handling(let responder):
            return responder.answerOrSuspend().map(Verdict.answer) ?? .goOn
        case .header, .answered: return .cut
        case .keeping: return .goOn
        }
    }

    func hand(_ exchange: Exchange, to responder: Responder) -> Verdict {
        guard let head = exchange.head else { return .cut }
        guard table.hand(exchange.socket, to: responder) else { return .answer(.stopping) }
        exchange.step = .handling(responder)
        let request = Request(head: head, body: exchange.body)
        exchange.body = []
        handler.handle(request, responder)
        return finish(exchange)
    }

    func end(_ exchange: Exchange) {
        table.giveBack(exchange.taken)
        exchange.taken = 0
        table.moved(exchange.socket, to: .waiting)
    }

    private func drop(_ exchange: Exchange, _ response: Response) {
        exchange.step = .dropping(response)
        exchange.body = []
        table.giveBack(exchange.taken)
        exchange.taken = 0
    }

    private func refusal(
        of head: RequestHead, _ body: Framing.Body, _ exchange: Exchange
    ) -> Response? {
        switch handler.admit(head) {
        case .refused(let response): return response
        case .admitted(let limit):
            exchange.bodyLimit = min(limit, limits.body)
            guard case .length(let length) = body else { return nil }
            guard length <= exchange.bodyLimit else { return Self.bodyTooLarge }
            // Growing by doubling would take up to twice the body; room that is never written to
            // takes no memory.
            exchange.body.reserveCapacity(length)
            return nil
        }
    }

    private static let bodyTooLarge = Response.error(
        413, "body_too_large", "The body is larger than the server takes.")
}
