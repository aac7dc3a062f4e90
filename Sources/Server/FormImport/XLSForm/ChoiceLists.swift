/// The lists of the sheet `choices`.
struct ChoiceLists {
    struct Choice {
        var name: String
        var row: TableRow
    }

    private(set) var names: [String] = []
    private(set) var choices: [String: [Choice]] = [:]
    /// The columns beside name and label, for filters.
    private(set) var extraColumns: [String] = []

    init() {}

    init(
        _ table: Table, allowsDoubles: Bool, _ warnings: inout WarningList
    ) throws(FormImportError) {
        let own = ["list_name", "name", "label"] + Heading.media
        extraColumns = table.columns.filter { !own.contains($0) && SurveyTree.isName($0) }
        var seen: [String: Set<String>] = [:]
        for row in table.rows {
            guard let list = row["list_name"] else { continue }
            // Expressions ask for names, and their quotation marks are made straight too.
            guard let name = row["name"].map(TableRow.straightQuotes) else {
                throw FormImportError(row.place("name"), "a choice of \(list) without name")
            }
            if !seen[list, default: []].insert(name).inserted, !allowsDoubles {
                warnings.note(
                    "the choice \(name) is there twice in \(list)", kind: "choice twice",
                    at: row.place("name"))
            }
            if choices[list] == nil { names.append(list) }
            choices[list, default: []].append(Choice(name: name, row: row))
        }
    }

    func holds(_ list: String) -> Bool { choices[list] != nil }

    mutating func addOther(to list: String) {
        guard let last = choices[list]?.last,
            !(choices[list] ?? []).contains(where: { $0.name == "other" })
        else { return }
        let row = TableRow(SheetRow(last.row.number), headings: [:], sheet: last.row.sheet)
        choices[list]?.append(Choice(name: "other", row: row))
    }

    /// Whether the texts of a list are in several languages, have pictures or take answers in.
    func usesTexts(_ list: String) -> Bool {
        (choices[list] ?? []).contains { choice in
            choice.row.texts("label").contains { $0.language != nil || $0.text.contains("${") }
                || Heading.media.contains { choice.row[$0] != nil }
        }
    }
}
