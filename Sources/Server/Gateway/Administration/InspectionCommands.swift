import Arguments
import Coding
import Forms
import Replication
import ServerStore

enum InspectionCommands {
    static let approve = Administration(
        name: "approve", summary: "Approve a complete inspection and lock it.",
        positionals: [Positional("ID")]
    ) { session, invocation, console in
        let id = invocation.operand("ID")
        try session.store.approve(inspection: RecordID(id), by: session.supervisor)
        return try say(id, "approved", invocation, console)
    }

    static let sendBack = Administration(
        name: "return", summary: "Return a complete inspection to the inspector.",
        positionals: [Positional("ID")],
        options: [Option("comment", value: "C", help: "What is to be done.")]
    ) { session, invocation, console in
        guard let comment = invocation.value("comment"), !comment.isEmpty else {
            throw Failure(.usage, "why is it returned?", advice: "Say --comment C.")
        }
        let id = invocation.operand("ID")
        try session.store.returnInspection(
            id: RecordID(id), comment: comment, by: session.supervisor)
        return try say(id, "returned", invocation, console)
    }

    private static func say(
        _ id: String, _ state: String, _ invocation: Invocation, _ console: Console
    ) throws -> ExitCode {
        if invocation.has("json") {
            let document: JSON = ["id": .string(id), "state": .string(state)]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine("\(terminalSafe(id)) \(state)")
        }
        return .done
    }

    static let export = Administration(
        name: "export", summary: "Inspections and their answers on standard output.",
        options: [
            Option("form", value: "F", help: "Only inspections of this form."),
            Option("format", allowed: ["csv", "json"], help: "csv unless given."),
        ]
    ) { session, invocation, console in
        if invocation.has("json"), invocation.value("format") == "csv" {
            throw Failure(
                .usage, "--json and --format csv contradict each other", advice: "Say one of them.")
        }
        let form = invocation.value("form")
        if let form, try !session.store.publishedForms().contains(where: { $0.id == form }) {
            throw Failure(.failed, "there is no form '\(form)'")
        }
        let rows = try session.store.export(form: form)
        let format = invocation.value("format") ?? (invocation.has("json") ? "json" : "csv")
        if format == "json" {
            try console.writeDocument(JSON.array(rows.map(document)).serialized())
        } else {
            try console.write(try csv(rows, session))
        }
        return .done
    }

    private static func document(_ row: ExportRow) -> JSON {
        [
            "id": row.id.json, "form": .string(row.form), "formVersion": .string(row.formVersion),
            "asset": JSON(row.asset), "state": .string(row.state), "version": .integer(row.version),
            "fields": .object(row.fields.mapValues(\.json)),
        ]
    }

    private static func csv(_ rows: [ExportRow], _ session: Session) throws -> String {
        let questions = try questions(of: rows, session)
        let fixed = ["id", "form", "formVersion", "asset", "state", "version"]
        var text = CSVWriter.line(fixed + questions.map(CSVWriter.inert))
        for row in rows {
            let words = [row.id.rawValue, row.form, row.formVersion, row.asset ?? "", row.state]
            text += CSVWriter.line(
                words.map(CSVWriter.inert) + [String(row.version)]
                    + questions.map { cell(row.fields[$0] ?? .null) })
        }
        return text
    }

    private static func cell(_ value: FieldValue) -> String {
        guard case .string(let text) = value else { return value.shown }
        return CSVWriter.inert(text)
    }

    /// The union of the questions of all versions that occur, each in its form's order; answers
    /// that no published form asks for come last.
    private static func questions(of rows: [ExportRow], _ session: Session) throws -> [String] {
        var seen: Set<String> = []
        var names: [String] = []
        var forms: Set<[String]> = []
        for row in rows where forms.insert([row.form, row.formVersion]).inserted {
            guard let form = try session.store.form(id: row.form, version: row.formVersion) else {
                continue
            }
            let definition = try FormDefinition(json: JSON.parse(form.definition))
            for question in definition.questions where seen.insert(question.path).inserted {
                if case .note = question.type { continue }
                names.append(question.path)
            }
        }
        let others = Set(rows.flatMap(\.fields.keys)).subtracting(seen)
        return names + others.sorted()
    }
}
