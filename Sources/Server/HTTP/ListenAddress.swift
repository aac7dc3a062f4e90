import CMicrohttpd

#if canImport(Glibc)
    import Glibc
#endif

/// A literal address and a port: `127.0.0.1:8443`, `[::1]:0`.
package struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// Without brackets.
    package var host: String
    /// 0 lets the kernel choose.
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package init(_ text: String) throws(HTTPError) {
        let cut = text.lastIndex(of: ":")
        let port = cut.flatMap { UInt16(text[text.index(after: $0)...]) }
        guard let cut, let port else {
            throw HTTPError(.badAddress, "\(text) is no address; write it as 127.0.0.1:8443")
        }
        var host = String(text[..<cut])
        let bracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if bracketed { host = String(host.dropFirst().dropLast()) }
        guard Self.isLiteral(host, family: bracketed ? AF_INET6 : AF_INET) else {
            throw HTTPError(
                .badAddress,
                "\(text) is no address; write it in digits, as 127.0.0.1:8443 or [::1]:8443")
        }
        self.host = host
        self.port = port
    }

    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    var isIPv6: Bool { host.contains(":") }

    package var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") }

    private static func isLiteral(_ host: String, family: Int32) -> Bool {
        var bytes = in6_addr()
        return inet_pton(family, host, &bytes) == 1
    }

    /// The address of a socket in digits.
    static func text(of address: UnsafePointer<sockaddr>, size: socklen_t) -> ListenAddress? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let flags = NI_NUMERICHOST | NI_NUMERICSERV
        guard
            getnameinfo(
                address, size, &host, socklen_t(host.count), &port, socklen_t(port.count), flags)
                == 0
        else { return nil }
        let digits = Self.text(port)
        let name = Self.text(host)
        return UInt16(digits).map { ListenAddress(host: name, port: $0) }
    }

    private static func text(_ buffer: [CChar]) -> String {
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A socket that listens here, and the address with the port that it really got.
    func listen() throws(HTTPError) -> (socket: Int32, bound: ListenAddress) {
        var wanted = addrinfo()
        wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &wanted, &found) == 0, let info = found?.pointee
        else { throw HTTPError(.badAddress, "\(self) is no address") }
        defer { freeaddrinfo(found) }
        let kind = info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(info.ai_family, kind, 0)
        guard socket >= 0 else { throw cannotListen() }
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        guard bind(socket, info.ai_addr, info.ai_addrlen) == 0, Glibc.listen(socket, 1024) == 0,
            let bound = Self.bound(socket)
        else {
            let error = cannotListen()
            close(socket)
            throw error
        }
        return (socket, bound)
    }

    private static func bound(_ socket: Int32) -> ListenAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(socket, address, &size) == 0 ? text(of: address, size: size) : nil
            }
        }
    }

    /// Reads `errno`.
    private func cannotListen() -> HTTPError {
        HTTPError(.cannotListen, "cannot listen on \(self): \(String(cString: strerror(errno)))")
    }
}
