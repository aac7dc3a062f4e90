/// The sheet `settings`: one row about the form as a whole.
struct FormSettings {
    var title: String?
    var id: String?
    var version: String?
    var root = "data"
    var defaultLanguage: String?
    var instanceName: String?
    var style: String?
    var allowsChoiceDoubles = false
    var prefixes: Set<String> = ["jr", "odk", "orx", "walkdown", "xsd", "ev", "h", "entities"]
    var row: TableRow?

    init(_ table: Table?, _ warnings: inout WarningList) throws(FormImportError) {
        guard let row = table?.rows.first else { return }
        self.row = row
        title = row["form_title"]
        id = row["form_id"]
        version = row["version"]
        defaultLanguage = row["default_language"]
        instanceName = row["instance_name"]
        style = row["style"]
        allowsChoiceDoubles = row["allow_choice_duplicates"].map(TableRow.isYes) ?? false
        if let name = row["name"] {
            guard SurveyTree.isName(name) else {
                throw FormImportError(row.place("name"), "\(name) cannot be a name")
            }
            root = name
        }
        if let namespaces = row["namespaces"] { declare(namespaces) }
        if row["public_key"] != nil {
            warnings.unsupported("encrypted submissions (public_key)", at: row.place("public_key"))
        }
    }

    /// `esri="http://…" x="…"`.
    private mutating func declare(_ namespaces: String) {
        for word in TableRow.straightQuotes(namespaces).split(whereSeparator: \.isWhitespace) {
            guard let equals = word.firstIndex(of: "=") else { continue }
            prefixes.insert(String(word[..<equals]))
        }
    }
}
