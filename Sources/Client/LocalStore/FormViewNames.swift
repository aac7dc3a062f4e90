internal import Coding
internal import Forms
internal import SQLite

/// What the view of each form is called: the form's id, where nothing else has that name.
///
/// SQLite's names are the same in upper and lower case, ids of forms are not. The names follow from
/// the ids alone, so that they are the same on each device, in whatever order the forms came.
struct FormViewNames: Equatable {
    /// By the form's id.
    private(set) var names: [String: String] = [:]

    /// - Parameter others: what is no view of a form and has a name in the same space.
    init(forms ids: [String], others: [String]) {
        var taken = Set(others.map { $0.lowercased() })
        // From the end: lower case comes last, so that of two ids in different cases it is the plain
        // one that keeps its name.
        let ordered = ids.sorted(by: >)
        for id in ordered where !Self.isReserved(id) && taken.insert(id.lowercased()).inserted {
            names[id] = id
        }
        for id in ordered where names[id] == nil {
            var name = "form_" + id
            var number = 2
            while !taken.insert(name.lowercased()).inserted {
                name = "form_\(id)_\(number)"
                number += 1
            }
            names[id] = name
        }
    }

    /// What SQLite keeps for itself, and what a later version of ours may need.
    private static func isReserved(_ name: String) -> Bool {
        ["sqlite_", "__sync_"].contains { name.lowercased().hasPrefix($0) }
    }
}

extension Connection {
    func formViewNames() throws -> FormViewNames {
        FormViewNames(
            forms: try query("SELECT DISTINCT id FROM form WHERE definition IS NOT NULL") {
                try $0.text(0)
            },
            others: try query("SELECT name FROM sqlite_master WHERE type IN ('table', 'index')") {
                try $0.text(0)
            })
    }

    /// Gives a form's view its questions, and every view whose name that changes its new one.
    /// - Parameter before: the names before the form was stored.
    func showInViews(_ form: FormDefinition, before: FormViewNames) throws {
        let names = try formViewNames().names
        let renamed = names.filter { before.names[$0.key] != $0.value && $0.key != form.id }
        for id in renamed.keys {
            if let old = before.names[id] { try FormView.drop(old, in: self) }
        }
        guard let name = names[form.id] else { throw StoreError.damaged("a form without a view") }
        try FormView(form: form, name: name).create(in: self)
        for (id, name) in renamed { try createView(name, ofForm: id) }
    }

    /// Makes all of the forms' views anew, after this program's idea of them has changed.
    func renewFormViews() throws {
        for (id, name) in try formViewNames().names { try createView(name, ofForm: id) }
    }

    /// With the questions of the form's newest version.
    private func createView(_ name: String, ofForm id: String) throws {
        let stored = try first(
            """
            SELECT definition FROM form WHERE id = ? AND definition IS NOT NULL
            ORDER BY state = 'open' DESC, length(version) DESC, version DESC LIMIT 1
            """, [.text(id)]
        ) { try $0.text(0) }
        // One that this version cannot read keeps the view that it has.
        guard let stored, let json = try? JSON.parse(Array(stored.utf8)),
            let form = try? FormDefinition(json: json)
        else { return }
        try FormView(form: form, name: name).create(in: self)
    }
}
