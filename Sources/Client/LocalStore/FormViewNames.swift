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
    /// Those of the rows of repeats.
    private(set) var repeats: [Repeat: String] = [:]

    struct Repeat: Hashable {
        var form: String
        var path: String
    }

    /// - Parameters:
    ///   - repeats: `pump` of the form `round` has the view `round_pump`.
    ///   - others: what is no view of a form and has a name in the same space.
    init(forms ids: [String], repeats: [Repeat] = [], others: [String]) {
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
        // Behind all forms, so that no repeat takes a form's name away.
        for id in ordered {
            for path in repeats.filter({ $0.form == id }).map(\.path).sorted() {
                let plain = (names[id] ?? id) + "_" + path.replacing("/", with: "_")
                var name = plain
                var number = 2
                while !taken.insert(name.lowercased()).inserted {
                    name = "\(plain)_\(number)"
                    number += 1
                }
                self.repeats[Repeat(form: id, path: path)] = name
            }
        }
    }

    /// Every view by what it shows.
    fileprivate var all: [Repeat: String] {
        repeats.merging(names.map { (Repeat(form: $0.key, path: ""), $0.value) }) { first, _ in
            first
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
            repeats: try query(
                "SELECT DISTINCT form, repetition FROM question WHERE repetition IS NOT NULL"
            ) { FormViewNames.Repeat(form: try $0.text(0), path: try $0.text(1)) },
            others: try query("SELECT name FROM sqlite_master WHERE type IN ('table', 'index')") {
                try $0.text(0)
            })
    }

    /// Gives a form's views its questions, and every view whose name that changes its new one.
    /// - Parameter before: the names before the form was stored.
    func showInViews(_ form: FormDefinition, before: FormViewNames) throws {
        let names = try formViewNames()
        let (old, new) = (before.all, names.all)
        let renamed = Set(
            new.filter { old[$0.key] != $0.value && $0.key.form != form.id }.map(\.key.form))
        let changed = renamed.union([form.id])
        for (view, name) in old where changed.contains(view.form) { try dropView(name) }
        guard names.names[form.id] != nil else { throw StoreError.damaged("a form without a view") }
        try createViews(of: form, names)
        for id in renamed.sorted() { try createViews(ofForm: id, names) }
    }

    /// Makes all of the forms' views anew, after this program's idea of them has changed.
    func renewFormViews() throws {
        let names = try formViewNames()
        for id in names.names.keys.sorted() { try createViews(ofForm: id, names) }
    }

    /// With the questions of the form's newest version.
    private func createViews(ofForm id: String, _ names: FormViewNames) throws {
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

    private func createViews(of form: FormDefinition, _ names: FormViewNames) throws {
        guard let name = names.names[form.id] else { return }
        try FormView(form: form, name: name).create(in: self)
        for repetition in form.repetitions {
            let key = FormViewNames.Repeat(form: form.id, path: repetition.path)
            guard let name = names.repeats[key] else { continue }
            try RepeatView(repetition, of: form, name: name).create(in: self)
        }
    }
}
