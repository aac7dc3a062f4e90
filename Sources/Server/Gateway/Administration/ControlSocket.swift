import Arguments
import Coding
import Crypto

#if canImport(Glibc)
    import Glibc
#endif

/// Where the socket of a data folder is, and how bytes go through it.
enum ControlSocket {
    /// What `sun_path` holds, its end included.
    static let longestPath = 108

    enum Interruption: Error {
        /// The other side went away.
        case closed
        /// The other side took, or said, too little in its time.
        case tooSlow
        case tooLong
    }

    /// Where commands reach the server of this folder; nil when it never served.
    static func find(_ folder: DataFolder) -> String? {
        if folder.socket.utf8.count < longestPath { return folder.socket }
        // An unreadable pointer is a server that is not there.
        guard let text = try? SmallFile.readText(folder.socketPointer) else { return nil }
        return text.split(separator: "\n").first.map(String.init)
    }

    /// Where a server that starts listens. The lock of the folder is held, so that what stands
    /// there is a dead server's.
    static func place(_ folder: DataFolder, runtime: String?) throws(Failure) -> String {
        unlink(folder.socketPointer)
        let name = "walkdownd-\(Hexadecimal.encode(SHA256.hash(Array(folder.path.utf8)).prefix(8)))"
        let path: String
        if folder.socket.utf8.count < longestPath {
            path = folder.socket
        } else if let runtime, runtime.hasPrefix("/") {
            path = "\(runtime)/\(name).sock"
            guard path.utf8.count < longestPath else {
                throw Failure(.failed, "the path of the control socket is too long: \(path)")
            }
            try SmallFile.create(folder.socketPointer, path + "\n")
        } else {
            throw Failure(
                .failed, "the path \(folder.path) is too long for a socket",
                advice: "Set XDG_RUNTIME_DIR, or choose a shorter data folder.")
        }
        unlink(path)
        return path
    }

    static func listen(_ path: String) throws(Failure) -> Int32 {
        let socket = Glibc.socket(AF_UNIX, streamKind, 0)
        guard socket >= 0, with(path, { bind(socket, $0, $1) }) == 0, chmod(path, 0o600) == 0,
            Glibc.listen(socket, 16) == 0
        else {
            let failure = SmallFile.failed("listen on", path)
            if socket >= 0 { close(socket) }
            throw failure
        }
        return socket
    }

    /// - Returns: nil when nobody listens.
    static func connect(_ path: String) -> Int32? {
        let socket = Glibc.socket(AF_UNIX, streamKind, 0)
        guard socket >= 0 else { return nil }
        guard with(path, { Glibc.connect(socket, $0, $1) }) == 0 else {
            close(socket)
            return nil
        }
        return socket
    }

    private static var streamKind: Int32 {
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    }

    private static func with(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < longestPath else { return -1 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    // MARK: Bytes

    /// All of it by `end`, however slowly the other side takes it.
    static func send(
        _ bytes: [UInt8], to socket: Int32, until end: ContinuousClock.Instant
    ) throws(Interruption) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    socket, $0.baseAddress! + sent, $0.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 { sent += count } else { try recover(POLLOUT, socket, end) }
        }
        shutdown(socket, Int32(SHUT_WR))
    }

    /// All that the other side says until it ends, which it has to do by `end`.
    static func receive(
        from socket: Int32, limit: Int, until end: ContinuousClock.Instant
    ) throws(Interruption) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 { return bytes }
            if count > 0 { bytes += buffer[..<count] } else { try recover(POLLIN, socket, end) }
        }
        throw .tooLong
    }

    /// After a call that did not work: waits where that helps. Reads `errno`.
    private static func recover(
        _ event: Int32, _ socket: Int32, _ end: ContinuousClock.Instant
    ) throws(Interruption) {
        if errno == EINTR { return }
        guard errno == EAGAIN else { throw .closed }
        var ready = pollfd(fd: socket, events: Int16(event), revents: 0)
        let left = ((end - .now) / .milliseconds(1)).rounded(.up)
        guard left > 0 else { throw .tooSlow }
        // What poll(2) finds, an error too, shows with the next call.
        poll(&ready, 1, Int32(min(left, 60_000)))
    }
}
