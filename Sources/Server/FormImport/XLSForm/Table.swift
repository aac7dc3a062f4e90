/// A sheet whose first row with content names its columns.
struct Table {
    var kind: TableKind
    var sheet: String
    var headings: [Int: Heading]
    var rows: [TableRow]

    init(_ sheet: Sheet, _ kind: TableKind, _ warnings: inout WarningList) {
        self.kind = kind
        self.sheet = sheet.name
        headings = [:]
        rows = []
        guard let first = sheet.rows.first else { return }
        for (column, text) in first.cells { headings[column] = Heading(text, in: kind) }
        noteDoubles(at: first.number, &warnings)
        for row in sheet.rows.dropFirst() {
            rows.append(TableRow(row, headings: headings, sheet: sheet.name))
        }
    }

    /// The languages of the columns, in order.
    var languages: [String] {
        headings.sorted { $0.key < $1.key }.compactMap(\.value.language)
    }

    /// The names of the columns, in order.
    var columns: [String] {
        headings.sorted { $0.key < $1.key }.map(\.value.name)
    }

    private func noteDoubles(at row: Int, _ warnings: inout WarningList) {
        var seen: [String: String] = [:]
        for (_, heading) in headings.sorted(by: { $0.key < $1.key }) {
            let key = heading.name + "::" + (heading.language ?? "")
            guard let before = seen.updateValue(heading.written, forKey: key) else { continue }
            warnings.note(
                "the columns \(before) and \(heading.written) mean the same; the first that is "
                    + "filled counts",
                kind: "columns \(key)",
                at: .cell(sheet: sheet, row: row, column: heading.written))
        }
    }
}

/// A row by the meaning of its columns.
struct TableRow {
    struct Text: Equatable {
        var language: String?
        var text: String
    }

    var number: Int
    let sheet: String
    private var cells: [String: [Text]] = [:]
    private var written: [String: String] = [:]

    init(_ row: SheetRow, headings: [Int: Heading], sheet: String) {
        number = row.number
        self.sheet = sheet
        for (column, text) in row.cells.sorted(by: { $0.key < $1.key }) {
            guard let heading = headings[column] else { continue }
            let known = cells[heading.name, default: []]
            guard !known.contains(where: { $0.language == heading.language }) else { continue }
            cells[heading.name] = known + [Text(language: heading.language, text: text.trimmed)]
            written[heading.name] = heading.written
        }
    }

    var isEmpty: Bool { cells.isEmpty }

    /// The cell of a column, without blanks around it.
    subscript(name: String) -> String? {
        guard let texts = cells[name] else { return nil }
        return (texts.first { $0.language == nil } ?? texts.first)?.text
    }

    func texts(_ name: String) -> [Text] { cells[name] ?? [] }

    /// Columns such as `walkdown::unit`, by what follows the prefix.
    func members(of prefix: String) -> [String: String] {
        var members: [String: String] = [:]
        for (name, texts) in cells where name.hasPrefix(prefix + "::") {
            members[String(name.dropFirst(prefix.count + 2))] = texts.first?.text
        }
        return members
    }

    func place(_ column: String? = nil) -> FormPlace {
        .cell(sheet: sheet, row: number, column: column.map { written[$0] ?? $0 })
    }

    /// An expression: quotation marks as a word processor bends them are made straight, and `yes`
    /// and `no` are what they mean.
    func expression(_ name: String) -> String? {
        guard let text = self[name] else { return nil }
        switch text.lowercased() {
        case "yes", "true", "true()": return "true()"
        case "no", "false", "false()": return "false()"
        default: return Self.straightQuotes(text)
        }
    }

    static func straightQuotes(_ text: String) -> String {
        String(
            text.map { character in
                switch character {
                case "\u{2018}", "\u{2019}", "\u{201B}": "'"
                case "\u{201C}", "\u{201D}", "\u{201F}": "\""
                case "\u{A0}": " "
                default: character
                }
            })
    }
}
