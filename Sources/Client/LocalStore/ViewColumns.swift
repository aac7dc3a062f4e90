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

    /// - Parameter others: columns that stand before.
    static func columns(
        of fields: [FormVersions.Field], beside others: [String]
    ) -> [ViewColumn] {
        let fields = fields.prefix(longest).map(\.path)
        return zip(fields, SQLViewNames.columns(of: fields, besides: others)).map {
            ViewColumn(field: $0, name: $1)
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

extension Connection {
    /// With its triggers.
    func dropView(_ name: String) throws {
        try execute("DROP VIEW IF EXISTS \(SQLText.quoted(name))")
    }
}
