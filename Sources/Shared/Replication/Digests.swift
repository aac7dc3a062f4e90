package import Coding
internal import Crypto

/// The first 16 bytes of SHA-256 over one record's confirmed state: id, version, and the fields
/// that are not null in the order of their names' bytes.
package struct RecordDigest: Hashable, Sendable {
    package let bytes: [UInt8]

    /// - Parameter sortedFields: in the order of the names' bytes, which is SQLite's BINARY order.
    package init(
        id: RecordID, version: Int64, sortedFields: some Sequence<(FieldName, FieldValue)>
    ) {
        var canonical: [UInt8] = []
        Canonical.append(id.rawValue, tag: "r", to: &canonical)
        Canonical.append(String(version), tag: "v", to: &canonical)
        for (name, value) in sortedFields where !value.isNull {
            Canonical.append(name, tag: "f", to: &canonical)
            value.appendCanonical(to: &canonical)
        }
        bytes = Array(SHA256.hash(canonical).prefix(16))
    }

    package init(id: RecordID, version: Int64, fields: [FieldName: FieldValue]) {
        let sorted = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        self.init(id: id, version: version, sortedFields: sorted.map { ($0.key, $0.value) })
    }

    /// From a stored BLOB.
    package init(bytes: [UInt8]) throws(ReplicationError) {
        guard bytes.count == 16 else { throw .malformedDigest }
        self.bytes = bytes
    }
}

/// The sum of the record digests of one site, modulo 2^128: the order of records does not matter,
/// and one record's change costs one subtraction and one addition.
package struct SiteDigest: Hashable, Sendable {
    private var high: UInt64
    private var low: UInt64

    /// The digest of a site without records.
    package init() {
        high = 0
        low = 0
    }

    package mutating func add(_ record: RecordDigest) {
        let (otherHigh, otherLow) = Self.halves(of: record.bytes)
        let (sum, overflow) = low.addingReportingOverflow(otherLow)
        low = sum
        high = high &+ otherHigh &+ (overflow ? 1 : 0)
    }

    package mutating func subtract(_ record: RecordDigest) {
        let (otherHigh, otherLow) = Self.halves(of: record.bytes)
        let (difference, borrow) = low.subtractingReportingOverflow(otherLow)
        low = difference
        high = high &- otherHigh &- (borrow ? 1 : 0)
    }

    package var bytes: [UInt8] { Self.bigEndian(high) + Self.bigEndian(low) }

    package init(bytes: [UInt8]) throws(ReplicationError) {
        guard bytes.count == 16 else { throw .malformedDigest }
        (high, low) = Self.halves(of: bytes)
    }

    package var hex: String { Hexadecimal.encode(bytes) }

    package init(hex: String) throws(ReplicationError) {
        do throws(CryptoError) {
            let bytes = try Hexadecimal.decode(hex)
            guard bytes.count == 16 else { throw CryptoError.malformedText("hexadecimal") }
            (high, low) = Self.halves(of: bytes)
        } catch {
            throw .malformedDigest
        }
    }

    init(json: JSON) throws(CodingError) {
        do throws(ReplicationError) {
            try self.init(hex: json.asStringOrEmpty)
        } catch {
            throw CodingError(.unexpected, error.description)
        }
    }

    private static func halves(of bytes: [UInt8]) -> (UInt64, UInt64) {
        let number = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return (number(bytes[..<8]), number(bytes[8...]))
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}

extension JSON {
    fileprivate var asStringOrEmpty: String {
        if case .string(let text) = self { text } else { "" }
    }
}
