internal import Arguments
internal import Coding
internal import Forms
internal import LocalStore
internal import Replication

enum ShowCommand {
    static let entry = Entry(
        name: "show", summary: "One inspection: its answers, the state of each, its conflicts.",
        positionals: [.inspection]
    ) { run in
        let detail = try run.withStore(for: .reading) { store in
            try store.detail(matching: run.invocation.operand("ID"))
        }
        try run.emit(detail.json) { text(of: detail) }
        return .done
    }

    private static func text(of detail: InspectionDetail) -> String {
        let summary = detail.summary
        var lines = [
            "\(summary.name)", "id       \(summary.id)",
            "form     \(summary.form) \(summary.formVersion)",
            "state    \(summary.stateWords), \(summary.sync.words), version \(summary.version)",
            "answers  \(summary.answered) of \(summary.total)",
        ]
        if let comment = detail.comment { lines.append("comment  \(escapingLines(comment))") }
        lines.append("")
        var table = TextTable(["QUESTION", "ANSWER", "SYNC"])
        for (name, field) in detail.fields.sorted(by: { $0.key < $1.key }) {
            table.append([name, shown(field.value), field.sync.words])
        }
        for row in detail.rows {
            if row.fields.isEmpty { table.append([detail.address(of: row.path, in: row), "", ""]) }
            for (name, field) in row.fields.sorted(by: { $0.key < $1.key }) {
                table.append([
                    detail.address(of: name, in: row), shown(field.value), field.sync.words,
                ])
            }
        }
        lines += table.text.split(separator: "\n").map(String.init)
        for conflict in detail.conflicts where conflict.column != Mutation.deletedField {
            lines += [
                "", "conflict in \(detail.address(of: conflict)) (\(conflict.rule))",
                "  base    \(shown(conflict.base))", "  mine    \(shown(conflict.mine))",
                "  theirs  \(conflict.isDeletion ? "deleted" : shown(conflict.theirs))"
                    + (conflict.theirsNode.map { "  by \($0)" } ?? ""),
            ]
        }
        if let deletion = detail.conflicts.first(where: \.isDeletion) {
            lines += [
                "",
                (deletion.recordId == summary.id ? "The inspection" : "A row")
                    + " was deleted elsewhere: 'resolve --mine' restores it, '--theirs' lets"
                    + " it go.",
            ]
        }
        return lines.map { terminalSafe($0) + "\n" }.joined()
    }

    /// First the line ends are written out, then goes what could steer a terminal.
    private static func shown(_ value: FieldValue) -> String {
        ShownText.clean(escapingLines(value.plainText))
    }
}

extension ConflictView {
    /// Whether the others have deleted the record, so that there is no value of theirs.
    var isDeletion: Bool { rule == MergeRule.tombstone.rawValue }

    var json: JSON {
        [
            "column": .string(column), "recordId": .string(recordId.rawValue), "base": base.json,
            "mine": mine.json,
            "theirs": theirs.json, "theirsNode": JSON(theirsNode?.rawValue),
            "rule": .string(rule),
        ]
    }
}

extension InspectionDetail {
    /// Where an answer of a row, or the row itself, stands as people write it: `pump[2]/tag`.
    func address(of path: String, in row: Row) -> String {
        var address = path
        var around: Row? = row
        // From the innermost row outwards, so that the places before stay where they are.
        while let each = around {
            let end = address.index(address.startIndex, offsetBy: each.path.count)
            address.insert(contentsOf: "[\(each.index)]", at: end)
            around = rows.first { $0.id == each.parent }
        }
        return address
    }

    /// A row that was deleted elsewhere has no place any more.
    func address(of conflict: ConflictView) -> String {
        guard let row = rows.first(where: { $0.id == conflict.recordId }) else {
            return conflict.column
        }
        return conflict.isDeletion
            ? address(of: row.path, in: row) : address(of: conflict.column, in: row)
    }

    private var repeats: JSON {
        let rows = rows.map { row -> (String, JSON) in
            (
                row.path,
                [
                    "id": .string(row.id.rawValue), "index": .integer(Int64(row.index)),
                    "parent": JSON(row.parent?.rawValue), "fields": Self.json(of: row.fields),
                ]
            )
        }
        return .object(
            Dictionary(grouping: rows, by: \.0).mapValues { .array($0.map(\.1)) })
    }

    private static func json(of fields: [FieldName: Field]) -> JSON {
        .object(
            fields.mapValues { field -> JSON in
                ["value": field.value.json, "sync": .string(field.sync.rawValue)]
            })
    }

    var json: JSON {
        [
            "id": .string(summary.id.rawValue), "form": .string(summary.form),
            "formVersion": .string(summary.formVersion), "asset": JSON(summary.asset),
            "site": JSON(summary.site), "state": .string(summary.state),
            "dueOn": JSON(summary.dueOn), "sync": .string(summary.sync.rawValue),
            "version": .integer(summary.version), "comment": JSON(comment),
            "fields": Self.json(of: fields), "repeats": repeats,
            "conflicts": .array(conflicts.map(\.json)),
        ]
    }
}

extension DeviceStore {
    /// The inspection whose id is this text or begins with it.
    func inspectionID(matching text: String) throws -> RecordID {
        try ShortID.find(text, among: inspections().map(\.id), called: "inspection")
    }

    func detail(matching text: String) throws -> InspectionDetail {
        try inspection(inspectionID(matching: text))
    }
}
