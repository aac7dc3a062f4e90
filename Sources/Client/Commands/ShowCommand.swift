internal import Arguments
internal import Coding
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

enum ShowCommand {
    static let entry = Entry(
        name: "show", summary: "One inspection: its answers, the state of each, its conflicts.",
        positionals: [.inspection]
    ) { run in
        let look = try run.withStore(for: .reading) { store in
            try store.look(matching: run.invocation.operand("ID"))
        }
        try run.emit(look.json) { text(of: look) }
        return .done
    }

    private static func text(of look: InspectionLook) -> String {
        let detail = look.detail
        let summary = detail.summary
        var lines = [
            "\(summary.name)", "id       \(summary.id)",
            "form     \(summary.form) \(summary.formVersion)",
            "state    \(summary.stateWords), \(summary.sync.words), version \(summary.version)",
            "answers  \(summary.answered) of \(summary.total)",
        ]
        if let score = look.score?.words { lines.append("score    \(score)") }
        if let visit = look.visit {
            lines.append("before   \(visit.inspection)" + (visit.day.map { " on \($0)" } ?? ""))
        }
        if let comment = detail.comment { lines.append("comment  \(escapingLines(comment))") }
        lines.append("")
        var table = TextTable(
            ["QUESTION", "ANSWER", "SYNC"] + (look.visit == nil ? [] : ["LAST VISIT"]))
        for line in look.lines {
            table.append(
                [line.address, line.value.map(shown) ?? "", standing(of: line)]
                    + (look.visit == nil ? [] : [line.previous.map(words) ?? ""]))
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
        } else if summary.isDeleted {
            lines += ["", "The inspection was deleted here; that waits behind the conflict."]
        }
        return lines.map { terminalSafe($0) + "\n" }.joined()
    }

    /// `pending; in review: 120`
    private static func standing(of line: InspectionLook.Line) -> String {
        (line.sync?.words ?? "") + (line.inReview.map { "; in review: \(shown($0))" } ?? "")
    }

    /// `152 on 2026-10-03, +8.5`
    private static func words(_ previous: PreviousValue) -> String {
        previous.words(shown(previous.value)) + (previous.isRepeatViolation ? ", failed again" : "")
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
