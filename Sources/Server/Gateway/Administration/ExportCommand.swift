import Arguments
import Coding
import Forms
import Inspections
import Replication
import ServerStore

enum ExportCommand {
    static let entry = Administration(
        name: "export", summary: "Inspections and their answers on standard output.",
        options: [
            Option("form", value: "F", help: "Only inspections of this form."),
            Option("format", allowed: ["csv", "json"], help: "csv unless given."),
            Option(
                "repeat", value: "PATH",
                help: "The rows of this repeat, a line each, instead of the inspections."),
            Option("findings", help: "The findings, a line each, instead of the inspections."),
        ]
    ) { session, invocation, console in
        try refuseContradictions(invocation)
        let forms = try PublishedVersions(session, form: invocation.value("form"))
        if let path = invocation.value("repeat"), !forms.haveRepeat(path) {
            throw Failure(.failed, "no published form has a repeat '\(path)'")
        }
        let rows = try session.store.export(form: invocation.value("form"))
        let format = invocation.value("format") ?? (invocation.has("json") ? "json" : "csv")
        if format == "json" {
            try console.writeDocument(JSON.array(rows.map(document)).serialized())
        } else if invocation.has("findings") {
            try console.write(table(ofFindings: rows))
        } else if let path = invocation.value("repeat") {
            try console.write(table(of: path, rows, forms))
        } else {
            try console.write(table(rows, forms))
        }
        return .done
    }

    private static func refuseContradictions(_ invocation: Invocation) throws {
        let isJSON = invocation.has("json") || invocation.value("format") == "json"
        if invocation.has("json"), invocation.value("format") == "csv" {
            throw Failure(
                .usage, "--json and --format csv contradict each other", advice: "Say one of them.")
        }
        for name in ["repeat", "findings"] where isJSON && invocation.has(name) {
            throw Failure(
                .usage, "--\(name) is for CSV: as JSON they stand in their inspections",
                advice: "Leave --\(name) away.")
        }
        if invocation.has("repeat"), invocation.has("findings") {
            throw Failure(
                .usage, "--repeat and --findings contradict each other", advice: "Say one of them.")
        }
    }

    // MARK: JSON

    private static func document(_ row: ExportRow) -> JSON {
        var members: [String: JSON] = [
            "id": row.id.json, "form": .string(row.form), "formVersion": .string(row.formVersion),
            "asset": JSON(row.asset), "state": .string(row.state), "version": .integer(row.version),
            "fields": .object(row.fields.mapValues(\.json)),
        ]
        if !row.findings.isEmpty {
            members["findings"] = .array(row.findings.map { .object($0.members) })
        }
        if !row.parts.isEmpty {
            members["repeats"] = repeats(Dictionary(grouping: row.parts, by: \.parent), in: nil)
        }
        return .object(members)
    }

    /// As deep as repeats stand in each other, which `FormLimits` bounds.
    private static func repeats(_ parts: [RecordID?: [ExportRow.Part]], in row: RecordID?) -> JSON {
        let byPath = Dictionary(grouping: parts[row] ?? [], by: \.path)
        return .object(
            byPath.mapValues { rows in
                .array(
                    rows.map { part in
                        var members: [String: JSON] = [
                            "id": part.id.json, "position": .integer(Int64(part.position)),
                            "fields": .object(part.fields.mapValues(\.json)),
                        ]
                        if parts[part.id] != nil {
                            members["repeats"] = repeats(parts, in: part.id)
                        }
                        return .object(members)
                    })
            })
    }

    // MARK: CSV

    private static let ofInspection = ["form", "formVersion", "asset", "state", "version"]

    private static func words(of row: ExportRow) -> [String] {
        [row.form, row.formVersion, row.asset ?? "", row.state].map(CSVWriter.inert)
            + [String(row.version)]
    }

    private static func table(_ rows: [ExportRow], _ forms: PublishedVersions) -> String {
        let answered = Set(rows.flatMap(\.fields.keys))
        let columns = forms.columns(of: Set(rows.map(\.form)), repeat: nil, answered)
        var text = CSVWriter.line(CSVWriter.headings(["id"] + ofInspection, columns))
        for row in rows {
            text += CSVWriter.line(
                [CSVWriter.inert(row.id.rawValue)] + words(of: row)
                    + columns.map { cell(row.fields[$0] ?? .null) })
        }
        return text
    }

    /// One repeat, each row with where it stands.
    private static func table(
        of path: String, _ rows: [ExportRow], _ forms: PublishedVersions
    ) -> String {
        let parts = rows.flatMap { row in
            row.parts.filter { $0.path == path }.map { (row: row, part: $0) }
        }
        let answered = Set(parts.flatMap(\.part.fields.keys))
        let columns = forms.columns(of: Set(rows.map(\.form)), repeat: path, answered)
        var text = CSVWriter.line(
            CSVWriter.headings(
                ["id", "inspection", "parent", "position"] + ofInspection, columns))
        for (row, part) in parts {
            var cells = [part.id, row.id, part.parent ?? row.id].map {
                CSVWriter.inert($0.rawValue)
            }
            cells.append(String(part.position))
            cells += words(of: row)
            cells += columns.map { cell(part.fields[$0] ?? .null) }
            text += CSVWriter.line(cells)
        }
        return text
    }

    private static func table(ofFindings rows: [ExportRow]) -> String {
        var text = CSVWriter.line(
            [
                "id", "inspection", "form", "formVersion", "asset", "question", "severity",
                "status", "owner", "due", "note", "comment", "repeated", "version",
            ])
        for row in rows {
            for each in row.findings {
                let finding = each.finding
                let cells = [
                    each.id.rawValue, row.id.rawValue, row.form, row.formVersion, row.asset ?? "",
                    each.address, finding.severity.rawValue, finding.status.rawValue,
                    finding.owner ?? "", finding.due ?? "", finding.note ?? "",
                    finding.comment ?? "",
                ]
                text += CSVWriter.line(
                    cells.map(CSVWriter.inert)
                        + [finding.isRepeated ? "1" : "0", String(each.version)])
            }
        }
        return text
    }

    private static func cell(_ value: FieldValue) -> String {
        guard case .string(let text) = value else { return value.shown }
        return CSVWriter.inert(text)
    }
}

/// All published versions of the forms that an export may hold, in the order in which they were
/// published: a question that a later version renamed or left away has its column still.
private struct PublishedVersions {
    private var versions: [FormDefinition] = []

    init(_ session: Session, form wanted: String?) throws {
        for listing in try session.store.publishedForms()
        where wanted == nil || listing.id == wanted {
            guard let document = try session.store.form(id: listing.id, version: listing.version)
            else { continue }
            versions.append(try FormDefinition(json: JSON.parse(document.definition)))
        }
        if let wanted, versions.isEmpty { throw Failure(.failed, "there is no form '\(wanted)'") }
    }

    func haveRepeat(_ path: String) -> Bool {
        versions.contains { form in form.repetitions.contains { $0.path == path } }
    }

    /// The union of the questions, each in its form's order; answers that no version asks for come
    /// last.
    func columns(of forms: Set<String>, repeat path: String?, _ answered: Set<String>) -> [String] {
        var seen: Set<String> = []
        var columns: [String] = []
        for form in versions where forms.contains(form.id) {
            for question in form.allQuestions
            where question.type.takesAnswer
                && form.repetition(around: question.path)?.path == path
                && seen.insert(question.path).inserted
            {
                columns.append(question.path)
            }
        }
        return columns + answered.subtracting(seen).sorted()
    }
}
