internal import SQLite

/// Bytes of an entry while they are written: whole numbers as LEB128, signed ones folded (zigzag), and
/// before each text or list its length.
struct JournalBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: Int64) {
        var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func append(_ count: Int) { append(Int64(count)) }

    mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func append(_ text: String) {
        append(text.utf8.count)
        bytes += text.utf8
    }

    mutating func append(blob: [UInt8]) {
        append(blob.count)
        bytes += blob
    }

    mutating func append(_ value: DatabaseValue) {
        switch value {
        case .null: bytes.append(0)
        case .integer(let integer):
            bytes.append(1)
            append(integer)
        case .real(let real):
            bytes.append(2)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: real.bitPattern >> (8 * $0)) }
        case .text(let text):
            bytes.append(3)
            append(text)
        case .blob(let blob):
            bytes.append(4)
            append(blob: blob)
        }
    }

    mutating func append<Element>(
        list: [Element], _ one: (inout JournalBytes, Element) -> Void
    ) {
        append(list.count)
        for element in list { one(&self, element) }
    }

    /// In the order of the names, so that equal content gives equal bytes.
    mutating func append<Element>(
        named values: [String: Element], _ one: (inout JournalBytes, Element) -> Void
    ) {
        append(list: values.sorted { $0.key < $1.key }) { bytes, pair in
            bytes.append(pair.key)
            one(&bytes, pair.value)
        }
    }
}

/// Reads what `JournalBytes` wrote. No length is believed before it is held against what is there.
struct JournalByteReader {
    private let bytes: [UInt8]
    private var place = 0
    /// Of the entry that is read.
    var format = JournalEntry.format

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws(JournalFault) -> UInt8 {
        guard place < bytes.count else { throw .malformed }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func integer() throws(JournalFault) -> Int64 {
        var folded: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try byte()
            // The tenth byte has room for one bit.
            guard shift < 63 || byte <= 1 else { throw .malformed }
            folded |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else {
                return Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
            }
        }
        throw .malformed
    }

    /// A count of things of which each takes a byte at least.
    mutating func count() throws(JournalFault) -> Int {
        let number = try integer()
        guard number >= 0, number <= Int64(bytes.count - place) else { throw .malformed }
        return Int(number)
    }

    mutating func flag() throws(JournalFault) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw .malformed }
        return byte == 1
    }

    mutating func blob() throws(JournalFault) -> [UInt8] {
        let count = try count()
        return try taking(count)
    }

    mutating func taking(_ count: Int) throws(JournalFault) -> [UInt8] {
        guard count <= bytes.count - place else { throw .malformed }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    mutating func text() throws(JournalFault) -> String {
        guard let text = String(validating: try blob(), as: UTF8.self) else { throw .malformed }
        return text
    }

    mutating func value() throws(JournalFault) -> DatabaseValue {
        switch try byte() {
        case 0: return .null
        case 1: return .integer(try integer())
        case 2:
            let bits = try taking(8).enumerated().reduce(UInt64(0)) { bits, next in
                bits | UInt64(next.element) << (8 * UInt64(next.offset))
            }
            return .real(Double(bitPattern: bits))
        case 3: return .text(try text())
        case 4: return .blob(try blob())
        default: throw .malformed
        }
    }

    mutating func list<Element>(
        _ one: (inout JournalByteReader) throws -> Element
    ) throws -> [Element] {
        let count = try count()
        var list: [Element] = []
        for _ in 0..<count { list.append(try one(&self)) }
        return list
    }

    mutating func named<Element>(
        _ one: (inout JournalByteReader) throws -> Element
    ) throws -> [String: Element] {
        let pairs = try list { reader in (try reader.text(), try one(&reader)) }
        let values = Dictionary(pairs) { first, _ in first }
        guard values.count == pairs.count else { throw JournalFault.malformed }
        return values
    }
}
