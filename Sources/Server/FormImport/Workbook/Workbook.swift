/// A workbook of the Office Open XML kind (.xlsx): its sheets by name, read when asked for.
final class Workbook {
    static let xmlLimits = XMLLimits(
        bytes: 32 << 20, depth: 60, nodes: 3_000_000, attributesOfElement: 100,
        attributeBytes: 64 << 10)

    private struct Part {
        var name: String
        var isHidden: Bool
        var path: String
    }

    private let archive: ZipArchive
    private let parts: [Part]
    private let shared: [String]
    private let cellText: CellText

    var sheetNames: [String] { parts.map(\.name) }

    init(_ bytes: [UInt8], limits: ZipLimits = .workbook) throws(FormImportError) {
        try Self.refuseOtherKinds(bytes)
        archive = try ZipArchive(bytes, limits: limits)
        let package = try Self.relations(archive, of: "")
        let book = package.first { $0.type == "officeDocument" }?.target ?? "xl/workbook.xml"
        guard let xml = try archive.entry(book) else {
            throw FormImportError(.file, "this is a zip file, but no workbook: save as .xlsx")
        }
        let root = try Self.tree(xml, book)
        guard root.name.local == "workbook" else {
            throw FormImportError(.file, "this is not a workbook of .xlsx kind: save as .xlsx")
        }
        let relations = try Self.relations(archive, of: book)
        parts = Self.parts(of: root, relations)
        shared = try Self.sharedTexts(archive, relations)
        let year = root.first("workbookPr")?["date1904"]
        cellText = CellText(
            usesYear1904: ["1", "true"].contains(year),
            styles: try Self.dateStyles(archive, relations))
    }

    /// The sheet of this name, in whatever case; nil when there is none.
    func sheet(
        _ name: String, _ warnings: inout WarningList
    ) throws(FormImportError) -> Sheet? {
        let wanted = name.lowercased()
        guard let part = parts.first(where: { $0.name.trimmed.lowercased() == wanted }) else {
            return nil
        }
        guard let bytes = try archive.entry(part.path) else {
            throw FormImportError(.file, "the sheet \(part.name) is missing in the file")
        }
        let reading: SheetReading
        do throws(FormImportError) {
            reading = try SheetReading.read(
                bytes, name: part.name, shared: shared, cellText: cellText)
        } catch {
            throw Self.inPart(part.path, error)
        }
        if let cell = reading.errorCells.first {
            warnings.note(
                "the cell holds an error of the spreadsheet",
                kind: "error cell \(part.name)",
                at: .cell(
                    sheet: part.name, row: cell.row, column: CellReference.letters(cell.column)))
        }
        var sheet = reading.sheet
        sheet.isHidden = part.isHidden
        return sheet
    }

    private static func refuseOtherKinds(_ bytes: [UInt8]) throws(FormImportError) {
        if bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            throw FormImportError(
                .file, "this is an old .xls or a protected workbook: save as .xlsx, no password")
        }
        guard bytes.starts(with: [0x50, 0x4B]) else {
            throw FormImportError(.file, "this is not a workbook: save as .xlsx")
        }
    }

    /// A fault in the workbook's own XML: the author does not know its lines.
    private static func inPart(_ path: String, _ error: FormImportError) -> FormImportError {
        guard case .line(let line, _) = error.place else { return error }
        return FormImportError(
            .file, "the workbook is damaged (\(path), line \(line)): \(error.problem)")
    }

    private static func tree(_ bytes: [UInt8], _ path: String) throws(FormImportError) -> XMLElement
    {
        do throws(FormImportError) {
            return try XMLTree.read(bytes, limits: xmlLimits)
        } catch {
            throw inPart(path, error)
        }
    }
}

// What the parts of the file say of each other.
extension Workbook {
    private struct Relation {
        var id: String
        /// The last word of the type's address.
        var type: String
        var target: String
    }

    private static func relations(
        _ archive: ZipArchive, of part: String
    ) throws(FormImportError) -> [Relation] {
        let slash = part.lastIndex(of: "/").map { part.index(after: $0) } ?? part.startIndex
        let folder = part[..<slash]
        let path = "\(folder)_rels/\(part[slash...]).rels"
        guard let bytes = try archive.entry(path) else { return [] }
        return try tree(bytes, path).all("Relationship").compactMap { element in
            guard let id = element["Id"], let type = element["Type"],
                let target = element["Target"],
                element["TargetMode"] != "External"
            else { return nil }
            return Relation(
                id: id, type: type.split(separator: "/").last.map(String.init) ?? type,
                target: resolved(target, in: String(folder)))
        }
    }

    /// `/xl/a.xml`, `a.xml` and `../xl/a.xml` as the name of an entry.
    private static func resolved(_ target: String, in folder: String) -> String {
        var steps = target.hasPrefix("/") ? [] : folder.split(separator: "/")
        for step in target.split(separator: "/") {
            if step == ".." { _ = steps.popLast() } else if step != "." { steps.append(step) }
        }
        return steps.joined(separator: "/")
    }

    private static func parts(of root: XMLElement, _ relations: [Relation]) -> [Part] {
        (root.first("sheets")?.all("sheet") ?? []).compactMap { element in
            let id = element.attributes.first { $0.name.local == "id" && $0.name.namespace != nil }
            guard let name = element["name"],
                let relation = relations.first(where: { $0.id == id?.value }),
                relation.type == "worksheet"
            else { return nil }
            let isHidden = ["hidden", "veryHidden"].contains(element["state"])
            return Part(name: name, isHidden: isHidden, path: relation.target)
        }
    }

    private static func sharedTexts(
        _ archive: ZipArchive, _ relations: [Relation]
    ) throws(FormImportError) -> [String] {
        guard let path = relations.first(where: { $0.type == "sharedStrings" })?.target,
            let bytes = try archive.entry(path)
        else { return [] }
        return try tree(bytes, path).all("si").map(richText)
    }

    /// `<t>` and the runs `<r><t>`, without the phonetic reading `<rPh>`.
    private static func richText(_ element: XMLElement) -> String {
        CellText.unescaped(
            element.children.map { child in
                switch child.name.local {
                case "t": child.text
                case "r": child.all("t").map(\.text).joined()
                default: ""
                }
            }.joined())
    }

    private static func dateStyles(
        _ archive: ZipArchive, _ relations: [Relation]
    ) throws(FormImportError) -> [CellText.DateStyle?] {
        guard let path = relations.first(where: { $0.type == "styles" })?.target,
            let bytes = try archive.entry(path)
        else { return [] }
        let root = try tree(bytes, path)
        var codes: [Int: String] = [:]
        for format in root.first("numFmts")?.all("numFmt") ?? [] {
            guard let id = format["numFmtId"].flatMap({ Int($0) }) else { continue }
            codes[id] = format["formatCode"]
        }
        return (root.first("cellXfs")?.all("xf") ?? []).map { style in
            guard let id = style["numFmtId"].flatMap({ Int($0) }) else { return nil }
            if let code = codes[id] { return CellText.DateStyle(code: code) }
            return CellText.DateStyle(builtIn: id)
        }
    }
}
