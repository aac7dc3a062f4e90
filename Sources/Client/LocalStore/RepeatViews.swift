internal import Forms
internal import SQLite

/// One SQL view a repeat: its rows, each with the inspection and the row that it stands in.
///
/// Columns: `id`, `inspection`, `parent` (the row around it), `position` (from 1), then the questions.
/// What is written through it is captured like a key press.
struct RepeatView {
    let name: String
    private let path: String
    private let formID: String
    private let placings: [FormVersions.RepeatPlacing]
    private let columns: [ViewColumn]

    private static let leading = ["id", "inspection", "parent", "position"]

    init(_ path: String, of form: FormVersions, name: String) {
        self.name = name
        self.path = path
        formID = form.id
        placings = form.placings(ofRepeat: path)
        columns = ViewColumn.columns(
            of: form.fields(ofRepeat: path), beside: Self.leading)
    }

    func create(in database: Connection) throws {
        try database.dropView(name)
        for statement in [view, insertTrigger, updateTrigger, deleteTrigger] {
            try database.execute(statement)
        }
    }

    private var view: String {
        let depths = Set(placings.map(\.around.count)).sorted()
        return """
            CREATE VIEW \(SQLText.quoted(name)) AS
            \(depths.map(rows).joined(separator: "\nUNION ALL\n"))
            """
    }

    /// From the row outwards: every record that it stands in is here and not deleted.
    /// - Parameter depth: how many rows it stands in.
    private func rows(depth: Int) -> String {
        let outer = (0..<depth).map { depth in
            """
            JOIN record AS outer\(depth) ON outer\(depth).id = \
            \(depth == 0 ? "record" : "outer\(depth - 1)").parent_id
                    AND outer\(depth).table_name = 'repeat' AND outer\(depth).is_deleted = 0
            """
        }
        let last = depth == 0 ? "record" : "outer\(depth - 1)"
        let answers = columns.map { ",\n" + $0.selected(of: "record.id") }.joined()
        return """
            SELECT record.id AS id, inspection.id AS inspection,
                \(depth == 0 ? "NULL" : "record.parent_id") AS parent,
                \(Self.position) AS position\(answers)
            FROM record
            \(outer.joined(separator: "\n"))
            JOIN record AS inspection ON inspection.id = \(last).parent_id
                AND inspection.table_name = 'inspection' AND inspection.is_deleted = 0
            WHERE record.table_name = 'repeat' AND record.is_deleted = 0
                AND \(Self.field("@repeat", of: "record")) = \(SQLText.literal(path))
                AND \(Self.field("@form", of: "record")) = \(SQLText.literal(formID))
                AND NOT EXISTS (SELECT 1 FROM __sync_archived WHERE record_id = inspection.id)
            """
    }

    private static func field(_ name: String, of record: String) -> String {
        "(SELECT value FROM field WHERE record_id = \(record).id AND name = '\(name)')"
    }

    /// Among its brothers by their order, equal ones by their ids.
    private static let position = """
        (SELECT count(*) FROM record AS brother
                    WHERE brother.parent_id = record.parent_id AND brother.table_name = 'repeat'
                        AND brother.is_deleted = 0
                        AND \(field("@repeat", of: "brother")) = \(field("@repeat", of: "record"))
                        AND (coalesce(\(field("@order", of: "brother")), 9e999)
                                < coalesce(\(field("@order", of: "record")), 9e999)
                            OR coalesce(\(field("@order", of: "brother")), 9e999)
                                = coalesce(\(field("@order", of: "record")), 9e999)
                            AND brother.id <= record.id))
        """

    private var updateTrigger: String {
        """
        CREATE TRIGGER \(SQLText.quoted(name + "_updated"))
        INSTEAD OF UPDATE ON \(SQLText.quoted(name))
        BEGIN
            SELECT raise(ABORT, 'walkdown:key')
            WHERE OLD.id IS NOT NEW.id OR OLD.inspection IS NOT NEW.inspection
                OR OLD.parent IS NOT NEW.parent OR OLD.position IS NOT NEW.position;
        \(columns.map { $0.writes(record: "OLD.id", from: "OLD.") }.joined(separator: "\n"))
        END
        """
    }

    /// At the end of its brothers. The row around it is `parent`, else the inspection.
    private var insertTrigger: String {
        let made = "(SELECT value FROM __sync_metadata WHERE key = 'inserted_by_view')"
        let outer = self.outer
        return """
            CREATE TRIGGER \(SQLText.quoted(name + "_inserted"))
            INSTEAD OF INSERT ON \(SQLText.quoted(name))
            BEGIN
                SELECT raise(ABORT, 'walkdown:row')
                WHERE NOT EXISTS (
                    SELECT 1 FROM record
                    WHERE id = \(outer) AND is_deleted = 0 AND (\(fitting))
                        AND \(Self.field("@form", of: "record")) = \(SQLText.literal(formID)));
                UPDATE __sync_metadata SET value = coalesce(NEW.id, walkdown_uuid())
                WHERE key = 'inserted_by_view';
                INSERT INTO record (id, table_name, parent_id) SELECT \(made), 'repeat', \(outer);
                INSERT INTO field (record_id, name, value)
                SELECT \(made), name, value FROM field
                WHERE record_id = \(outer) AND name IN ('@form', '@formVersion');
                INSERT INTO field (record_id, name, value)
                SELECT \(made), '@order', 1 + coalesce(max(place.value), 0)
                FROM record AS brother
                JOIN field AS kind ON kind.record_id = brother.id
                    AND kind.name = '@repeat' AND kind.value = \(SQLText.literal(path))
                JOIN field AS place ON place.record_id = brother.id AND place.name = '@order'
                WHERE brother.parent_id = \(outer) AND brother.is_deleted = 0;
                INSERT INTO field (record_id, name, value)
                SELECT \(made), '@repeat', \(SQLText.literal(path));
            \(columns.map { $0.writes(record: made, from: nil) }.joined(separator: "\n"))
            END
            """
    }

    /// What a new row stands in.
    private var outer: String {
        let depths = Set(placings.map { $0.around.isEmpty })
        if depths.count == 2 { return "coalesce(NEW.parent, NEW.inspection)" }
        return depths.contains(true) ? "NEW.inspection" : "NEW.parent"
    }

    /// Where the version of the form that the record above began with has this repeat.
    private var fitting: String {
        placings.map { placing in
            let versions = placing.versions.map(SQLText.literal).joined(separator: ", ")
            let isKnown = "\(Self.field("@formVersion", of: "record")) IN (\(versions))"
            guard let around = placing.around.last else {
                return "table_name = 'inspection' AND " + isKnown
            }
            return """
                table_name = 'repeat' AND \(isKnown) AND EXISTS (
                        SELECT 1 FROM field WHERE record_id = \(outer)
                            AND name = '@repeat' AND value = \(SQLText.literal(around)))
                """
        }.joined(separator: "\n                        OR ")
    }

    private var deleteTrigger: String {
        """
        CREATE TRIGGER \(SQLText.quoted(name + "_deleted"))
        INSTEAD OF DELETE ON \(SQLText.quoted(name))
        BEGIN
            UPDATE record SET is_deleted = 1 WHERE id = OLD.id;
        END
        """
    }
}
