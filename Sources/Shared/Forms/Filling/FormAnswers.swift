package import Coding

/// Where an answer stands: in the inspection itself, or in a row of a repeat.
package struct AnswerKey: Hashable, Sendable {
    /// The row's record; nil for the inspection.
    package var row: String?
    /// The question's path from the record's root.
    package var path: String

    package init(row: String? = nil, _ path: String) {
        self.row = row
        self.path = path
    }
}

/// The answers of an inspection and of the rows of its repeats.
package struct FormAnswers: Equatable, Sendable {
    /// One time that a repeat is asked.
    package struct Row: Equatable, Sendable {
        /// The id of its record.
        package let id: String
        /// The row that it stands in; nil for one of the inspection itself.
        package let parent: String?
        /// The repeat's path.
        package let path: String
        package var fields: [String: FieldValue]

        package init(
            id: String, parent: String? = nil, path: String, fields: [String: FieldValue] = [:]
        ) {
            self.id = id
            self.parent = parent
            self.path = path
            self.fields = fields
        }
    }

    package var fields: [String: FieldValue]
    /// In the order in which they are asked.
    package private(set) var rows: [Row]
    /// Where each row stands among them, by its id.
    private var places: [String: Int]

    package init(_ fields: [String: FieldValue] = [:], rows: [Row] = []) {
        self.fields = fields
        self.rows = rows
        places = Self.places(of: rows)
    }

    private static func places(of rows: [Row]) -> [String: Int] {
        Dictionary(
            rows.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package subscript(key: AnswerKey) -> FieldValue {
        get {
            guard let row = key.row else { return fields[key.path] ?? .null }
            return self.row(row)?.fields[key.path] ?? .null
        }
        set {
            let value: FieldValue? = newValue.isNull ? nil : newValue
            guard let row = key.row else {
                fields[key.path] = value
                return
            }
            guard let index = places[row] else { return }
            rows[index].fields[key.path] = value
        }
    }

    package func row(_ id: String) -> Row? { places[id].map { rows[$0] } }

    /// The rows of one repeat within the inspection or within one row.
    package func rows(of path: String, in parent: String?) -> [Row] {
        rows.filter { $0.path == path && $0.parent == parent }
    }

    package mutating func append(_ row: Row) {
        if places[row.id] == nil { places[row.id] = rows.count }
        rows.append(row)
    }

    /// Takes rows away, and the rows within them.
    /// - Returns: the ids of all that went.
    package mutating func remove(rows ids: [String]) -> Set<String> {
        guard !ids.isEmpty else { return [] }
        let children = Dictionary(grouping: rows.filter { $0.parent != nil }, by: \.parent)
        var gone = Set(ids)
        var waiting = ids
        while let id = waiting.popLast() {
            for row in children[id] ?? [] where gone.insert(row.id).inserted {
                waiting.append(row.id)
            }
        }
        rows.removeAll { gone.contains($0.id) }
        places = Self.places(of: rows)
        return gone
    }
}
