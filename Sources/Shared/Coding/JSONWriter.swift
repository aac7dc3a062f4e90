extension JSON {
    /// The document as UTF-8, keys in the order of their bytes, so that equal values give equal
    /// bytes. Numbers come back exactly: integers in full, doubles in the shortest form that reads
    /// back to the same bits.
    ///
    /// - Precondition: no double is infinite or NaN, for which JSON has no notation.
    package func serialized(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.write(self, indent: 0)
        return writer.bytes
    }

    package func text(pretty: Bool = false) -> String {
        String(decoding: serialized(pretty: pretty), as: UTF8.self)
    }
}

private struct JSONWriter {
    var bytes: [UInt8] = []
    let pretty: Bool

    init(pretty: Bool) { self.pretty = pretty }

    mutating func write(_ json: JSON, indent: Int) {
        switch json {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .double(let value):
            precondition(value.isFinite, "JSON has no infinity and no NaN")
            bytes += value.description.utf8
        case .string(let value): write(string: value)
        case .array(let elements): write(elements, indent: indent)
        case .object(let members): write(members, indent: indent)
        }
    }

    private mutating func write(_ elements: [JSON], indent: Int) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            separate(first: index == 0, indent: indent + 1)
            write(element, indent: indent + 1)
        }
        if !elements.isEmpty { breakLine(indent: indent) }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ members: [String: JSON], indent: Int) {
        bytes.append(UInt8(ascii: "{"))
        // Order by bytes: Swift's own order of strings depends on Unicode tables.
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (index, member) in sorted.enumerated() {
            separate(first: index == 0, indent: indent + 1)
            write(string: member.key)
            bytes += (pretty ? ": " : ":").utf8
            write(member.value, indent: indent + 1)
        }
        if !members.isEmpty { breakLine(indent: indent) }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func separate(first: Bool, indent: Int) {
        if !first { bytes.append(UInt8(ascii: ",")) }
        breakLine(indent: indent)
    }

    private mutating func breakLine(indent: Int) {
        guard pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: 2 * indent)
    }

    private mutating func write(string: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20: writeEscape(of: byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func writeEscape(of control: UInt8) {
        switch control {
        case 0x08: bytes += "\\b".utf8
        case 0x09: bytes += "\\t".utf8
        case 0x0A: bytes += "\\n".utf8
        case 0x0C: bytes += "\\f".utf8
        case 0x0D: bytes += "\\r".utf8
        default:
            bytes += "\\u00".utf8
            if control < 0x10 { bytes.append(UInt8(ascii: "0")) }
            bytes += String(control, radix: 16).utf8
        }
    }
}
