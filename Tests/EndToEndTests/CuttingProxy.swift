import Dispatch
import Foundation
import Synchronization

/// A relay on 127.0.0.1, port 0, between devices and their server that resets its connections once so
/// many bytes have passed, as a lift door or a dropped handheld does at any byte of any message.
///
/// `@unchecked Sendable`: `listener` and `target` are set once in `init`; the rest is behind `state`.
final class CuttingProxy: @unchecked Sendable {
    private struct State {
        /// Bytes that may still pass, both ways together; nil for as many as come.
        var budget: Int?
        var passed = 0
    }

    let port: Int
    private let listener: Int32
    private let target: UInt16
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "cutting proxy", attributes: .concurrent)

    init(to target: UInt16) throws {
        self.target = target
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw HarnessError("no relay: errno \(errno)") }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        queue.async { [weak self] in
            // Closed by this loop alone: its number could be given to another socket.
            defer { close(listener) }
            while true {
                let device = accept(listener, nil, nil)
                guard device >= 0 else { return }
                guard let self else {
                    close(device)
                    return
                }
                self.queue.async { self.relay(device) }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Bytes that passed since the last `allow`.
    var passed: Int { state.withLock { $0.passed } }

    /// From now on so many bytes pass, and then every connection is reset; nil for no limit.
    func allow(_ budget: Int?) {
        state.withLock { $0 = State(budget: budget) }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    private func relay(_ device: Int32) {
        defer { close(device) }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard server >= 0 else { return }
        defer { close(server) }
        var address = Self.loopback(port: target)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return }
        if !isCarriedToItsEnd(between: device, and: server) {
            for end in [device, server] { reset(end) }
        }
    }

    /// A close that sends a reset instead of an orderly end (socket(7), SO_LINGER).
    private func reset(_ end: Int32) {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(end, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    }

    /// - Returns: false when the bytes that may pass have passed.
    private func isCarriedToItsEnd(between device: Int32, and server: Int32) -> Bool {
        var ends = [device, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while poll(&ends, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
                let count = recv(ends[from].fd, &buffer, buffer.count, 0)
                guard count > 0 else { return true }
                let (allowed, isSpent) = spend(count)
                guard send(buffer.prefix(allowed), to: ends[to].fd) else { return true }
                if isSpent { return false }
            }
        }
        return true
    }

    private func spend(_ count: Int) -> (allowed: Int, isSpent: Bool) {
        state.withLock { state in
            let allowed = min(count, state.budget ?? count)
            state.passed += allowed
            state.budget = state.budget.map { $0 - allowed }
            return (allowed, state.budget == 0)
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>, to end: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(end, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
