// Typed reading of a document whose shape is known. Keys that nobody asks for are tolerated: a
// newer peer may send more. A member that is null counts as absent.

extension JSON {
    /// The member, or nil where it is absent or null.
    package func member(_ key: String) throws(CodingError) -> JSON? {
        guard case .object(let members) = self else {
            throw CodingError(.unexpected, "expected an object")
        }
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    /// The member, which may also be an explicit null.
    package func required(_ key: String) throws(CodingError) -> JSON {
        guard case .object(let members) = self else {
            throw CodingError(.unexpected, "expected an object")
        }
        guard let value = members[key] else {
            throw CodingError(.missing, path: key, "is missing")
        }
        return value
    }

    package func asString() throws(CodingError) -> String {
        guard case .string(let value) = self else {
            throw CodingError(.unexpected, "expected a string")
        }
        return value
    }

    package func asInteger() throws(CodingError) -> Int64 {
        guard case .integer(let value) = self else {
            throw CodingError(.unexpected, "expected an integer")
        }
        return value
    }

    package func asBool() throws(CodingError) -> Bool {
        guard case .bool(let value) = self else {
            throw CodingError(.unexpected, "expected true or false")
        }
        return value
    }

    /// A number with or without a fraction.
    package func asDouble() throws(CodingError) -> Double {
        switch self {
        case .double(let value): return value
        case .integer(let value): return Double(value)
        default: throw CodingError(.unexpected, "expected a number")
        }
    }

    package func asArray() throws(CodingError) -> [JSON] {
        guard case .array(let elements) = self else {
            throw CodingError(.unexpected, "expected an array")
        }
        return elements
    }

    package func asObject() throws(CodingError) -> [String: JSON] {
        guard case .object(let members) = self else {
            throw CodingError(.unexpected, "expected an object")
        }
        return members
    }
}

extension JSON {
    /// Reads the member with `read`; an error says where it stood.
    package func read<Value>(
        _ key: String, _ read: (JSON) throws(CodingError) -> Value
    ) throws(CodingError) -> Value {
        let value = try required(key)
        do {
            return try read(value)
        } catch {
            throw error.inside(key: key)
        }
    }

    /// As `read`, but nil where the member is absent or null.
    package func readOptional<Value>(
        _ key: String, _ read: (JSON) throws(CodingError) -> Value
    ) throws(CodingError) -> Value? {
        guard let value = try member(key) else { return nil }
        do {
            return try read(value)
        } catch {
            throw error.inside(key: key)
        }
    }

    /// Reads each element of an array member.
    package func array<Element>(
        _ key: String, of read: (JSON) throws(CodingError) -> Element
    ) throws(CodingError) -> [Element] {
        let elements = try self.read(key) { value throws(CodingError) in try value.asArray() }
        return try Self.map(elements, key: key, read)
    }

    /// As `array`, but empty where the member is absent or null.
    package func optionalArray<Element>(
        _ key: String, of read: (JSON) throws(CodingError) -> Element
    ) throws(CodingError) -> [Element] {
        try member(key) == nil ? [] : array(key, of: read)
    }

    /// Reads each member of an object member.
    package func dictionary<Element>(
        _ key: String, of read: (JSON) throws(CodingError) -> Element
    ) throws(CodingError) -> [String: Element] {
        let members = try self.read(key) { value throws(CodingError) in try value.asObject() }
        var result: [String: Element] = [:]
        result.reserveCapacity(members.count)
        for (name, value) in members {
            do {
                result[name] = try read(value)
            } catch {
                throw error.inside(key: name).inside(key: key)
            }
        }
        return result
    }

    package func optionalDictionary<Element>(
        _ key: String, of read: (JSON) throws(CodingError) -> Element
    ) throws(CodingError) -> [String: Element] {
        try member(key) == nil ? [:] : dictionary(key, of: read)
    }

    private static func map<Element>(
        _ elements: [JSON], key: String, _ read: (JSON) throws(CodingError) -> Element
    ) throws(CodingError) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do {
                result.append(try read(element))
            } catch {
                throw error.inside(key: key, index: index)
            }
        }
        return result
    }
}

extension JSON {
    package func string(_ key: String) throws(CodingError) -> String {
        try read(key) { value throws(CodingError) in try value.asString() }
    }

    package func integer(_ key: String) throws(CodingError) -> Int64 {
        try read(key) { value throws(CodingError) in try value.asInteger() }
    }

    package func bool(_ key: String) throws(CodingError) -> Bool {
        try read(key) { value throws(CodingError) in try value.asBool() }
    }

    package func double(_ key: String) throws(CodingError) -> Double {
        try read(key) { value throws(CodingError) in try value.asDouble() }
    }

    /// The member, which must be an object, for further reading.
    package func object(_ key: String) throws(CodingError) -> JSON {
        try read(key) { value throws(CodingError) in .object(try value.asObject()) }
    }

    package func optionalString(_ key: String) throws(CodingError) -> String? {
        try readOptional(key) { value throws(CodingError) in try value.asString() }
    }

    package func optionalInteger(_ key: String) throws(CodingError) -> Int64? {
        try readOptional(key) { value throws(CodingError) in try value.asInteger() }
    }

    package func optionalBool(_ key: String) throws(CodingError) -> Bool? {
        try readOptional(key) { value throws(CodingError) in try value.asBool() }
    }

    package func optionalDouble(_ key: String) throws(CodingError) -> Double? {
        try readOptional(key) { value throws(CodingError) in try value.asDouble() }
    }

    package func optionalObject(_ key: String) throws(CodingError) -> JSON? {
        try readOptional(key) { value throws(CodingError) in .object(try value.asObject()) }
    }
}
