internal import Coding
internal import Forms
internal import SQLite

/// All versions of one form, in the order in which they were published.
struct FormVersions {
    let id: String
    let versions: [FormDefinition]

    /// The union of the questions that take an answer, the newest version's first: what a later
    /// version renamed or left away has its column still.
    func fields(ofRepeat path: String?) -> [String] {
        var seen: Set<String> = []
        return versions.reversed().flatMap { form in
            form.allQuestions.filter { question in
                question.type.takesAnswer
                    && form.repetition(around: question.path)?.path == path
                    && seen.insert(question.path).inserted
            }.map(\.path)
        }
    }

    var repeats: [String] {
        Set(versions.flatMap { $0.repetitions.map(\.path) }).sorted()
    }

    /// How many rows a row of the repeat stands in, itself included.
    func depth(ofRepeat path: String) -> Int {
        versions.map { form in
            form.repetitions.filter { path == $0.path || path.hasPrefix($0.path + "/") }.count
        }.max() ?? 1
    }
}

/// The text of the views, for whoever reads the database with SQL of his own. They only read.
///
/// Columns: what records have of themselves, then the questions (`SQLViewNames`), as they are stored (no
/// CAST). Joins would end at 64 tables, hence a subselect a column; a query that does not name a
/// column does not pay for it.
struct FormViewText {
    let form: FormVersions

    /// SQLite takes 2,000 columns; questions beyond this are in the table `field` alone.
    static let longest = 1_900

    private static let builtIn = ["@state", "@formVersion", "@title", "@due", "@assignee"]

    /// An inspection a line.
    func inspections(named name: String) -> String {
        let own = ["id", "@asset"]
        return """
            CREATE VIEW \(Self.quoted(name)) AS
            SELECT record.id AS id,
                coalesce((SELECT value FROM field WHERE record_id = record.parent_id
                    AND name = '@tag'), \(Self.value("@asset", of: "record"))) AS "@asset",
            \(columns(Self.builtIn + form.fields(ofRepeat: nil), besides: own))
            FROM record
            WHERE record.table_name = 'inspection' AND record.is_deleted = 0
                AND \(Self.value("@form", of: "record")) = \(Self.literal(form.id))
            """
    }

    /// A row of the repeat a line, with its inspection, the row or inspection that it stands in, and
    /// its place there, from 1. What stands in something that was deleted is left out.
    func rows(of path: String, named name: String) -> String {
        let own = ["id", "inspection", "parent", "position"]
        let inspection = inspection(depth: form.depth(ofRepeat: path))
        return """
            CREATE VIEW \(Self.quoted(name)) AS
            SELECT record.id AS id,
                \(inspection) AS inspection,
                record.parent_id AS parent,
                \(position(of: path)) AS position,
            \(columns(form.fields(ofRepeat: path), besides: own))
            FROM record
            WHERE record.table_name = 'repeat' AND record.is_deleted = 0
                AND \(Self.value("@form", of: "record")) = \(Self.literal(form.id))
                AND \(Self.value("@repeat", of: "record")) = \(Self.literal(path))
                AND \(inspection) IS NOT NULL
            """
    }

    private func columns(_ fields: [String], besides own: [String]) -> String {
        let fields = Array(fields.prefix(Self.longest))
        let names = SQLViewNames.columns(of: fields, besides: own)
        let columns = zip(fields, names).map { field, name in
            "    \(Self.value(field, of: "record")) AS \(Self.quoted(name))"
        }
        return columns.isEmpty ? "    NULL AS \"@none\"" : columns.joined(separator: ",\n")
    }

    /// The inspection that living rows lead up to, over as many rows as there can be between.
    private func inspection(depth: Int) -> String {
        let ways = (1...max(1, depth)).map { level in
            let joins = (1..<level).map { step in
                " JOIN record AS above\(step + 1) ON above\(step + 1).id = above\(step).parent_id"
            }
            let living = (1...level).map { " AND above\($0).is_deleted = 0" }
            return """
                (SELECT above\(level).id FROM record AS above1\(joins.joined())
                    WHERE above1.id = record.parent_id AND above\(level).table_name = 'inspection'\
                \(living.joined()))
                """
        }
        return "coalesce(" + (ways + ["NULL"]).joined(separator: ",\n        ") + ")"
    }

