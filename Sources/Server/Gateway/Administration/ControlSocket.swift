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

    struct Closed: Error {}

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

    static func send(_ bytes: [UInt8], to socket: Int32) throws(Closed) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Closed() }
            rest = rest.dropFirst(count)
        }
        shutdown(socket, Int32(SHUT_WR))
    }

    static func receive(from socket: Int32, limit: Int) throws(Closed) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Closed() }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw Closed()
    }

    static func setPatience(_ seconds: Int, of socket: Int32) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }
}
