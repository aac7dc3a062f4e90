import CMicrohttpd
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Certificate and key that a listener shows, as PEM.
package struct ServerIdentity: Sendable {
    package var certificate: String
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The server's ear: accepts connections, holds them to the limits, hands requests on.
///
/// `@unchecked Sendable`: `daemon` is set once in `init` and used only by `stop`, which runs once
/// (`stopped` guards it); libmicrohttpd's own calls are safe from any thread.
package final class Listener: @unchecked Sendable {
    /// TLS 1.3 alone.
    static let priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3"

    /// Where it listens, with the port that the kernel chose.
    package let address: ListenAddress
    private let daemon: OpaquePointer
    private let context: Unmanaged<Callbacks.Context>
    private let table: ConnectionTable
    private let reaper: any DispatchSourceTimer
    private let stopped = Mutex(false)

    /// - Parameter identity: nil for plain HTTP, which is for loopback addresses only.
    package init(
        _ wanted: ListenAddress, identity: ServerIdentity?, limits: Limits = Limits(),
        handler: any Handler
    ) throws(HTTPError) {
        guard identity != nil || wanted.isLoopback else {
            throw HTTPError(.notLoopback, "plain HTTP is for loopback addresses, not \(wanted)")
        }
        let (socket, bound) = try wanted.listen()
        address = bound
        table = ConnectionTable(limits: limits)
        let course = Course(limits: limits, table: table, handler: handler)
        context = .passRetained(Callbacks.Context(course: course))
        guard let daemon = Self.start(socket, bound, identity, limits, context.toOpaque()) else {
            context.release()
            close(socket)
            throw HTTPError(.cannotStart, "the server could not start; is its certificate whole?")
        }
        self.daemon = daemon
        reaper = DispatchSource.makeTimerSource(queue: .global())
        reaper.setEventHandler { [table] in table.reap() }
        reaper.schedule(deadline: .now(), repeating: .milliseconds(250))
        reaper.resume()
    }

    private static func start(
        _ socket: Int32, _ address: ListenAddress, _ identity: ServerIdentity?, _ limits: Limits,
        _ context: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        var settings = walkdown_mhd_settings()
        settings.listen_socket = socket
        settings.ipv6 = address.isIPv6 ? 1 : 0
        settings.threads = UInt32(limits.threads)
        settings.connections = UInt32(limits.connections)
        settings.connections_per_address = UInt32(limits.connectionsPerAddress)
        // The reaper's deadlines are shorter; this is the second net.
        settings.idle_seconds = 120
        settings.memory_per_connection = limits.header * 2 + 4096
        settings.context = context
        settings.handle = Callbacks.handle
        settings.completed = Callbacks.completed
        settings.connection = Callbacks.connection
        settings.target = Callbacks.target
        guard let identity else { return walkdown_mhd_start(&settings) }
        return identity.certificate.withCString { certificate in
            identity.key.withCString { key in
                priorities.withCString { priorities in
                    settings.certificate_pem = certificate
                    settings.key_pem = key
                    settings.priorities = priorities
                    return walkdown_mhd_start(&settings)
                }
            }
        }
    }

    /// Requests that are being read, handled or answered.
    package var busy: Int { table.busy }

    /// Stops accepting, waits until every request is answered or `patience` is over, and closes.
    ///
    /// What was begun is brought to its end; a request that comes meanwhile on an open connection
    /// is answered 503, and each connection ends with its answer, so that clients who go on asking
    /// cannot hold the server. A request that the handler still has when patience ends is answered
    /// 503 too: its client repeats it, and what was committed answers as a repetition.
    package func stop(patience: Duration = .seconds(10)) {
        let first = stopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard first else { return }
        table.drain()
        let listening = MHD_quiesce_daemon(daemon)
        if listening >= 0 { close(listening) }
        waitUntilIdle(patience)
        table.abandon()
        waitUntilIdle(.seconds(1))
        MHD_stop_daemon(daemon)
        reaper.cancel()
        context.release()
    }

    private func waitUntilIdle(_ patience: Duration) {
        let end = ContinuousClock.now + patience
        while table.busy > 0, ContinuousClock.now < end { usleep(5000) }
    }

    deinit { stop(patience: .zero) }
}
