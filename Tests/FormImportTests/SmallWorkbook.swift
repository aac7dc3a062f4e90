@testable import FormImport

/// A workbook of a few cells, built part by part.
struct SmallWorkbook {
    /// Name and rows of each sheet; an empty cell is left out.
    var sheets: [(name: String, rows: [[String]])] = []
    /// Parts that stand as they are, instead of or beside what is made of `sheets`.
    var parts: [String: String] = [:]
    var date1904 = false

    static func form(
        _ survey: [[String]], choices: [[String]] = [], settings: [[String]] = []
    ) -> SmallWorkbook {
        var book = SmallWorkbook()
        book.sheets.append(("survey", survey))
        if !choices.isEmpty { book.sheets.append(("choices", choices)) }
        if !settings.isEmpty { book.sheets.append(("settings", settings)) }
        return book
    }

    /// A workbook with one sheet whose rows are given as XML.
    static func sheet(_ rows: String, shared: String = "", styles: String = "") -> SmallWorkbook {
        var book = SmallWorkbook()
        book.sheets.append(("survey", []))
        book.parts["xl/odd/name of sheet 1.xml"] =
            "<worksheet \(main)><sheetData>\(rows)</sheetData></worksheet>"
        book.parts["xl/sharedStrings.xml"] = "<sst \(main)>\(shared)</sst>"
        book.parts["xl/styles.xml"] = "<styleSheet \(main)>\(styles)</styleSheet>"
        return book
    }

    private static let main =
        #"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main""#
    private static let office =
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    private static let package = "http://schemas.openxmlformats.org/package/2006/relationships"

    var bytes: [UInt8] { SmallZip(entries.map { .init($0.name, Array($0.text.utf8)) }).bytes }

    private var entries: [(name: String, text: String)] {
        var made: [String: String] = [
            "_rels/.rels": """
            <Relationships xmlns="\(Self.package)"><Relationship Id="a"
             Type="\(Self.office)/officeDocument" Target="/xl/workbook.xml"/></Relationships>
            """
        ]
        var names = ""
        var relations = ""
        for (index, sheet) in sheets.enumerated() {
            let path = "odd/name of sheet \(index + 1).xml"
            names += #"<sheet name="\#(sheet.name)" sheetId="\#(index + 1)" r:id="s\#(index)"/>"#
            relations +=
                #"<Relationship Id="s\#(index)" Type="\#(Self.office)/worksheet" Target="\#(path)"/>"#
            made["xl/" + path] = Self.xml(of: sheet.rows)
        }
        for part in ["sharedStrings", "styles"] {
            relations +=
                #"<Relationship Id="\#(part)" Type="\#(Self.office)/\#(part)" Target="\#(part).xml"/>"#
        }
        made["xl/workbook.xml"] = """
            <workbook \(Self.main) xmlns:r="\(Self.office)"><workbookPr date1904="\(date1904)"/>
            <sheets>\(names)</sheets></workbook>
            """
        made["xl/_rels/workbook.xml.rels"] =
            #"<Relationships xmlns="\#(Self.package)">\#(relations)</Relationships>"#
        made.merge(parts) { $1 }
        return made.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static func xml(of rows: [[String]]) -> String {
        var xml = "<worksheet \(main)><sheetData>"
        for (index, row) in rows.enumerated() {
            xml += "<row r=\"\(index + 1)\">"
            for (column, text) in row.enumerated() where !text.isEmpty {
                let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                let at = CellReference.letters(column + 1) + String(index + 1)
                xml += "<c r=\"\(at)\" t=\"inlineStr\"><is><t>\(escaped)</t></is></c>"
            }
            xml += "</row>"
        }
        return xml + "</sheetData></worksheet>"
    }

    func read(name: String = "form") throws -> ImportedForm {
        try FormFile.read(bytes, name: name + ".xlsx")
    }

    func form() throws -> XForm { try read().form }
}

/// Writes zip files with stored entries (APPNOTE 4.3), and lies about their sizes if told to.
struct SmallZip {
    struct Entry {
        var name: String
        var bytes: [UInt8]
        var claimedSize: UInt32
        var isEncrypted = false

        init(_ name: String, _ bytes: [UInt8], claiming size: UInt32? = nil) {
            self.name = name
            self.bytes = bytes
            claimedSize = size ?? UInt32(bytes.count)
        }
    }

    private(set) var bytes: [UInt8] = []

    init(_ entries: [Entry]) {
        var directory: [UInt8] = []
        for entry in entries {
            let offset = UInt32(bytes.count)
            let name = Array(entry.name.utf8)
            // One part after the other: a long sum of arrays takes the compiler too long.
            var shared = Self.two(20)
            shared += Self.two(entry.isEncrypted ? 1 : 0)
            shared += Self.two(0)
            shared += Self.four(0)
            shared += Self.four(Self.checksum(entry.bytes))
            shared += Self.four(UInt32(entry.bytes.count))
            shared += Self.four(entry.claimedSize)
            shared += Self.two(UInt16(name.count))
            shared += Self.two(0)
            bytes += [0x50, 0x4B, 3, 4]
            bytes += shared
            bytes += name
            bytes += entry.bytes
            directory += [0x50, 0x4B, 1, 2]
            directory += Self.two(20)
            directory += shared
            for _ in 1...3 { directory += Self.two(0) }
            directory += Self.four(0)
            directory += Self.four(offset)
            directory += name
        }
        let start = UInt32(bytes.count)
        let count = UInt16(entries.count)
        bytes += directory
        bytes += [0x50, 0x4B, 5, 6]
        bytes += Self.four(0)
        for _ in 1...2 { bytes += Self.two(count) }
        bytes += Self.four(UInt32(directory.count))
        bytes += Self.four(start)
        bytes += Self.two(0)
    }

    private static func two(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    private static func four(_ number: UInt32) -> [UInt8] {
        two(UInt16(truncatingIfNeeded: number)) + two(UInt16(truncatingIfNeeded: number >> 16))
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1
        }
    }

    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { value, byte in
            (value >> 8) ^ table[Int((value ^ UInt32(byte)) & 0xFF)]
        }
    }
}
