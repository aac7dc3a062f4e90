/// A row that stands in the form's record itself, and so in each inspection that begins by it.
package struct InitialRow: Equatable, Sendable {
    /// The repeat's.
    package var path: String
    /// Among the form's initial rows, the one that it stands in; it comes before.
    package var parent: Int?
    /// As they are written, by question path. What is not named is blank.
    package var values: [String: String]

    package init(path: String, parent: Int? = nil, values: [String: String] = [:]) {
        self.path = path
        self.parent = parent
        self.values = values
    }
}

extension FormCheck {
    /// Each row stands where its repeat stands, and answers that repeat's questions.
    func check(_ rows: [InitialRow]) throws(FormError) {
        guard rows.count <= FormFilling.mostCountedRows else {
            throw FormError(
                .tooLarge, at: "rows",
                "an inspection begins with no more than \(FormFilling.mostCountedRows) rows")
        }
        for (number, row) in rows.enumerated() {
            let place = "rows[\(number)]"
            guard repetitions.contains(where: { $0.path == row.path }) else {
                throw FormError(
                    .unknownQuestion, at: place + ".repeat", "no repeat is called \(row.path)")
            }
            if let parent = row.parent, !(0..<number).contains(parent) {
                throw FormError(.malformed, at: place + ".in", "no row before it has this number")
            }
            guard repetition(around: row.path)?.path == row.parent.map({ rows[$0].path }) else {
                throw FormError(.malformed, at: place, "\(row.path) does not stand there")
            }
            for path in row.values.keys.sorted() {
                guard indexByPath[path] != nil, repetition(around: path)?.path == row.path else {
                    throw FormError(
                        .unknownQuestion, at: place + ".values",
                        "\(path) is no question of \(row.path)")
                }
            }
        }
    }
}

extension FormFilling {
    /// The rows that an inspection begins with, in order, with ids of their own.
    func initialRows(
        newID: () -> String, _ concerns: (String) -> Bool
    ) -> [FormAnswers.Row] {
        var rows: [FormAnswers.Row] = []
        for initial in form.parts.rows {
            var row = FormAnswers.Row(
                id: newID(), parent: initial.parent.map { rows[$0].id }, path: initial.path)
            for (path, text) in initial.values {
                guard let index = form.index(of: path), !text.isEmpty else { continue }
                row.fields[path] = form.allQuestions[index].value(
                    ofExpression: text, in: surroundings.zone)
            }
            rows.append(row)
        }
        // A row of a new repeat within one that is none stands in no row that was begun here.
        var begun: Set<String> = []
        return rows.filter { row in
            guard concerns(row.path), row.parent.map(begun.contains) ?? true else { return false }
            begun.insert(row.id)
            return true
        }
    }
}
