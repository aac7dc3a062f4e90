internal import Arguments
internal import CSystem
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A wire with a switch: carries bytes between a device and the demo's server, and can be told to
/// let requests through and keep every answer to itself. It knows nothing of what it carries, which
/// is TLS from end to end; a device enrolled through it takes it for the server.
///
/// `@unchecked Sendable`: `listener` is set once in `init`; the rest is behind `state`.
final class Relay: @unchecked Sendable {
    private struct State {
        var keepsAnswers = false
        var isClosed = false
        var connections: [Int32] = []
    }

    let port: Int
    private let target: Int
    private let listener: Int32
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "walkdown.demo.relay", attributes: .concurrent)

    /// - Parameter port: the server's, on 127.0.0.1.
    init(to port: Int) throws {
        target = port
        (listener, self.port) = try Loopback.listen()
        queue.async { [self] in accept() }
    }

    /// From the next request on a connection: it arrives, and its answer does not.
    func keepAnswers(_ isKeeping: Bool) {
        state.withLock { $0.keepsAnswers = isKeeping }
    }

    func close() {
        let live = state.withLock { state in
            state.isClosed = true
            return state.connections
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in live { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func accept() {
        // Closed here and nowhere else, so that no other file gets this number meanwhile.
        defer { Glibc.close(listener) }
        while true {
            let device = walkdown_accept(listener)
            guard device >= 0 else { return }
            guard let server = try? Loopback.connect(to: target) else {
                // As a server that is down: the device sees its connection end.
                Glibc.close(device)
                continue
            }
            let line = Line(device: device, server: server)
            state.withLock { $0.connections += [device, server] }
            queue.async { [self] in carryRequests(line) }
            queue.async { [self] in carryAnswers(line) }
        }
    }

    /// The two ends of one connection, and how much the device has said.
    private final class Line: Sendable {
        let device: Int32
        let server: Int32
        let said = Mutex<[UInt8]>([])
        let count = Atomic<Int>(0)
        let ends = Atomic<Int>(2)

        init(device: Int32, server: Int32) {
            self.device = device
            self.server = server
        }

        /// More than the handshake has come from the device: a TLS record whose length the first
        /// five bytes tell (RFC 8446, 5.1), and then more than the 80 bytes that finish it.
        var isInRequest: Bool {
            said.withLock { head in
                guard head.count == 5 else { return false }
                let hello = 5 + Int(head[3]) << 8 + Int(head[4])
                return count.load(ordering: .acquiring) > hello + 150
            }
        }

        func note(_ bytes: ArraySlice<UInt8>) {
            said.withLock { head in head += bytes.prefix(5 - head.count) }
            count.add(bytes.count, ordering: .releasing)
        }
    }

    private func carryRequests(_ line: Line) {
        defer { ended(line) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(line.device, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            line.note(buffer[..<count])
            guard Loopback.send(buffer[..<count], to: line.server) else { break }
        }
        shutdown(line.server, Int32(SHUT_WR))
    }

    private func carryAnswers(_ line: Line) {
        defer { ended(line) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(line.server, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            let isKept = state.withLock { $0.keepsAnswers } && line.isInRequest
            if isKept { continue }
            guard Loopback.send(buffer[..<count], to: line.device) else { break }
        }
        shutdown(line.device, Int32(SHUT_WR))
    }

    /// The second of the two to end closes both.
    private func ended(_ line: Line) {
        guard line.ends.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        state.withLock { state in
            state.connections.removeAll { $0 == line.device || $0 == line.server }
        }
        Glibc.close(line.device)
        Glibc.close(line.server)
    }
}

/// Sockets on 127.0.0.1.
enum Loopback {
    static func listen() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw Failure(.failed, "no socket on 127.0.0.1 (\(errno))") }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    static func connect(to port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(port: port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.connect(
                    descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            throw Failure(.failed, "nobody listens on port \(port)")
        }
        return descriptor
    }

    /// All of it; false when the peer has gone.
    static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
