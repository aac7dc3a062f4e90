import Coding
import Crypto
import HTTP
import Replication
import ServerStore

/// What stands between the listener and the store: who may come, what they may send, and which
/// status says what.
final class Gateway: Handler {
    /// What the server tells a device about itself at enrolment.
    struct Identity: Sendable {
        /// The authority's certificate as PEM; empty on plain HTTP without certificates.
        var authority: String
        /// First bytes of the SHA-256 of the authority's DER, as enrolment codes carry them.
        var fingerprint: [UInt8]
        /// The server's key and the backup key, `sha256//…`.
        var pins: [String]

        init(authority: String, fingerprint: [UInt8], pins: [String]) {
            self.authority = authority
            self.fingerprint = fingerprint
            self.pins = pins
        }
    }

    let store: any Store
    let identity: Identity
    let log: Log
    let deviceRate: RateLimiter
    let enrolmentRate: RateLimiter
    private let work: WorkQueue

    init(
        store: any Store, identity: Identity, log: Log, rates: Rates = Rates()
    ) {
        self.store = store
        self.identity = identity
        self.log = log
        deviceRate = RateLimiter(rates.device)
        enrolmentRate = RateLimiter(rates.failedEnrolment)
        work = WorkQueue(width: rates.threads, limit: rates.waitingRequests)
    }

    // MARK: Before the body

    func admit(_ head: RequestHead) -> Admission {
        do {
            let (route, _) = try Routes.find(method: head.method, path: head.path)
            guard case .json(let limit) = route.body else { return .admitted(bodyLimit: 0) }
            try ContentRules.check(head)
            // A stranger's body is not even kept: the memory for bodies belongs to devices.
            if case .device = route.access { _ = try authenticate(head) }
            return .admitted(bodyLimit: limit)
        } catch {
            return .refused(refuse(error, head))
        }
    }

    // MARK: The whole request

    func handle(_ request: Request, _ responder: Responder) {
        let began = ContinuousClock.now
        let taken = work.submit { [self] in
            perform(request) { [self] result in
                let response = response(to: request.head, result)
                log.request(request, response, since: began)
                responder.answer(response)
            }
        }
        if !taken { responder.answer(refuse(Refusal.overloaded, request.head)) }
    }

    private func perform(
        _ request: Request, _ done: @escaping @Sendable (Result<Response, any Error>) -> Void
    ) {
        do {
            let (route, segments) = try Routes.find(
                method: request.head.method, path: request.head.path)
            let device = try admitted(request.head, to: route)
            let body = try ContentRules.unpacked(request, limit: route.body.unpackedLimit)
            let call = Call(head: request.head, segments: segments, device: device, body: body)
            switch route.action {
            case .now(let endpoint): done(.success(try endpoint(self, call)))
            case .later(let endpoint):
                try endpoint(self, call) { [work] result in
                    // Packing the answer is not the business of the store's queue.
                    work.continue { done(result) }
                }
            }
        } catch {
            done(.failure(error))
        }
    }

    /// Whom the route lets in: nil where anyone may come.
    private func admitted(_ head: RequestHead, to route: Route) throws -> Device? {
        guard case .device = route.access else { return nil }
        let device = try authenticate(head)
        if let wait = deviceRate.take(device.id) { throw Refusal.tooMany(retryAfter: wait) }
        return device
    }

    /// Asked of the store at each request, so that a revocation counts from the next one on, also
    /// on a connection that stays open.
    private func authenticate(_ head: RequestHead) throws -> Device {
        guard let token = BearerToken(head["authorization"]),
            let device = try store.device(
                tokenHash: token.hash, node: head["x-client-node-id"].map { NodeID($0) })
        else { throw Refusal.unauthorized }
        guard device.state == .active else { throw Refusal.revoked }
        return device
    }

    // MARK: Answers

    private func response(
        to head: RequestHead, _ result: Result<Response, any Error>
    ) -> Response {
        switch result {
        case .success(let response): ContentRules.packed(response, for: head)
        case .failure(let error): refuse(error, head)
        }
    }

    private func refuse(_ error: any Error, _ head: RequestHead) -> Response {
        let refusal = Refusal(error)
        if refusal.status >= 500 { log.fault(error, head) }
        return refusal.response
    }
}
