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

    /// Gives a form's views its questions, and every view whose name that changes its new one.
    /// - Parameter before: the names before the form was stored.
    func showInViews(_ form: FormDefinition, before: SQLViewNames) throws {
        let names = try formViewNames()
        let (old, new) = (before.all, names.all)
        let renamed = Set(
            new.filter { old[$0.key] != $0.value && $0.key.form != form.id }.map(\.key.form))
        let changed = renamed.union([form.id])
        for (view, name) in old where changed.contains(view.form) { try dropView(name) }
        guard names.forms[form.id] != nil else { throw StoreError.damaged("a form without a view") }
        try createViews(of: form, names)
        for id in renamed.sorted() { try createViews(ofForm: id, names) }
    }

    /// Makes all of the forms' views anew, after this program's idea of them has changed.
    func renewFormViews() throws {
        let names = try formViewNames()
        for id in names.forms.keys.sorted() { try createViews(ofForm: id, names) }
    }

    /// With the questions of the form's newest version.
    private func createViews(ofForm id: String, _ names: SQLViewNames) throws {
        let stored = try first(
            """
            SELECT definition FROM form WHERE id = ? AND definition IS NOT NULL
            ORDER BY state = 'open' DESC, length(version) DESC, version DESC LIMIT 1
            """, [.text(id)]
        ) { try $0.text(0) }
        // One that this version cannot read keeps the views that it has.
        guard let stored, let json = try? JSON.parse(Array(stored.utf8)),
            let form = try? FormDefinition(json: json)
        else { return }
        try createViews(of: form, names)
    }

    private func createViews(of form: FormDefinition, _ names: SQLViewNames) throws {
        guard let name = names.forms[form.id] else { return }
        try FormView(form: form, name: name).create(in: self)
        for repetition in form.repetitions {
            let key = SQLViewNames.Repeat(form: form.id, path: repetition.path)
            guard let name = names.repeats[key] else { continue }
            try RepeatView(repetition, of: form, name: name).create(in: self)
        }
    }
}
