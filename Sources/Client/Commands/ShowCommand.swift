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
        lines += table.text.split(separator: "\n").map(String.init)
        for conflict in detail.conflicts {
            lines += [
                "", "conflict in \(conflict.column) (\(conflict.rule))",
                "  base    \(shown(conflict.base))", "  mine    \(shown(conflict.mine))",
                "  theirs  \(conflict.isDeletion ? "deleted" : shown(conflict.theirs))"
                    + (conflict.theirsNode.map { "  by \($0)" } ?? ""),
            ]
        }
        if detail.conflicts.contains(where: \.isDeletion) {
            lines += [
                "",
                "The inspection was deleted elsewhere: 'resolve --mine' restores it, '--theirs' lets"
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
    fileprivate var isDeletion: Bool { rule == MergeRule.tombstone.rawValue }

    var json: JSON {
        [
            "column": .string(column), "base": base.json, "mine": mine.json,
            "theirs": theirs.json, "theirsNode": JSON(theirsNode?.rawValue),
            "rule": .string(rule),
        ]
    }
}

extension InspectionDetail {
    var json: JSON {
        let answers = fields.mapValues { field -> JSON in
            ["value": field.value.json, "sync": .string(field.sync.rawValue)]
        }
        return [
            "id": .string(summary.id.rawValue), "form": .string(summary.form),
            "formVersion": .string(summary.formVersion), "asset": JSON(summary.asset),
            "site": JSON(summary.site), "state": .string(summary.state),
            "dueOn": JSON(summary.dueOn), "sync": .string(summary.sync.rawValue),
            "version": .integer(summary.version), "comment": JSON(comment),
            "fields": .object(answers),
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
