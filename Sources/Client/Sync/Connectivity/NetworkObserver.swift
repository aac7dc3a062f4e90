internal import CSystem
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Tells when a way out of this device appears or vanishes (M17), by the kernel's own notices. It
/// needs no daemon and no right, and sends nothing.
package final class NetworkObserver: Sendable {
    private let socket: Int32
    // dispatch_source_cancel(3) may be called from any thread, and more than once; nothing else is.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    private let watch = Mutex(RouteWatch())
    private let report: @Sendable (RouteWatch.Event) -> Void

    /// - Parameter report: called on a queue of the observer's own.
    /// - Returns: nil where the kernel does not tell (a sandbox): cycles then begin by edits, the
    ///   timer and a person.
    package init?(report: @escaping @Sendable (RouteWatch.Event) -> Void) {
        socket = walkdown_watch_routes()
        guard socket >= 0 else { return nil }
        self.report = report
        let queue = DispatchQueue(label: "walkdown.network", qos: .utility)
        source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        source.setCancelHandler { [socket] in close(socket) }
        source.activate()
        ask()
    }

    deinit { stop() }

    package func stop() { source.cancel() }

    private func ask() {
        // Asked again at once it would fail again: the next notice asks.
        if walkdown_ask_routes(socket) < 0 { carryOut(watch.withLock { $0.handle(.refused) }) }
    }

    /// As many bytes as the kernel puts into one datagram.
    private static let longestDatagram = 32 << 10

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.longestDatagram)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 {
                for message in RouteMessage.parse(Array(buffer[..<count])) {
                    carryOut(watch.withLock { $0.handle(message) })
                }
            } else if count < 0, errno == ENOBUFS {
                // Notices were lost. A list is not: it waits for its reader.
                carryOut(watch.withLock { $0.handle(.changed) })
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }

    private func carryOut(_ steps: [RouteWatch.Step]) {
        for step in steps {
            switch step {
            case .ask: ask()
            case .tell(let event): report(event)
            }
        }
    }
}
