import Crypto

/// The secret that proves a device: 32 random bytes as 64 hexadecimal digits. The server keeps its
/// hash alone.
struct BearerToken: Equatable {
    let text: String

    static let byteCount = 32

    /// A new token.
    init(random: [UInt8]) {
        text = Hexadecimal.encode(random)
    }

    /// From the value of `Authorization`; nil when it is no token of ours.
    init?(_ authorization: String?) {
        let parts = authorization?.split(separator: " ") ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer",
            parts[1].utf8.count == 2 * Self.byteCount, parts[1].allSatisfy(\.isHexDigit)
        else { return nil }
        text = String(parts[1])
    }

    /// The token has 256 random bits: a plain hash cannot be turned back.
    var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }
}
