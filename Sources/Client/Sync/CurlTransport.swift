internal import Coding
internal import Crypto
internal import Dispatch
internal import Replication
internal import Synchronization

/// The wire over libcurl: TLS 1.3, pins, no redirects, no proxies, gzip both ways, everything
/// bounded.
///
/// `@unchecked Sendable`: `handle` is touched only by `send` and `disconnect`, which one thread at
/// a time calls (the worker's queue, or for it `line`, whose end it awaits); `stop` is atomic.
package final class CurlTransport: Transport, @unchecked Sendable {
    /// What shows the server who asks.
    package struct Credentials: Sendable {
        package var token: String
        package var node: String

        package init(token: String, node: String) {
            self.token = token
            self.node = node
        }
    }

    private let address: ServerAddress
    private let trust: ServerTrust
    private let credentials: Credentials?
    private let limits: TransportLimits
    private let nonce: @Sendable () -> String
    private let stop = Atomic<Bool>(false)
    private var handle: CurlHandle?
    private let line = DispatchQueue(label: "walkdown.line", qos: .utility)

    package init(
        address: ServerAddress, trust: ServerTrust, credentials: Credentials? = nil,
        limits: TransportLimits = TransportLimits(),
        nonce: @escaping @Sendable () -> String = { Hexadecimal.encode(Crypto.random(16)) }
    ) {
        self.address = address
        self.trust = trust
        self.credentials = credentials
        self.limits = limits
        self.nonce = nonce
    }

    package func send(_ call: WireCall) -> TransportOutcome {
        guard !stop.load(ordering: .acquiring) else { return .fault(.cancelled) }
        do throws(TransportFault) {
            return .answer(try exchange(call))
        } catch {
            // After a fault the connection's state is unknown: the next call begins a new one.
            handle = nil
            return .fault(error)
        }
    }

    /// The outcome of a call that another thread awaits.
    private final class Flight: Sendable {
        let outcome = Mutex<TransportOutcome?>(nil)
        let hasLanded = DispatchSemaphore(value: 0)
    }

    package func send(_ call: WireCall, meanwhile work: () -> Void) -> TransportOutcome {
        let flight = Flight()
        line.async { [self] in
            let outcome = send(call)
            flight.outcome.withLock { $0 = outcome }
            flight.hasLanded.signal()
        }
        work()
        flight.hasLanded.wait()
        return flight.outcome.withLock { $0 } ?? .fault(.cancelled)
    }

    package func disconnect() {
        handle = nil
    }

    package func cancel() {
        stop.store(true, ordering: .releasing)
    }

    private func exchange(_ call: WireCall) throws(TransportFault) -> WireAnswer {
        let packed = try call.body.map(pack)
        let exchange = CurlExchange(limit: limits.packedBytes) { [self] in
            stop.load(ordering: .acquiring)
        }
        let status = try connected().perform(
            call.method, url: address.text + call.path, headers: try headers(for: call),
            body: packed, exchange: exchange)
        return WireAnswer(
            status: status,
            contentType: Self.mediaType(exchange.headers["content-type"]),
            retryAfterSeconds: exchange.headers["retry-after"].map(Self.seconds),
            body: try unpack(exchange))
    }

    private func connected() throws(TransportFault) -> CurlHandle {
        if let handle { return handle }
        let fresh = try CurlHandle(to: address, trust: trust, limits: limits)
        handle = fresh
        return fresh
    }

    private func headers(for call: WireCall) throws(TransportFault) -> [String] {
        var lines = ["User-Agent: walkdown", "Accept: application/json", "Accept-Encoding: gzip"]
        if call.body != nil {
            // Without the empty line curl asks for a 100 before larger bodies and waits a second.
            lines += ["Content-Type: application/json", "Content-Encoding: gzip", "Expect:"]
        }
        if let key = call.idempotencyKey { lines.append("Idempotency-Key: \(key)") }
        lines.append("X-Request-Nonce: \(nonce())")
        if call.isAuthenticated {
            guard let credentials, trust != .anyone || !address.isEncrypted else {
                throw .misconfigured
            }
            lines.append("Authorization: Bearer \(credentials.token)")
            lines.append("X-Client-Node-Id: \(call.node?.rawValue ?? credentials.node)")
        }
        // A line break in a token would smuggle a header.
        guard lines.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }) else {
            throw .misconfigured
        }
        return lines
    }

    private func pack(_ body: [UInt8]) throws(TransportFault) -> [UInt8] {
        do {
            return try Gzip.compress(body)
        } catch {
            throw .misconfigured
        }
    }

    private func unpack(_ exchange: CurlExchange) throws(TransportFault) -> [UInt8] {
        switch exchange.headers["content-encoding"]?.lowercased() {
        case nil, "identity": return exchange.body
        case "gzip": break
        default: throw .malformed
        }
        do throws(CodingError) {
            return try Gzip.inflate(exchange.body, limit: limits.unpackedBytes)
        } catch {
            throw error.code == .tooLarge ? .tooLarge : .malformed
        }
    }

    /// Of a `Retry-After`. A proxy may give a date (RFC 9110), which means nothing on a device whose
    /// clock is wrong: a minute then.
    private static func seconds(_ header: String) -> Int64 { Int64(header) ?? 60 }

    private static func mediaType(_ header: String?) -> String {
        let bare = (header ?? "").prefix { $0 != ";" }
        return String(bare.filter { $0 != " " }).lowercased()
    }
}
