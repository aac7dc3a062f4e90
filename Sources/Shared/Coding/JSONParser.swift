internal import CJansson

extension JSON {
    /// Reads one document; whatever stands behind it except white space is refused, and so are
    /// duplicate keys, byte order marks, other encodings than UTF-8 and `\u0000`.
    package static func parse(
        _ bytes: [UInt8], limits: JSONLimits = .wire
    ) throws(CodingError) -> JSON {
        // A Result carries the typed error out of the closure, whose own throws is untyped.
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(CodingError) in try parse(buffer, limits: limits) }
        }
        return try result.get()
    }

    package static func parse(
        _ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .wire
    ) throws(CodingError) -> JSON {
        try checkOutline(bytes, limits: limits)
        var problem = json_error_t()
        // DECODE_ANY: a document may be a lone value. No ALLOW_NUL: C programs on the way (SQLite,
        // terminals) would cut the text there.
        let flags = Int(JSON_REJECT_DUPLICATES) | Int(JSON_DECODE_ANY)
        let start = bytes.bindMemory(to: CChar.self).baseAddress
        guard let root = json_loadb(start, bytes.count, flags, &problem) else {
            throw CodingError(refusalOf: problem)
        }
        defer { json_decref(root) }
        return try JSON(copying: root, limits: limits)
    }

    /// One pass over the bytes that counts before anything is allocated: jansson itself allows a
    /// depth of 2048 and as many values as there is memory.
    private static func checkOutline(
        _ bytes: UnsafeRawBufferPointer, limits: JSONLimits
    ) throws(CodingError) {
        guard bytes.count <= limits.bytes else {
            throw CodingError(.tooLarge, "more than \(limits.bytes) bytes")
        }
        guard !bytes.isEmpty else { throw CodingError(.malformed, "the document is empty") }
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw CodingError(.malformed, "begins with a byte order mark")
        }
        var depth = 0
        var values = 1
        var inString = false
        var escaped = false
        for byte in bytes {
            if inString {
                if escaped {
                    escaped = false
                } else if byte == UInt8(ascii: "\\") {
                    escaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                values += 1
                guard depth <= limits.depth else {
                    throw CodingError(.tooLarge, "nested deeper than \(limits.depth)")
                }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ","): values += 1
            default: break
            }
        }
        guard values <= limits.values else {
            throw CodingError(.tooLarge, "more than \(limits.values) values")
        }
    }

    /// The recursion is bounded: `checkOutline` has refused what is nested too deep.
    private init(
        copying node: UnsafeMutablePointer<json_t>, limits: JSONLimits
    ) throws(CodingError) {
        switch walkdown_json_typeof(node) {
        case JSON_OBJECT: self = .object(try Self.members(of: node, limits: limits))
        case JSON_ARRAY: self = .array(try Self.elements(of: node, limits: limits))
        case JSON_STRING:
            let count = json_string_length(node)
            guard count <= limits.stringBytes else {
                throw CodingError(.tooLarge, "a string of more than \(limits.stringBytes) bytes")
            }
            self = .string(Self.text(json_string_value(node), count: count))
        case JSON_INTEGER: self = .integer(Int64(json_integer_value(node)))
        case JSON_REAL: self = .double(json_real_value(node))
        case JSON_TRUE: self = .bool(true)
        case JSON_FALSE: self = .bool(false)
        default: self = .null
        }
    }

    private static func members(
        of node: UnsafeMutablePointer<json_t>, limits: JSONLimits
    ) throws(CodingError) -> [String: JSON] {
        var members: [String: JSON] = [:]
        members.reserveCapacity(json_object_size(node))
        var position = json_object_iter(node)
        while let here = position {
            let key = text(json_object_iter_key(here), count: nil)
            guard key.utf8.count <= limits.stringBytes else {
                throw CodingError(.tooLarge, "a key of more than \(limits.stringBytes) bytes")
            }
            if let value = json_object_iter_value(here) {
                let copy: JSON
                do {
                    copy = try JSON(copying: value, limits: limits)
                } catch {
                    throw error.inside(key: key)
                }
                // Swift's strings are equal when they look equal: two keys that differ only in
                // their Unicode composition pass jansson and would silently become one here.
                guard members.updateValue(copy, forKey: key) == nil else {
                    throw CodingError(.duplicateKey, "the same key twice")
                }
            }
            position = json_object_iter_next(node, here)
        }
        return members
    }

    private static func elements(
        of node: UnsafeMutablePointer<json_t>, limits: JSONLimits
    ) throws(CodingError) -> [JSON] {
        let count = json_array_size(node)
        var elements: [JSON] = []
        elements.reserveCapacity(count)
        for index in 0..<count {
            guard let element = json_array_get(node, index) else { continue }
            elements.append(try JSON(copying: element, limits: limits))
        }
        return elements
    }

    /// jansson has checked that these bytes are UTF-8, so that decoding repairs nothing.
    private static func text(_ start: UnsafePointer<CChar>?, count: Int?) -> String {
        guard let start else { return "" }
        guard let count else { return String(cString: start) }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension CodingError {
    /// jansson's own text quotes the document ("near '…'"), so only its code and place are used.
    fileprivate init(refusalOf problem: json_error_t) {
        var copy = problem
        let place = "line \(problem.line), column \(problem.column)"
        switch json_error_code(&copy) {
        case json_error_duplicate_key: self.init(.duplicateKey, "the same key twice at \(place)")
        case json_error_numeric_overflow:
            self.init(.numberRange, "a number out of range at \(place)")
        case json_error_end_of_input_expected:
            self.init(.malformed, "more follows behind the document at \(place)")
        case json_error_premature_end_of_input: self.init(.malformed, "ends too early at \(place)")
        case json_error_invalid_utf8: self.init(.malformed, "not UTF-8 at \(place)")
        case json_error_null_character, json_error_null_byte_in_key:
            self.init(.malformed, "a NUL character at \(place)")
        default: self.init(.malformed, "not JSON at \(place)")
        }
    }
}
