package import Replication

/// One request to the server, free of any HTTP library.
package struct WireCall: Equatable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    /// From the server's root, with its query, already percent-encoded: `/api/v1/sync/pull?limit=500`.
    package var path: String
    /// JSON, not yet compressed.
    package var body: [UInt8]?
    /// The same for every repetition of the same content.
    package var idempotencyKey: String?
    /// False only where the device has no token yet.
    package var isAuthenticated: Bool
    /// Who asks, where the device took a new node after the transport was made.
    package var node: NodeID?

    package init(
        method: Method = .get, path: String, body: [UInt8]? = nil, idempotencyKey: String? = nil,
        isAuthenticated: Bool = true
    ) {
        self.method = method
        self.path = path
        self.body = body
        self.idempotencyKey = idempotencyKey
        self.isAuthenticated = isAuthenticated
    }
}

/// What a server (or whatever stands in its place) answered.
package struct WireAnswer: Equatable, Sendable {
    package var status: Int
    /// Lower case and without parameters: `application/json`.
    package var contentType: String
    /// Seconds; nil when the header is absent.
    package var retryAfterSeconds: Int64?
    /// Unpacked.
    package var body: [UInt8]

    package init(
        status: Int, contentType: String = "application/json", retryAfterSeconds: Int64? = nil,
        body: [UInt8] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.retryAfterSeconds = retryAfterSeconds
        self.body = body
    }
}

/// Why no answer came. Whether the request arrived is unknown in all of these.
package enum TransportFault: Error, Equatable, Hashable, Sendable, CaseIterable {
    /// No route, no name, refused.
    case unreachable
    /// Connected, then cut or silent.
    case interrupted
    case timedOut
    /// TLS could not be agreed, for instance because the peer has no TLS 1.3.
    case handshake
    /// A certificate that our authority did not sign, or for another name.
    case untrusted
    /// The certificate's dates do not contain this device's idea of now.
    case clock
    /// The certificate is signed but its key is not one that was delivered at enrolment.
    case wrongPin
    /// Larger than we accept, packed or unpacked.
    case tooLarge
    /// Not HTTP, not gzip, or in an encoding that we did not ask for.
    case malformed
    case cancelled
    /// The library could not be set up; nothing was sent.
    case misconfigured

    /// Not a matter of signal: waiting mends none of these, and a person has to hear of them in
    /// other words than *offline*. Somebody may stand in between, or the device's clock is wrong.
    package var isAlarm: Bool {
        switch self {
        case .handshake, .untrusted, .clock, .wrongPin, .misconfigured: true
        case .unreachable, .interrupted, .timedOut, .tooLarge, .malformed, .cancelled: false
        }
    }
}

package enum TransportOutcome: Equatable, Sendable {
    case answer(WireAnswer)
    case fault(TransportFault)
}

/// Carries calls to the server. `send` blocks and is called from one thread at a time; `cancel` may
/// come from any thread.
package protocol Transport: Sendable {
    func send(_ call: WireCall) -> TransportOutcome
    /// The same, with work of the caller's while the answer is awaited, on the caller's thread.
    func send(_ call: WireCall, meanwhile work: () -> Void) -> TransportOutcome
    /// The cycle is over: connections close, and the next call opens a new one.
    func disconnect()
    /// The running call ends soon with `.cancelled`, and so does each later one.
    func cancel()
}

extension Transport {
    /// A transport that blocks: the work comes after the answer.
    package func send(_ call: WireCall, meanwhile work: () -> Void) -> TransportOutcome {
        let outcome = send(call)
        work()
        return outcome
    }
}
