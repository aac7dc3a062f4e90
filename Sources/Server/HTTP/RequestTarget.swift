/// The path and the query of a request line, decoded.
///
/// Pure. What two programs could read differently is refused rather than repaired: broken escapes,
/// control characters, bytes that are no UTF-8, the same query name twice.
struct RequestTarget: Equatable {
    var path: String
    var query: [String: String]

    static let mostQueryItems = 32

    /// - Returns: nil when the target is no path in origin form (`/…`) or is ambiguous.
    init?(_ raw: String) {
        guard raw.utf8.first == UInt8(ascii: "/"), !raw.utf8.contains(UInt8(ascii: "#")) else {
            return nil
        }
        let parts = raw.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = Self.decoded(parts[0].utf8, plusIsSpace: false) else { return nil }
        self.path = path
        query = [:]
        let items = parts.count == 2 ? parts[1].split(separator: "&") : []
        guard items.count <= Self.mostQueryItems else { return nil }
        for item in items {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0].utf8, plusIsSpace: true),
                let value = Self.decoded((pair.count == 2 ? pair[1] : "").utf8, plusIsSpace: true),
                query.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }

    private static func decoded(
        _ text: some Sequence<UInt8>, plusIsSpace: Bool
    ) -> String? {
        var bytes: [UInt8] = []
        var source = text.makeIterator()
        while let byte = source.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = source.next().flatMap(hexDigit),
                    let low = source.next().flatMap(hexDigit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
