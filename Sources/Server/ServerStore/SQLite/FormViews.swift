internal import Coding
internal import Forms
internal import SQLite

extension Schema {
    /// Raised with each change of the views' text, so that a database gets the new one.
    private static let editionOfViews: Int64 = 2

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
            try execute("DROP VIEW IF EXISTS " + SQLText.quoted(name))
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
            let text = FormViewText(form: form, dialect: .sqlite)
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
