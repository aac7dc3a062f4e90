package import Coding

/// The name of a field: a question's path in its form, or a built-in name that begins with `@`.
package typealias FieldName = String

/// A text that names something and is compared by its bytes.
package protocol TextIdentifier: RawRepresentable<String>, Hashable, Comparable, Sendable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    init(rawValue: String)
}

extension TextIdentifier {
    package init(stringLiteral value: String) { self.init(rawValue: value) }

    package init(_ text: String) { self.init(rawValue: text) }

    package var description: String { rawValue }

    package static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    /// From the wire: 1 to 64 printable ASCII characters, so that an id can stand in a URL's path,
    /// in a log and on a terminal as it is.
    package init(json: JSON) throws(CodingError) {
        let text = try json.asString()
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw CodingError(.unexpected, "expected an id of 1 to 64 printable characters") }
        self.init(rawValue: text)
    }

    package var json: JSON { .string(rawValue) }
}

package struct RecordID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

package struct MutationID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// A device's id as the clock knows it; `portal:<user>` for edits made in the portal.
package struct NodeID: TextIdentifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// When a field was changed, as far as order goes: Lamport counter first, then node.
package struct Stamp: Hashable, Comparable, Sendable {
    package var lamport: Int64
    package var node: NodeID

    package init(lamport: Int64, node: NodeID) {
        self.lamport = lamport
        self.node = node
    }

    package static func < (left: Stamp, right: Stamp) -> Bool {
        left.lamport != right.lamport ? left.lamport < right.lamport : left.node < right.node
    }
}

/// The tables of records that both sides know. Others from a newer peer are stored untouched.
package enum RecordTable {
    package static let inspection = "inspection"
    package static let site = "site"
    package static let asset = "asset"
    package static let assignment = "assignment"
    package static let finding = "finding"
    package static let attachment = "attachment"
    package static let repetition = "repeat"

    /// The number of what tables and fields mean, raised by each release that adds to it. Mutations
    /// carry the number of the program that made them, so that a server knows whether an unknown
    /// name is a mistake or news. Client and server may be one apart.
    package static let schemaVersion: Int64 = 1
}
