internal import Coding

// The small rules that every message shares.

/// Versions, counters, sequences: never negative.
enum Count {
    static func read(_ json: JSON) throws(CodingError) -> Int64 {
        let value = try json.asInteger()
        guard value >= 0 else { throw CodingError(.unexpected, "expected a count of 0 or more") }
        return value
    }
}

/// Names of fields and tables: 1 to 256 printable ASCII characters, as in forms. Two spellings of one
/// character would be two names to the stores and one to `String`: a record with both could be read
/// by nobody.
enum FieldNames {
    static func read(_ json: JSON) throws(CodingError) -> String {
        let name = try json.asString()
        guard (1...256).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw CodingError(.unexpected, "expected a name of 1 to 256 ASCII characters") }
        return name
    }
}

/// Times, batons, cursors: opaque or for people, and short.
enum ShortText {
    static func read(_ json: JSON) throws(CodingError) -> String {
        let text = try json.asString()
        guard text.utf8.count <= 1_024 else { throw CodingError(.tooLarge, "more than 1024 bytes") }
        return text
    }
}
