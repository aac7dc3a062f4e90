internal import Arguments
internal import Coding
internal import Inspections
internal import LocalStore
internal import Replication

enum FindingsCommand {
    static let entry = Entry(
        name: "findings", summary: "What is wrong and not closed yet, or all of one inspection.",
        positionals: [
            Positional(
                "ID", isRequired: false,
                help: "An inspection, as 'list' shows it; else all that are not closed.")
        ]
    ) { run in
        let id = run.invocation.operands("ID").first
        let findings = try run.withStore(for: .reading) { store in
            try id.map { try store.findings(of: store.inspectionID(matching: $0)) }
                ?? store.openFindings()
        }
        try run.emit(.array(findings.map(\.json))) { table(of: findings) }
        return .done
    }

    private static func table(of findings: [ListedFinding]) -> String {
        var table = TextTable([
            "ID", "SYNC", "INSPECTION", "QUESTION", "SEVERITY", "STATUS", "DUE", "OWNER", "NOTE",
        ])
        for each in findings {
            let finding = each.view.finding
            table.append([
                each.view.id.rawValue, each.view.sync.words,
                each.inspection.asset ?? each.inspection.name, each.address,
                finding.severity.rawValue + (finding.isRepeated ? ", repeated" : ""),
                finding.status.label, finding.due ?? "", finding.owner ?? "",
                escapingLines(finding.note ?? ""),
            ])
        }
        return table.text
    }
}
