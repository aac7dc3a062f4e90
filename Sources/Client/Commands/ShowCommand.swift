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
            "form     \(summary.form) \(summary.formVersion)"
                + (look.newerVersion.map { "; version \($0) is here: 'walkdown move'" } ?? ""),
            "state    \(summary.stateWords), \(summary.sync.words), version \(summary.version)",
            "answers  \(summary.answered) of \(summary.total)",
        ]
        if let score = look.score?.words { lines.append("score    \(score)") }
        if let visit = look.visit {
            lines.append("before   \(visit.inspection)" + (visit.day.map { " on \($0)" } ?? ""))
        }
        let tally = FindingTally(detail.findings.map(\.view.finding))
        if let words = tally.words { lines.append("findings \(words)") }
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
        lines += orphans(of: look)
        lines += findings(of: detail)
        for conflict in detail.conflicts where conflict.column != Mutation.deletedField {
            lines += [
                "", "conflict in \(look.address(of: conflict)) (\(conflict.rule))",
                "  base    \(side(conflict.base))", "  mine    \(side(conflict.mine))",
                "  theirs  \(conflict.isDeletion ? "deleted" : side(conflict.theirs))"
                    + (conflict.theirsNode.map { "  by \($0)" } ?? ""),
            ]
        }
        if let deletion = detail.conflicts.first(where: \.isDeletion) {
            lines += [
                "",
                deleted(deletion, in: summary)
                    + " was deleted elsewhere: 'resolve --mine' restores it, '--theirs' lets"
                    + " it go.",
            ]
        } else if summary.isDeleted {
            lines += ["", "The inspection was deleted here; that waits behind the conflict."]
        }
        return lines.map { terminalSafe($0) + "\n" }.joined()
    }

    private static func orphans(of look: InspectionLook) -> [String] {
        let orphans = look.orphans
        if orphans.isEmpty { return [] }
        var table = TextTable(["QUESTION", "ANSWER", "SYNC"])
        for line in orphans {
            table.append([line.address, line.value.map(shown) ?? "", line.sync?.words ?? ""])
        }
        return ["", "not asked by version \(look.detail.summary.formVersion), kept:"]
            + table.text.split(separator: "\n").map(String.init)
    }

    /// `pending; in review: 120`
    private static func standing(of line: InspectionLook.Line) -> String {
        (line.sync?.words ?? "") + (line.inReview.map { "; in review: \(shown($0))" } ?? "")
    }

    /// `152 on 2026-10-03, +8.5`
    private static func words(_ previous: PreviousValue) -> String {
        previous.words(shown(previous.value)) + (previous.isRepeatViolation ? ", failed again" : "")
    }

    private static func deleted(
        _ conflict: ConflictView, in summary: InspectionSummary
    ) -> String {
        if conflict.recordId == summary.id { return "The inspection" }
        return conflict.about == nil ? "A row" : "A finding"
    }

    private static func findings(of detail: InspectionDetail) -> [String] {
        guard !detail.findings.isEmpty else { return [] }
        var table = TextTable(["FINDING", "QUESTION", "WHAT", "SYNC"])
        for each in detail.findings {
            table.append([
                String(each.view.id.rawValue.prefix(8)), each.address, escapingLines(each.words),
                each.view.sync.words,
            ])
        }
        return [""] + table.text.split(separator: "\n").map(String.init)
    }

    /// A side that was cleared, or never answered, is not an empty place.
    private static func side(_ value: FieldValue) -> String {
        value.isNull ? "(no answer)" : shown(value)
    }

    /// First the line ends are written out, then goes what could steer a terminal.
    private static func shown(_ value: FieldValue) -> String {
        ShownText.clean(escapingLines(value.plainText))
    }
}

extension ConflictView {
    /// Whether the others have deleted the record, so that there is no value of theirs.
    var isDeletion: Bool { rule == MergeRule.tombstone.rawValue }

    /// - Parameter address: as people write it.
    func json(at address: String) -> JSON {
        [
            "column": .string(column), "address": .string(address),
            "recordId": .string(recordId.rawValue), "about": JSON(about),
            "base": base.json, "mine": mine.json,
            "theirs": theirs.json, "theirsNode": JSON(theirsNode?.rawValue),
            "rule": .string(rule),
        ]
    }
}

extension InspectionDetail {
    /// Where an answer of a row, or the row itself, stands as people write it: `pump[2]/tag`.
    func address(of path: String, in row: Row) -> String {
        bareRows.address(of: AnswerKey(row: row.id.rawValue, path))
    }

    /// Its rows without their answers, to name places by.
    var bareRows: FormAnswers {
        FormAnswers(
            rows: rows.map { row in
                FormAnswers.Row(
                    id: row.id.rawValue, parent: row.parent?.rawValue, path: row.path)
            })
    }
}

extension DeviceStore {
    /// The inspection whose id is this text or begins with it.
    func inspectionID(matching text: String) throws -> RecordID {
        try ShortID.find(text, among: inspectionIDs(), called: "inspection")
    }

    func detail(matching text: String) throws -> InspectionDetail {
        try inspection(inspectionID(matching: text))
    }
}