    private func position(of path: String) -> String {
        func order(_ alias: String) -> String {
            "ifnull(" + Self.value("@order", of: alias) + ", 9e999)"
        }
        return """
            1 + (SELECT count(*) FROM record AS other
                    WHERE other.parent_id = record.parent_id AND other.table_name = 'repeat'
                        AND other.is_deleted = 0
                        AND \(Self.value("@repeat", of: "other")) = \(Self.literal(path))
                        AND (\(order("other")) < \(order("record"))
                            OR \(order("other")) = \(order("record")) AND other.id < record.id))
            """
    }

    private static func value(_ field: String, of alias: String) -> String {
        "(SELECT value FROM field WHERE record_id = \(alias).id AND name = \(literal(field)))"
    }

    static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }

    private static func literal(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }
}

extension Schema {
    /// Raised with each change of the views' text, so that a database gets the new one.
    private static let editionOfViews: Int64 = 1

    static let views = """
        CREATE TABLE form_view (name TEXT PRIMARY KEY) WITHOUT ROWID;
        """

    /// Steps of the schema and the views both make names, and those of the steps were given first:
    /// so the views stand aside while there are new steps.
    static func bringUpToDate(_ connection: Connection) throws {
        let edition = editionOfViews * 1_000 + Int64(steps.count)
        let stands = try connection.edition(of: "views") == edition
        if !stands { try connection.transaction { try connection.dropFormViews() } }
        try migrations.apply(to: connection)
        guard !stands else { return }
        try connection.transaction {
            try connection.renewFormViews()
            try connection.execute(
                "INSERT OR REPLACE INTO identity (name, value) VALUES ('views', ?)",
                [.integer(edition)])
        }
    }
}

extension Connection {
    private func hasTable(_ name: String) throws -> Bool {
        try first(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(name)]
        ) { _ in true } ?? false
    }

    fileprivate func edition(of name: String) throws -> Int64? {
        guard try hasTable("identity") else { return nil }
        return try first("SELECT value FROM identity WHERE name = ?", [.text(name)]) {
            try $0.integer(0)
        }
    }

    /// Those that this program made; an operator may have made others.
    func dropFormViews() throws {
        guard try hasTable("form_view") else { return }
        for name in try query("SELECT name FROM form_view", [], { try $0.text(0) }) {
            try execute("DROP VIEW IF EXISTS " + FormViewText.quoted(name))
        }
        try execute("DELETE FROM form_view")
    }

    /// Makes the views of all forms anew: names may change with each form that is published.
    func renewFormViews() throws {
        try dropFormViews()
        let forms = try publishedVersions()
        let names = SQLViewNames(
            forms: Dictionary(uniqueKeysWithValues: forms.map { ($0.id, $0.repeats) }),
            others: try query("SELECT name FROM sqlite_master") { try $0.text(0) })
        for form in forms {
            let text = FormViewText(form: form)
            if let name = names.forms[form.id] {
                try createView(name, text.inspections(named: name))
            }
            for path in form.repeats {
                let key = SQLViewNames.Repeat(form: form.id, path: path)
                guard let name = names.repeats[key] else { continue }
                try createView(name, text.rows(of: path, named: name))
            }
        }
    }

    private func createView(_ name: String, _ text: String) throws {
        try execute(text)
        try execute("INSERT INTO form_view (name) VALUES (?)", [.text(name)])
    }

    /// A version that this program cannot read, as one of a later program, has no view.
    private func publishedVersions() throws -> [FormVersions] {
        var order: [String] = []
        var versions: [String: [FormDefinition]] = [:]
        try each("SELECT id, definition FROM form ORDER BY published_order") { row in
            let id = try row.text(0)
            guard let json = try? JSON.parse(Array(try row.text(1).utf8)),
                let form = try? FormDefinition(json: json)
            else { return }
            if versions[id] == nil { order.append(id) }
            versions[id, default: []].append(form)
        }
        return order.map { FormVersions(id: $0, versions: versions[$0] ?? []) }
    }
}
