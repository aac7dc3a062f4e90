internal import Forms
internal import SQLite

/// A question's column in a view.
struct ViewColumn {
    /// What it is called in the store.
    var field: String
    /// What it is called in the view.
    var name: String

    /// The questions beyond this are in `field`, not in the view.
    static let longest = 500

    /// By their names, or by their paths where several have the name, so that a view reads like the form
    /// does. SQLite's names are the same in upper and lower case, ours are not.
    /// - Parameter others: columns that stand before.
    static func columns(of questions: [Question], beside others: [String]) -> [ViewColumn] {
        let answered = questions.filter { $0.type.takesAnswer || $0.isDerived }.prefix(longest)
        let sharing = Dictionary(grouping: answered) { $0.name.lowercased() }
        var taken = Set(others.map { $0.lowercased() })
        // The plain ones first: the path of another question may be their name.
        let named = answered.filter {
            sharing[$0.name.lowercased()]?.count == 1
                && taken.insert($0.name.lowercased()).inserted
        }
        let plain = Set(named.map(\.path))
        return answered.map { question in
            guard !plain.contains(question.path) else {
                return ViewColumn(field: question.path, name: question.name)
            }
            var name = question.path
            while !taken.insert(name.lowercased()).inserted { name += "_" }
            return ViewColumn(field: question.path, name: name)
        }
    }

    func selected(of record: String) -> String {
        """
            (SELECT value FROM field WHERE record_id = \(record) AND name = \
        \(SQLText.literal(field))) AS \(SQLText.quoted(name))
        """
    }

    /// Two statements a column: a field that is there is updated, one that is not is inserted.
    func writes(record: String, from old: String?) -> String {
        let new = "NEW." + SQLText.quoted(name)
        let changed = old.map { " AND \($0)\(SQLText.quoted(name)) IS NOT \(new)" } ?? ""
        let field = SQLText.literal(field)
        return """
                UPDATE field SET value = \(new)
                WHERE record_id = \(record) AND name = \(field)\(changed);
                INSERT INTO field (record_id, name, value)
                SELECT \(record), \(field), \(new)
                WHERE \(new) IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM field WHERE record_id = \(record) AND name = \(field));
            """
    }
}

/// Names and texts of forms inside statements.
enum SQLText {
    static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }

    static func literal(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }
}

extension Connection {
    /// With its triggers.
    func dropView(_ name: String) throws {
        try execute("DROP VIEW IF EXISTS \(SQLText.quoted(name))")
    }
}
