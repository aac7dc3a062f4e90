import Forms

extension FormCompiler {
    /// Rows that stand in the record itself: an inspection begins with them. A template is none.
    mutating func compileRows() {
        let walk = FormWalk(parts)
        var reading = RowReading(
            repeats: Set(walk.repetitions.map(\.repetition.path)),
            questions: Set(walk.questions.map(\.question.path)))
        reading.read(form.primary, at: "", in: nil)
        parts.rows = reading.rows
    }
}

private struct RowReading {
    let repeats: Set<String>
    let questions: Set<String>
    var rows: [InitialRow] = []

    /// - Parameter row: the number of the row that the node is or stands in.
    mutating func read(_ node: InstanceNode, at path: String, in row: Int?) {
        if let row, node.children.isEmpty, questions.contains(path), !node.value.isEmpty {
            rows[row].values[path] = node.value
        }
        for child in node.children where !child.isTemplate {
            let path = path.isEmpty ? child.name : path + "/" + child.name
            if repeats.contains(path) {
                rows.append(InitialRow(path: path, parent: row))
                read(child, at: path, in: rows.count - 1)
            } else {
                read(child, at: path, in: row)
            }
        }
    }
}
