internal import Forms
internal import SQLite

/// One SQL view a form, so that `walkdown sql` reads and edits its inspections like a table; what is
/// written through it is captured like a key press.
///
/// Columns: `id`, the built-in fields, then the questions of all versions, the newest's first, as they
/// are stored (no CAST). What is written is held against the version of the inspection itself. Joins would end
/// at 64 tables, hence a subselect a column.
struct FormView {
    let name: String
    private let formID: String
    private let columns: [ViewColumn]

    private static let builtIn = [
        "@state", "@formVersion", "@asset", "@title", "@due", "@assignee",
    ]

    /// - Parameter name: see `SQLViewNames`.
    init(form: FormVersions, name: String) {
        columns =
            Self.builtIn.map { ViewColumn(field: $0, name: $0) }
            + ViewColumn.columns(
                of: form.fields(ofRepeat: nil), beside: ["id"] + Self.builtIn)
        self.name = name
        formID = form.id
    }

    func create(in database: Connection) throws {
        try database.dropView(name)
        try database.execute(view(name))
        try database.execute(insertTrigger(name))
        try database.execute(updateTrigger(name))
        try database.execute(deleteTrigger(name))
    }

    private func view(_ name: String) -> String {
        let answers = columns.map { $0.selected(of: "record.id") }
        return """
            CREATE VIEW \(SQLText.quoted(name)) AS
            SELECT record.id AS id,
            \(answers.joined(separator: ",\n"))
            FROM record
            WHERE record.table_name = 'inspection' AND record.is_deleted = 0
                AND NOT EXISTS (SELECT 1 FROM __sync_archived WHERE record_id = record.id)
                AND (SELECT value FROM field WHERE record_id = record.id AND name = '@form')
                    = \(SQLText.literal(formID))
            """
    }

    /// The state goes first where it opens the answers, and last where it closes them.
    private func updateTrigger(_ name: String) -> String {
        let state = SQLText.quoted("@state")
        let answers = columns.filter { $0.field != "@state" }
        let states = columns.filter { $0.field == "@state" }
        return """
            CREATE TRIGGER \(SQLText.quoted(name + "_updated")) INSTEAD OF UPDATE ON \(SQLText.quoted(name))
            BEGIN
                SELECT raise(ABORT, 'walkdown:key') WHERE OLD.id IS NOT NEW.id;
                UPDATE field SET value = NEW.\(state)
                WHERE record_id = OLD.id AND name = '@state'
                    AND OLD.\(state) IS NOT NEW.\(state) AND NEW.\(state) IS NOT 'complete';
            \((answers + states).map { $0.writes(record: "OLD.id", from: "OLD.") }
                .joined(separator: "\n"))
            END
            """
    }

    /// Begins an inspection on the newest version of the form; an id and a state are made where
    /// none is given.
    private func insertTrigger(_ name: String) -> String {
        let made = "(SELECT value FROM __sync_metadata WHERE key = 'inserted_by_view')"
        let answers = columns.filter { !["@state", "@formVersion", "@asset"].contains($0.field) }
        return """
            CREATE TRIGGER \(SQLText.quoted(name + "_inserted")) INSTEAD OF INSERT ON \(SQLText.quoted(name))
            BEGIN
                SELECT raise(ABORT, 'walkdown:asset')
                WHERE NEW."@asset" IS NOT NULL AND (SELECT count(*) \(Self.assets)) <> 1;
                UPDATE __sync_metadata SET value = coalesce(NEW.id, walkdown_uuid())
                WHERE key = 'inserted_by_view';
                INSERT INTO record (id, table_name, parent_id)
                SELECT \(made), 'inspection', (SELECT id \(Self.assets));
                INSERT INTO field (record_id, name, value)
                SELECT \(made), '@asset', value FROM field
                WHERE name = '@tag' AND value IS NOT NULL
                    AND record_id = (SELECT parent_id FROM record WHERE id = \(made));
                INSERT INTO field (record_id, name, value)
                SELECT \(made), '@form', \(SQLText.literal(formID));
                INSERT INTO field (record_id, name, value)
                SELECT \(made), '@formVersion', coalesce(NEW."@formVersion", (
                    SELECT version FROM form WHERE id = \(SQLText.literal(formID))
                    ORDER BY state = 'open' DESC, length(version) DESC, version DESC LIMIT 1));
                INSERT INTO field (record_id, name, value)
                SELECT \(made), '@state', coalesce(NEW."@state", 'inProgress');
            \(answers.map { $0.writes(record: made, from: nil) }.joined(separator: "\n"))
            END
            """
    }

    /// What `@asset` names for a new inspection: an asset's tag, or its id.
    private static let assets = """
        FROM record AS asset
                WHERE table_name = 'asset' AND is_deleted = 0 AND (id = NEW."@asset" OR EXISTS (
                    SELECT 1 FROM field
                    WHERE record_id = asset.id AND name = '@tag' AND value = NEW."@asset"))
        """

    private func deleteTrigger(_ name: String) -> String {
        """
        CREATE TRIGGER \(SQLText.quoted(name + "_deleted")) INSTEAD OF DELETE ON \(SQLText.quoted(name))
        BEGIN
            UPDATE record SET is_deleted = 1 WHERE id = OLD.id;
        END
        """
    }
}
