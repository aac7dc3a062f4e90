package import Coding
package import Forms

/// The record of one time that a repeat is asked.
package struct RowRecord: Equatable, Sendable {
    package let id: String
    /// The inspection, or the row that it stands in.
    package let parent: String
    /// Built-in ones and answers.
    package let fields: [String: FieldValue]

    package init(id: String, parent: String, fields: [String: FieldValue]) {
        self.id = id
        self.parent = parent
        self.fields = fields
    }

    /// The repeat's path.
    package var repetition: String? {
        guard case .string(let path) = fields[BuiltInField.repetition] else { return nil }
        return path
    }

    /// Rows without a place of their own come last.
    package var order: Double { (fields[BuiltInField.order] ?? .null).number ?? .infinity }

    package static func precedes(_ left: RowRecord, _ right: RowRecord) -> Bool {
        left.order != right.order ? left.order < right.order : left.id < right.id
    }
}

extension FormAnswers {
    /// The answers of an inspection and of its rows, in the order in which they are asked.
    /// - Parameter forms: rows that none of these versions asks for at their place, as after a move, are
    ///   left out; nothing is where no version is known.
    package init(
        _ fields: [String: FieldValue], of inspection: String, records: [RowRecord],
        in forms: [FormDefinition]
    ) {
        self.init(fields.filter { !BuiltInField.isBuiltIn($0.key) })
        let byParent = Dictionary(grouping: records, by: \.parent)
        var waiting: [(id: String, row: String?, path: String?)] = [(inspection, nil, nil)]
        while let above = waiting.popLast() {
            let rows = (byParent[above.id] ?? []).filter { row in
                guard let path = row.repetition else { return false }
                return forms.isEmpty
                    || forms.contains { form in
                        form.repetitions.contains { $0.path == path }
                            && form.repetition(around: path)?.path == above.path
                    }
            }
            for row in rows.sorted(by: RowRecord.precedes) {
                guard let path = row.repetition, self.row(row.id) == nil else { continue }
                let answers = row.fields.filter {
                    !BuiltInField.isBuiltIn($0.key) && !$0.value.isNull
                }
                append(Row(id: row.id, parent: above.row, path: path, fields: answers))
                waiting.append((row.id, row.id, path))
            }
        }
    }
}
