#if canImport(Glibc)
    internal import Glibc
#endif

/// A TCP connection to a port on loopback that sends exactly the bytes it is given, well formed or
/// not. Reading and writing give up after ten seconds, so that no test hangs.
package final class RawConnection {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String

        package init(description: String) { self.description = description }
    }

    private let socket: Int32
    /// Bytes that came and that no answer took yet.
    private var waiting: [UInt8] = []

    package init(port: UInt16) throws {
        // Kept in the property only when it is connected: deinit runs also where this throws later.
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(socket)
            throw Failure(description: "cannot connect to port \(port): errno \(errno)")
        }
        self.socket = socket
    }

    deinit { close(socket) }

    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Tells the other side that nothing more will be sent.
    package func finishSending() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Whether the peer still holds the connection after waiting that long for a byte of it. A byte
    /// that came counts as open and stays to be read.
    package func isOpen(after patience: Duration) -> Bool {
        var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let milliseconds = patience.components.attoseconds / 1_000_000_000_000_000
        guard poll(&ready, 1, Int32(patience.components.seconds * 1000 + milliseconds)) > 0 else {
            return true
        }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK)) > 0
    }

    /// - Returns: what came, empty at the end of the stream or when the peer cut it.
    private func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Everything until the peer closes.
    package func readToEnd() -> String {
        while true {
            let more = receive()
            guard !more.isEmpty else { break }
            waiting += more
        }
        defer { waiting = [] }
        return String(decoding: waiting, as: UTF8.self)
    }

    package struct Answer: Sendable {
        package var status: Int
        /// Names in lower case.
        package var headers: [String: String]
        package var body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// The next answer, framed by its `Content-Length`.
    ///
    /// - Returns: nil when the connection ended before a whole answer.
    package func readAnswer() -> Answer? {
        let blank = Array("\r\n\r\n".utf8)
        while true {
            if let end = waiting.indices.first(where: { waiting[$0...].starts(with: blank) }),
                let answer = answer(header: Array(waiting[..<end]), bodyAt: end + blank.count)
            {
                return answer
            }
            let more = receive()
            guard !more.isEmpty else { return nil }
            waiting += more
        }
    }

    private func answer(header: [UInt8], bodyAt start: Int) -> Answer? {
        let lines = String(decoding: header, as: UTF8.self).split(separator: "\r\n")
        let first = lines.first?.split(separator: " ") ?? []
        guard first.count >= 2, let status = Int(first[1]) else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
            headers[parts[0].lowercased()] = String(value)
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        guard waiting.count >= start + length else { return nil }
        let body = Array(waiting[start..<start + length])
        waiting.removeFirst(start + length)
        return Answer(status: status, headers: headers, body: body)
    }
}
