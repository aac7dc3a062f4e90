/// The value of a field: what one answer is, in the store, on the wire and in forms.
///
/// Numbers are equal by value: a whole double within ±2^53 counts as the integer. Texts are equal
/// by their bytes, unlike `String`: two spellings of one character are two values, because what an
/// inspector typed is kept as it was typed.
package enum FieldValue: Sendable {
    case null
    case integer(Int64)
    case double(Double)
    case string(String)

    /// UTF-8 bytes of the longest text.
    package static let longestText = 64 << 10

    /// Beyond this a double no longer holds every whole number.
    private static let exactWhole = 9_007_199_254_740_992.0

    /// Whole doubles within ±2^53 become integers.
    package init(number: Double) throws(FieldValueError) {
        guard number.isFinite else { throw .notFinite }
        self = FieldValue.double(number).canonical
    }

    package init(text: String) throws(FieldValueError) {
        guard text.utf8.count <= Self.longestText else { throw .tooLong }
        guard !text.utf8.contains(0) else { throw .containsNUL }
        self = .string(text)
    }

    /// The one form of each value; the cases can also be made by hand.
    package var canonical: FieldValue {
        guard case .double(let number) = self, abs(number) <= Self.exactWhole,
            Double(Int64(number)) == number
        else { return self }
        return .integer(Int64(number))
    }

    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value as people and CSV files write it, in the C locale; empty for null.
    package var plainText: String {
        switch canonical {
        case .null: ""
        case .integer(let value): String(value)
        case .double(let value): value.description
        case .string(let value): value
        }
    }
}

/// Why something cannot be a value. Says nothing of the value itself.
package enum FieldValueError: Error, Equatable, Sendable, CustomStringConvertible {
    case notFinite
    case tooLong
    case containsNUL
    case wrongType

    package var description: String {
        switch self {
        case .notFinite: "the number is not finite"
        case .tooLong: "the text is longer than \(FieldValue.longestText) bytes"
        case .containsNUL: "the text contains a NUL character"
        case .wrongType: "expected a number, a string or null"
        }
    }
}

extension FieldValue {
    /// Booleans are refused: they travel as 0 and 1.
    package init(json: JSON) throws(CodingError) {
        do throws(FieldValueError) {
            switch json {
            case .null: self = .null
            case .integer(let value): self = .integer(value)
            case .double(let value): self = try FieldValue(number: value)
            case .string(let value): self = try FieldValue(text: value)
            case .bool, .array, .object: throw .wrongType
            }
        } catch {
            throw CodingError(.unexpected, error.description)
        }
    }

    package var json: JSON {
        switch canonical {
        case .null: .null
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        }
    }
}

extension FieldValue {
    /// The bytes that hashes and digests are made of: `n`, `i` and the decimal digits, `d` and the
    /// shortest digits that read back to the same double, `s` and the UTF-8 bytes; each with its
    /// length before it, so that no two sequences of values give the same bytes.
    package var canonicalBytes: [UInt8] {
        var bytes: [UInt8] = []
        appendCanonical(to: &bytes)
        return bytes
    }

    package func appendCanonical(to bytes: inout [UInt8]) {
        switch canonical {
        case .null: Canonical.append("", tag: "n", to: &bytes)
        case .integer(let value): Canonical.append(String(value), tag: "i", to: &bytes)
        case .double(let value): Canonical.append(value.description, tag: "d", to: &bytes)
        case .string(let value): Canonical.append(value, tag: "s", to: &bytes)
        }
    }
}

/// The one writer of canonical bytes: `<length>:<tag><bytes>`, the length in decimal and counting
/// the tag.
package enum Canonical {
    package static func append(_ text: String, tag: Unicode.Scalar, to bytes: inout [UInt8]) {
        let content = text.utf8
        bytes += String(content.count + 1).utf8
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: tag))
        bytes += content
    }
}

extension FieldValue: Hashable {
    package static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left.canonical, right.canonical) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch canonical {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value):
            for byte in value.utf8 { hasher.combine(byte) }
        }
    }
}

extension FieldValue: Comparable {
    /// Nothing, then numbers by value, then texts by their bytes. A total order that agrees with
    /// `==`: an integer and a double of the same size beyond ±2^53 are two values, and the integer
    /// comes first.
    package static func < (left: FieldValue, right: FieldValue) -> Bool {
        switch (left.canonical, right.canonical) {
        case (.integer(let left), .integer(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.integer(let whole), .double(let number)): !precedes(number, whole)
        case (.double(let number), .integer(let whole)): precedes(number, whole)
        case (.string(let left), .string(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        case (let left, let right): left.rank < right.rank
        }
    }

    /// Compares without rounding the integer to a double.
    private static func precedes(_ number: Double, _ whole: Int64) -> Bool {
        if number < -0x1p63 { return true }
        if number >= 0x1p63 { return false }
        let truncated = Int64(number)
        return truncated == whole ? number < Double(truncated) : truncated < whole
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .double: 1
        case .string: 2
        }
    }
}
