import Arguments
import Coding
import ServerStore

enum ImportCommands {
    static let all = [
        entry("sites", "Sites and the teams that see them.", Columns.sites) { store, rows in
            try store.importSites(
                rows.map { SiteRow(id: $0["id"], name: $0["name"], team: $0["team"]) })
        },
        entry("assets", "The equipment of the sites.", Columns.assets) { store, rows in
            try store.importAssets(
                rows.map {
                    AssetRow(
                        id: $0["id"], site: $0["site"], tag: $0["tag"], name: $0["name"],
                        model: $0["model"], serial: $0["serial"])
                })
        },
        entry("assignments", "Inspections that are due.", Columns.assignments) { store, rows in
            try store.importAssignments(
                rows.map { AssignmentRow(asset: $0["asset"], form: $0["form"], due: $0["due"]) })
        },
    ]

    enum Columns {
        static let sites = CSVColumns(required: ["id", "name", "team"])
        static let assets = CSVColumns(
            required: ["id", "site", "tag"], optional: ["name", "model", "serial"])
        static let assignments = CSVColumns(required: ["asset", "form", "due"])
    }

    private static func entry(
        _ name: String, _ summary: String, _ columns: CSVColumns,
        _ store: @escaping @Sendable (any Store, [CSVRow]) throws -> ImportReport
    ) -> Administration {
        Administration(
            name: name, summary: summary + " Columns: " + columns.all.joined(separator: ",") + ".",
            positionals: [Positional("FILE.csv")], fileOperand: "FILE.csv"
        ) { session, invocation, console in
            let path = invocation.operand("FILE.csv")
            let rows: [CSVRow]
            do {
                rows = try columns.rows(of: CSVDocument(try session.read(path)))
                try refuseRepeatedIDs(rows, columns)
            } catch let error as CSVError {
                throw Failure(.validation, "\(path):\(error)")
            }
            let report = try store(session.store, rows)
            try say(report, invocation, console)
            return .done
        }
    }

    /// Of two rows with one id the later would win without a word.
    private static func refuseRepeatedIDs(
        _ rows: [CSVRow], _ columns: CSVColumns
    ) throws(CSVError) {
        guard columns.required.contains("id") else { return }
        var lines: [String: Int] = [:]
        for row in rows {
            if let before = lines.updateValue(row.line, forKey: row["id"]) {
                throw CSVError(
                    line: row.line,
                    message: "the id '\(row["id"])' stands in line \(before) already")
            }
        }
    }

    private static func say(
        _ report: ImportReport, _ invocation: Invocation, _ console: Console
    ) throws {
        if invocation.has("json") {
            let document: JSON = [
                "created": .integer(Int64(report.created)),
                "updated": .integer(Int64(report.updated)),
                "unchanged": .integer(Int64(report.unchanged)),
            ]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine(
                "\(report.created) created, \(report.updated) updated, "
                    + "\(report.unchanged) unchanged")
        }
    }
}
