/// Whom the transport believes. There is no "trust everyone and send the token": only a call
/// without a secret is ever made to a server that nobody vouches for.
package enum ServerTrust: Equatable, Sendable {
    /// To fetch the authority's certificate, which is then compared with the enrolment code.
    case anyone
    /// During enrolment: the authority is known, the pins are not yet.
    case authority(pem: [UInt8])
    /// Every later call: our authority and one of its delivered keys.
    case pinned(pem: [UInt8], pins: [String])

    var authority: [UInt8]? {
        switch self {
        case .anyone: nil
        case .authority(let pem), .pinned(let pem, _): pem
        }
    }

    var pins: [String] {
        if case .pinned(_, let pins) = self { pins } else { [] }
    }

    /// A pin that curl cannot read would never match and lock the device out, or, with some
    /// releases, be taken for a file name: `sha256//` and 44 characters of base64, nothing else.
    var arePinsValid: Bool {
        if case .pinned(_, let pins) = self, pins.isEmpty { return false }
        return pins.allSatisfy { pin in
            let digest = pin.dropFirst(8).utf8
            return pin.hasPrefix("sha256//") && digest.count == 44 && digest.last == 0x3D
                && digest.dropLast().allSatisfy(Self.isBase64)
        }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

/// The bounds of one exchange.
package struct TransportLimits: Equatable, Sendable {
    /// Name, connection and TLS together.
    package var connectMilliseconds = 5_000
    /// Slower than `stallBytesPerSecond` for so long counts as dead. A peer that drips a byte a
    /// second is as dead as a silent one; the slowest satellite link is faster than this.
    package var stallSeconds = 30
    package var stallBytesPerSecond = 16
    /// A whole exchange, however lively.
    package var totalMilliseconds = 15 * 60 * 1000
    /// As it arrives.
    package var packedBytes = 16 << 20
    /// After gzip.
    package var unpackedBytes = 32 << 20

    package init() {}
}
