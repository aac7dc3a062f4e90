/// A JSON document as a value. Integers stay apart from doubles, so that 64-bit numbers are exact.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])
}

/// How much a document may be. Checked before and while it is read.
package struct JSONLimits: Sendable {
    /// Bytes of the whole document.
    package var bytes: Int
    /// Arrays and objects inside each other.
    package var depth: Int
    /// UTF-8 bytes of one string or key.
    package var stringBytes: Int
    /// Values in all; bounds the memory that a document of `[0,0,0,…` takes.
    package var values: Int

    package init(bytes: Int, depth: Int, stringBytes: Int, values: Int) {
        self.bytes = bytes
        self.depth = depth
        self.stringBytes = stringBytes
        self.values = values
    }

    /// What the sync protocol allows: 8 MiB unpacked, depth 32, strings of 64 KiB.
    package static let wire = JSONLimits(
        bytes: 8 << 20, depth: 32, stringBytes: 64 << 10, values: 500_000)
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }
}

extension JSON {
    /// The string, or null where there is none: what an optional member looks like on the wire.
    package init(_ string: String?) { self = string.map(JSON.string) ?? .null }
    package init(_ integer: Int64?) { self = integer.map(JSON.integer) ?? .null }
}
