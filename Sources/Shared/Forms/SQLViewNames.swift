/// What the SQL views of forms and of their repeats are called: a form's id, where nothing else has
/// that name, and behind it the repeat's path, as `round__pump`.
///
/// SQL's names are the same in upper and lower case, ids of forms are not. The names follow from the
/// ids and paths alone, in whatever order the forms came.
package struct SQLViewNames: Equatable, Sendable {
    package struct Repeat: Hashable, Sendable {
        package let form: String
        package let path: String

        package init(form: String, path: String) {
            self.form = form
            self.path = path
        }
    }

    /// By the form's id.
    package private(set) var forms: [String: String] = [:]
    package private(set) var repeats: [Repeat: String] = [:]

    /// - Parameters:
    ///   - forms: ids with the paths of their repeats.
    ///   - others: what is no view of a form and has a name in the same space.
    package init(forms: [String: [String]], others: [String]) {
        var taken = Set(others.map { $0.lowercased() })
        // From the end: lower case comes last, so that of two ids in different cases it is the plain
        // one that keeps its name.
        let ordered = forms.keys.sorted(by: >)
        for id in ordered where !Self.isReserved(id) && taken.insert(id.lowercased()).inserted {
            self.forms[id] = id
        }
        for id in ordered where self.forms[id] == nil {
            self.forms[id] = Self.free("form_" + id, &taken)
        }
        // Behind all forms, so that no repeat takes a form's name away.
        for id in forms.keys.sorted() {
            for path in (forms[id] ?? []).sorted() {
                let name = (self.forms[id] ?? id) + "__" + path.replacing("/", with: "_")
                repeats[Repeat(form: id, path: path)] = Self.free(name, &taken)
            }
        }
    }

    /// The name, or with a number behind it where it is taken.
    private static func free(_ name: String, _ taken: inout Set<String>) -> String {
        var free = name
        var number = 2
        while !taken.insert(free.lowercased()).inserted {
            free = "\(name)_\(number)"
            number += 1
        }
        return free
    }

    /// What SQLite keeps for itself, and what a later version of ours may need.
    private static func isReserved(_ name: String) -> Bool {
        ["sqlite_", "__sync_"].contains { name.lowercased().hasPrefix($0) }
    }

    /// The names of a view's columns, one for each question: its own name, or its path where several
    /// have the name, so that a view reads like the form does.
    /// - Parameters:
    ///   - paths: of the questions.
    ///   - others: names of columns that stand before.
    package static func columns(of paths: [String], besides others: [String]) -> [String] {
        let names = paths.map { path in
            path.split(separator: "/").last.map(String.init) ?? path
        }
        let sharing = Dictionary(grouping: names) { $0.lowercased() }
        var taken = Set(others.map { $0.lowercased() })
        // The plain ones first: the path of another question may be their name.
        let isPlain = names.map { name in
            sharing[name.lowercased()]?.count == 1 && taken.insert(name.lowercased()).inserted
        }
        return paths.indices.map { index in
            guard !isPlain[index] else { return names[index] }
            var name = paths[index]
            while !taken.insert(name.lowercased()).inserted { name += "_" }
            return name
        }
    }
}
