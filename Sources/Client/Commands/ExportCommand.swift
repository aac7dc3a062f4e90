internal import Arguments
internal import Coding
internal import Forms
internal import LocalStore
internal import Replication

enum ExportCommand {
    private static let form = Option("form", value: "F", help: "Only inspections of this form.")
    private static let format = Option(
        "format", value: "FORMAT", allowed: ["csv", "json"], help: "csv unless given.")
    private static let repetition = Option(
        "repeat", value: "PATH",
        help: "The rows of this repeat, a line each, instead of the inspections.")

    static let entry = Entry(
        name: "export", summary: "What this device holds, on standard output.",
        discussion: """
            Inspections with their answers, a line each, in the columns of all versions of their \
            forms. As JSON the rows of repeats stand in their inspections.
            """,
        options: [form, format, repetition]
    ) { run in
        let isJSON = run.wantsJSON || run.invocation.value(format.name) == "json"
        guard !(run.wantsJSON && run.invocation.value(format.name) == "csv") else {
            throw Failure(.usage, "--json and --format csv contradict each other")
        }
        guard !(isJSON && run.invocation.has(repetition.name)) else {
            throw Failure(
                .usage, "--repeat is for CSV: as JSON the rows stand in their inspections")
        }
        let wanted = run.invocation.value(form.name)
        let (details, forms) = try run.withStore(for: .reading) { store in
            let forms = try store.forms().filter { wanted == nil || $0.id == wanted }
            if let wanted, forms.isEmpty {
                throw StoreError.unknownForm(id: wanted, version: nil)
            }
            let rows = try store.inspections().filter { wanted == nil || $0.form == wanted }
            return (
                try rows.map { try store.inspection($0.id) },
                try forms.reversed().map { try store.form($0.id, version: $0.version).definition }
            )
        }
        if isJSON {
            try run.console.writeDocument(
                JSON.array(details.map(document)).serialized(pretty: run.wantsJSON))
            return .done
        }
        let table = ExportTable(
            details, forms, repetition: run.invocation.value(repetition.name))
        guard let table else {
            throw Failure(.failed, "no form on this device has such a repeat")
        }
        try run.console.write(table.text)
        return .done
    }

    private static func document(_ detail: InspectionDetail) -> JSON {
        let summary = detail.summary
        return [
            "id": .string(summary.id.rawValue), "form": .string(summary.form),
            "formVersion": .string(summary.formVersion), "asset": JSON(summary.asset),
            "state": .string(summary.state), "version": .integer(summary.version),
            "fields": .object(detail.answers.mapValues(\.json)),
            "repeats": repeats(of: detail, in: nil),
        ]
    }

    /// As deep as repeats stand in each other, which `FormLimits` bounds.
    private static func repeats(of detail: InspectionDetail, in parent: RecordID?) -> JSON {
        let rows = detail.rows.filter { $0.parent == parent }
        return .object(
            Dictionary(grouping: rows, by: \.path).mapValues { rows in
                .array(
                    rows.map { row in
                        [
                            "id": .string(row.id.rawValue),
                            "position": .integer(Int64(row.index)),
                            "fields": .object(
                                row.fields.mapValues(\.value).filter { !$0.value.isNull }
                                    .mapValues(\.json)),
                            "repeats": repeats(of: detail, in: row.id),
                        ]
                    })
            })
    }
}

/// Inspections, or the rows of one repeat, as comma-separated values.
struct ExportTable {
    private(set) var text: String

    /// Nil where no form has the repeat.
    init?(_ details: [InspectionDetail], _ forms: [FormDefinition], repetition path: String?) {
        if let path, !forms.contains(where: { $0.repetitions.contains { $0.path == path } }) {
            return nil
        }
        let used = Set(details.map(\.summary.form))
        var seen: Set<String> = []
        let columns = forms.filter { used.contains($0.id) }.flatMap { form in
            form.allQuestions.filter { question in
                question.type.takesAnswer
                    && form.repetition(around: question.path)?.path == path
                    && seen.insert(question.path).inserted
            }.map(\.path)
        }
        let leading = path == nil ? ["id"] : ["id", "inspection", "parent", "position"]
        text = CSVWriter.line(
            CSVWriter.headings(
                leading + ["form", "formVersion", "asset", "state", "version"], columns))
        for detail in details {
            guard let path else {
                text += CSVWriter.line(
                    [detail.summary.id.rawValue] + Self.words(of: detail)
                        + columns.map { Self.cell(detail.fields[$0]?.value ?? .null) })
                continue
            }
            for row in detail.rows where row.path == path {
                let place = [row.id, detail.summary.id, row.parent ?? detail.summary.id]
                text += CSVWriter.line(
                    place.map(\.rawValue) + [String(row.index)] + Self.words(of: detail)
                        + columns.map { Self.cell(row.fields[$0]?.value ?? .null) })
            }
        }
    }

    private static func words(of detail: InspectionDetail) -> [String] {
        let summary = detail.summary
        return [summary.form, summary.formVersion, summary.asset ?? "", summary.state].map(
            CSVWriter.inert)
            + [String(summary.version)]
    }

    private static func cell(_ value: FieldValue) -> String {
        guard case .string(let text) = value else { return value.plainText }
        return CSVWriter.inert(text)
    }
}
