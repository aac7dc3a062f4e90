internal import Coding
internal import Forms
internal import SQLite

extension SQLViewNames {
    /// Every view by what it shows; of a form's own the path is empty.
    fileprivate var all: [Repeat: String] {
        repeats.merging(forms.map { (Repeat(form: $0.key, path: ""), $0.value) }) { first, _ in
            first
        }
    }
}

extension Connection {
    func formViewNames() throws -> SQLViewNames {
        let ids = try query("SELECT DISTINCT id FROM form WHERE definition IS NOT NULL") {
            try $0.text(0)
        }
        var forms = Dictionary(uniqueKeysWithValues: ids.map { ($0, [String]()) })
        try each("SELECT DISTINCT form, repetition FROM question WHERE repetition IS NOT NULL") {
            forms[try $0.text(0)]?.append(try $0.text(1))
        }
        return SQLViewNames(
            forms: forms,
            others: try query("SELECT name FROM sqlite_master WHERE type IN ('table', 'index')") {
                try $0.text(0)
            })
    }

    /// Gives a form's views its questions beside those of its other versions, and every view whose
    /// name that changes its new one.
    /// - Parameter before: the names before the form was stored.
    func showInViews(_ form: FormDefinition, before: SQLViewNames) throws {
        let names = try formViewNames()
        let (old, new) = (before.all, names.all)
        let renamed = Set(
            new.filter { old[$0.key] != $0.value && $0.key.form != form.id }.map(\.key.form))
        let changed = renamed.union([form.id])
        for (view, name) in old where changed.contains(view.form) { try dropView(name) }
        guard names.forms[form.id] != nil else { throw StoreError.damaged("a form without a view") }
        for id in changed.sorted() { try createViews(ofForm: id, names, known: form) }
    }

    /// Makes all of the forms' views anew, after this program's idea of them has changed.
    func renewFormViews() throws {
        let names = try formViewNames()
        for id in names.forms.keys.sorted() { try createViews(ofForm: id, names) }
    }

    /// With the questions of all versions that this program can read. A form of which it can read none
    /// keeps the views that it has.
    /// - Parameter known: a version that was just stored, and need not be read again.
    private func createViews(
        ofForm id: String, _ names: SQLViewNames, known: FormDefinition? = nil
    ) throws {
        let stored = try query(
            """
            SELECT version, definition FROM form WHERE id = ? AND definition IS NOT NULL
            ORDER BY state = 'open', length(version), version
            """, [.text(id)]
        ) { (version: try $0.text(0), definition: try $0.text(1)) }
        let readable = stored.compactMap { version, text -> FormDefinition? in
            if let known, known.id == id, known.version == version { return known }
            guard let json = try? JSON.parse(Array(text.utf8)) else { return nil }
            return try? FormDefinition(json: json)
        }
        guard !readable.isEmpty, let name = names.forms[id] else { return }
        let form = FormVersions(id: id, versions: readable)
        try FormView(form: form, name: name).create(in: self)
        for path in form.repeats {
            guard let name = names.repeats[SQLViewNames.Repeat(form: id, path: path)] else {
                continue
            }
            try RepeatView(path, of: form, name: name).create(in: self)
        }
    }
}
