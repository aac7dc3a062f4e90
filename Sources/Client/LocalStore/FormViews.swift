internal import Forms
internal import SQLite

/// One SQL view a form, so that `walkdown sql` reads and edits its inspections like a table; what is
/// written through it is captured like a key press.
///
/// Columns: `id`, the built-in fields, then the questions by their paths, as they are stored (no
/// CAST). Joins would end at 64 tables, hence a subselect a column.
struct FormView {
    let name: String
    private let columns: [Column]

    private struct Column {
        var field: String
        var name: String
    }

    /// The questions beyond this are in `field`, not in the view.
    static let longest = 500

    private static let builtIn = [
        "@state", "@formVersion", "@asset", "@title", "@due", "@assignee",
    ]

    init(form: FormDefinition) {
        let answered = form.questions.filter(\.type.takesAnswer).map(\.path)
        // SQLite's names are the same in upper and lower case, ours are not.
        var taken: Set<String> = ["id"]
        columns = (Self.builtIn + answered.prefix(Self.longest)).map { field in
            var name = field
            while !taken.insert(name.lowercased()).inserted { name += "_" }
            return Column(field: field, name: name)
        }
        name = form.id
        formID = form.id
    }

    private let formID: String

    func create(in database: Connection) throws {
        let name = try freeName(in: database)
        try database.execute("DROP VIEW IF EXISTS \(quoted(name))")
        try database.execute(view(name))
        try database.execute(insertTrigger(name))
        try database.execute(updateTrigger(name))
        try database.execute(deleteTrigger(name))
    }

    /// The form's id, unless a table of ours has that name or could have it.
    private func freeName(in database: Connection) throws -> String {
        let isTaken = try database.first(
            "SELECT 1 FROM sqlite_master WHERE type <> 'view' AND lower(name) = lower(?)",
            [.text(name)]
        ) { _ in true }
        let isReserved = ["sqlite_", "__sync_"].contains { name.lowercased().hasPrefix($0) }
        return isTaken != nil || isReserved ? "form_" + name : name
    }

    private func view(_ name: String) -> String {
        let answers = columns.map { column in
            """
                (SELECT value FROM field WHERE record_id = record.id AND name = \
            \(literal(column.field))) AS \(quoted(column.name))
            """
        }
        return """
            CREATE VIEW \(quoted(name)) AS
            SELECT record.id AS id,
            \(answers.joined(separator: ",\n"))
            FROM record
            WHERE record.table_name = 'inspection' AND record.is_deleted = 0
                AND (SELECT value FROM field WHERE record_id = record.id AND name = '@form')
                    = \(literal(formID))
            """
    }

    /// The state goes first where it opens the answers, and last where it closes them.
    private func updateTrigger(_ name: String) -> String {
        let state = quoted("@state")
        let answers = columns.filter { $0.field != "@state" }
        let states = columns.filter { $0.field == "@state" }
        return """
            CREATE TRIGGER \(quoted(name + "_updated")) INSTEAD OF UPDATE ON \(quoted(name))
            BEGIN
                SELECT raise(ABORT, 'walkdown:key') WHERE OLD.id IS NOT NEW.id;
                UPDATE field SET value = NEW.\(state)
                WHERE record_id = OLD.id AND name = '@state'
                    AND OLD.\(state) IS NOT NEW.\(state) AND NEW.\(state) IS NOT 'complete';
            \((answers + states).map { writes($0, record: "OLD.id", from: "OLD.") }
                .joined(separator: "\n"))
            END
            """
    }

    /// Two statements a column: a field that is there is updated, one that is not is inserted.
    private func writes(_ column: Column, record: String, from old: String?) -> String {
        let new = "NEW." + quoted(column.name)
        let changed = old.map { " AND \($0)\(quoted(column.name)) IS NOT \(new)" } ?? ""
        let field = literal(column.field)
        return """
                UPDATE field SET value = \(new)
                WHERE record_id = \(record) AND name = \(field)\(changed);
                INSERT INTO field (record_id, name, value)
                SELECT \(record), \(field), \(new)
                WHERE \(new) IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM field WHERE record_id = \(record) AND name = \(field));
            """
    }

    /// Begins an inspection on the newest version of the form; an id and a state are made where
    /// none is given.
    private func insertTrigger(_ name: String) -> String {
        let made = "(SELECT value FROM __sync_metadata WHERE key = 'inserted_by_view')"
        let answers = columns.filter { !["@state", "@formVersion"].contains($0.field) }
        return """
            CREATE TRIGGER \(quoted(name + "_inserted")) INSTEAD OF INSERT ON \(quoted(name))
            BEGIN
                UPDATE __sync_metadata SET value = coalesce(NEW.id, walkdown_uuid())
                WHERE key = 'inserted_by_view';
                INSERT INTO record (id, table_name, parent_id)
                SELECT \(made), 'inspection', NEW."@asset";
                INSERT INTO field (record_id, name, value)
                SELECT \(made), '@form', \(literal(formID));
                INSERT INTO field (record_id, name, value)
                SELECT \(made), '@formVersion', coalesce(NEW."@formVersion", (
                    SELECT version FROM form WHERE id = \(literal(formID))
                    ORDER BY state = 'open' DESC, length(version) DESC, version DESC LIMIT 1));
                INSERT INTO field (record_id, name, value)
                SELECT \(made), '@state', coalesce(NEW."@state", 'inProgress');
            \(answers.map { writes($0, record: made, from: nil) }.joined(separator: "\n"))
            END
            """
    }

    private func deleteTrigger(_ name: String) -> String {
        """
        CREATE TRIGGER \(quoted(name + "_deleted")) INSTEAD OF DELETE ON \(quoted(name))
        BEGIN
            UPDATE record SET is_deleted = 1 WHERE id = OLD.id;
        END
        """
    }

    private func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }

    private func literal(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }
}
