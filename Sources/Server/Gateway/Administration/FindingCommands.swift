import Arguments
import Coding
import Inspections
import Replication
import ServerStore

enum FindingCommands {
    static let all = [list, close]

    static let list = Administration(
        name: "list", summary: "List what was found wrong and is not closed.",
        options: [
            Option("form", value: "F", help: "Only in inspections of this form."),
            Option(
                "status", value: "S", allowed: Finding.Status.allCases.map(\.rawValue),
                help: "Only those of this status, closed ones too."),
            Option("overdue", help: "Only those that should be mended by now and are not."),
        ]
    ) { session, invocation, console in
        let status = invocation.value("status").flatMap(Finding.Status.init)
        // By the day in UTC: a day that has just begun elsewhere makes nothing overdue.
        let today = String(SyncTimestamp.text(session.now()).prefix(10))
        let found = try session.store.export(form: invocation.value("form")).flatMap { row in
            row.findings.filter { each in
                status.map { each.finding.status == $0 } ?? (each.finding.status != .closed)
                    && (!invocation.has("overdue") || each.isOverdue(on: today))
            }.map { (inspection: row, finding: $0) }
        }
        if invocation.has("json") {
            let documents = found.map { document($0.finding, in: $0.inspection) }
            try console.writeDocument(JSON.array(documents).serialized())
            return .done
        }
        var table = TextTable([
            "ID", "ASSET", "FORM", "QUESTION", "SEVERITY", "STATUS", "DUE", "OWNER", "NOTE",
        ])
        for (row, each) in found {
            let finding = each.finding
            table.append([
                each.id.rawValue, row.asset ?? "-", row.form, each.address,
                finding.severity.rawValue + (finding.isRepeated ? ", repeated" : ""),
                finding.status.label, finding.due ?? "", finding.owner ?? "", finding.note ?? "",
            ])
        }
        try console.write(table.text)
        return .done
    }

    private static func document(_ each: FindingRow, in row: ExportRow) -> JSON {
        var members = each.members
        members["inspection"] = row.id.json
        members["form"] = .string(row.form)
        members["asset"] = JSON(row.asset)
        return .object(members)
    }

    static let close = Administration(
        name: "close", summary: "Close a finding; the devices hear of it with their next pull.",
        positionals: [Positional("ID")],
        options: [Option("comment", value: "C", help: "What was done about it.")]
    ) { session, invocation, console in
        let id = invocation.operand("ID")
        try session.store.close(
            finding: RecordID(id), comment: invocation.value("comment"), by: session.supervisor)
        if invocation.has("json") {
            let document: JSON = ["id": .string(id), "status": .string("closed")]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine("\(terminalSafe(id)) closed")
        }
        return .done
    }
}

extension FindingRow {
    /// As it stands in JSON.
    var members: [String: JSON] {
        [
            "id": id.json, "question": .string(finding.question), "row": JSON(finding.row),
            "address": .string(address), "severity": .string(finding.severity.rawValue),
            "status": .string(finding.status.rawValue), "owner": JSON(finding.owner),
            "due": JSON(finding.due), "note": JSON(finding.note),
            "comment": JSON(finding.comment), "repeated": .bool(finding.isRepeated),
            "version": .integer(version),
        ]
    }
}
