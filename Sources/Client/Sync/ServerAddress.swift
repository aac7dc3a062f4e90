/// Where the server is: `https://` anywhere, `http://` only on a literal loopback address, because
/// a name can be made to point elsewhere.
package struct ServerAddress: Hashable, Sendable {
    package let isEncrypted: Bool
    /// As written, an IPv6 address in its brackets.
    package let host: String
    package let port: Int

    package init(parsing text: String) throws(SyncError) {
        let (isEncrypted, rest) = try Self.scheme(of: text)
        let (host, port) = try Self.authority(of: rest)
        guard isEncrypted || Self.isLoopback(host) else {
            throw SyncError(.address, "http:// is accepted for a loopback address only")
        }
        self.isEncrypted = isEncrypted
        self.host = host
        self.port = port ?? (isEncrypted ? 443 : 80)
    }

    package var text: String { "\(isEncrypted ? "https" : "http")://\(host):\(port)" }

    private static func scheme(of text: String) throws(SyncError) -> (Bool, Substring) {
        for (prefix, isEncrypted) in [("https://", true), ("http://", false)]
        where text.lowercased().hasPrefix(prefix) {
            return (isEncrypted, text.dropFirst(prefix.count))
        }
        throw SyncError(.address, "the address has to begin with https://")
    }

    private static func authority(of rest: Substring) throws(SyncError) -> (String, Int?) {
        let bare = rest.hasSuffix("/") ? rest.dropLast() : rest
        let (host, tail) = try split(bare)
        guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else {
            throw SyncError(.address, "the address has to name a host and nothing behind it")
        }
        guard !tail.isEmpty else { return (String(host), nil) }
        guard tail.first == ":", let port = Int(tail.dropFirst()), (1...65535).contains(port) else {
            throw SyncError(.address, "the port has to be a number from 1 to 65535")
        }
        return (String(host), port)
    }

    /// An IPv6 address has colons of its own and stands in brackets.
    private static func split(_ text: Substring) throws(SyncError) -> (Substring, Substring) {
        guard text.first == "[" else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            return (text[..<end], text[end...])
        }
        guard let close = text.firstIndex(of: "]") else {
            throw SyncError(.address, "the bracket of the address is not closed")
        }
        let end = text.index(after: close)
        return (text[..<end], text[end...])
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: [UInt8](".-_:[]".utf8).contains(byte)
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
