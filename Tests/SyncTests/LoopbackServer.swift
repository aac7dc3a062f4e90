import Dispatch
import Glibc
import Synchronization

/// A server of raw bytes on 127.0.0.1, port 0: it reads one request, and answers what the test's
/// closure writes, however wrong. Plain HTTP; for TLS see `OpenSSLServer`.
///
/// `@unchecked Sendable`: `listener` is set once in `init`; the rest is behind `seen`.
final class LoopbackServer: @unchecked Sendable {
    let port: Int
    private let listener: Int32
    private let seen = Mutex<[String]>([])
    private let queue = DispatchQueue(label: "loopback server", attributes: .concurrent)

    /// One connection, to be answered. Writing to a peer that has gone is quietly over.
    struct Connection {
        let descriptor: Int32

        @discardableResult
        func write(_ text: String) -> Bool { write([UInt8](text.utf8)) }

        @discardableResult
        func write(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        /// Blocks until the peer closes; how a silent server behaves.
        func waitForClose() {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) > 0 {}
        }
    }

    init(_ answer: @escaping @Sendable (Connection) -> Void) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let bound = withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return bind(descriptor, pointer, length) == 0 && listen(descriptor, 16) == 0
                && getsockname(descriptor, pointer, &length) == 0
        }
        precondition(bound, "no loopback socket: errno \(errno)")
        port = Int(UInt16(bigEndian: address.sin_port))
        queue.async { [weak self] in
            // Closed here and nowhere else: a number closed under this loop could be given to
            // another test's socket, and this loop would take its connections.
            defer { close(descriptor) }
            while true {
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { return }
                self?.serve(peer, answer)
            }
        }
    }

    deinit {
        // Wakes the accept, which then fails, and refuses whoever comes from now on.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The requests that came, heads and bodies as they were sent (a gzip body is not text).
    var requests: [String] { seen.withLock { $0 } }

    private func serve(_ peer: Int32, _ answer: @escaping @Sendable (Connection) -> Void) {
        queue.async { [weak self] in
            defer { close(peer) }
            guard let request = Self.readRequest(peer) else { return }
            self?.seen.withLock { $0.append(request) }
            answer(Connection(descriptor: peer))
        }
    }

    private static func readRequest(_ peer: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !text.contains("\r\n\r\n") {
            let count = recv(peer, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            // Latin 1, so that a body of any bytes survives.
            text.unicodeScalars.append(contentsOf: buffer[..<count].map { Unicode.Scalar($0) })
        }
        return text
    }
}

extension LoopbackServer.Connection {
    func respond(
        status: String = "200 OK", type: String = "application/json", headers: [String] = [],
        body: [UInt8] = Array("{}".utf8)
    ) {
        let lines =
            ["HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.count)"]
            + headers + ["Connection: close", "", ""]
        if write(lines.joined(separator: "\r\n")) { write(body) }
    }
}
