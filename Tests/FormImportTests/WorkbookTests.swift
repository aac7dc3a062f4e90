import TestSupport
import Testing

@testable import FormImport

@Suite("A workbook gives the text of its cells as their author sees it")
struct WorkbookTests {
    static func sheet(_ book: SmallWorkbook, _ name: String = "survey") throws -> Sheet {
        var warnings = WarningList()
        let sheet = try Workbook(book.bytes).sheet(name, &warnings)
        return try #require(sheet)
    }

    @Test("shared and inline strings, rich text without phonetics, and escaped characters")
    func strings() throws {
        let book = SmallWorkbook.sheet(
            """
            <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>
            <c r="C1" t="inlineStr"><is><t>in</t><rPh><t>no</t></rPh></is></c>
            <c r="D1" t="str"><f>A1&amp;"x"</f><v>cached</v></c>
            <c r="E1"><f>1+1</f></c><c r="F1" t="s"><v>2</v></c></row>
            """,
            shared: """
                <si><t>plain</t></si><si><r><rPr><b/></rPr><t xml:space="preserve">rich </t></r>
                <r><t>text</t></r><rPh sb="0" eb="1"><t>reading</t></rPh></si>
                <si><t>a_x000D_b_x_c</t></si>
                """)
        let cells = try Self.sheet(book).rows[0].cells
        #expect(
            cells == [1: "plain", 2: "rich text", 3: "in", 4: "cached", 6: "a\rb_x_c"])
    }

    @Test(
        "numbers have no needless .0, truth is TRUE or FALSE",
        arguments: [
            ("", "1", "1"), ("", "1.0", "1"), ("", "-3", "-3"), ("", "0.1", "0.1"),
            ("", "0.10000000000000001", "0.1"), ("", "123456789012", "123456789012"),
            ("", "1E3", "1000"), ("b", "1", "TRUE"), ("b", "0", "FALSE"), ("", "x", "x"),
            ("e", "#REF!", "#REF!"),
        ])
    func numbers(type: String, raw: String, shown: String) throws {
        let attribute = type.isEmpty ? "" : " t=\"\(type)\""
        let book = SmallWorkbook.sheet(
            "<row r=\"1\"><c r=\"A1\"\(attribute)><v>\(raw)</v></c></row>")
        #expect(try Self.sheet(book).rows[0].cells[1] == shown)
    }

    @Test(
        "days and times, counted from 1900 or 1904",
        arguments: [
            (1, "1", false, "1900-01-01"), (1, "59", false, "1900-02-28"),
            (1, "61", false, "1900-03-01"), (1, "45658", false, "2025-01-01"),
            (1, "44196", true, "2025-01-01"), (2, "45658.5", false, "2025-01-01 12:00:00"),
            (3, "0.75", false, "18:00:00"), (4, "45658", false, "2025-01-01"),
            (5, "45658", false, "45658"), (0, "45658", false, "45658"),
        ])
    func dates(style: Int, raw: String, year1904: Bool, shown: String) throws {
        var book = SmallWorkbook.sheet(
            "<row r=\"1\"><c r=\"A1\" s=\"\(style)\"><v>\(raw)</v></c></row>",
            styles: """
                <numFmts><numFmt numFmtId="164" formatCode="[$-409]yyyy\\-mm\\-dd;@"/>
                <numFmt numFmtId="165" formatCode="0.0&quot;days&quot;"/></numFmts>
                <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
                <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/>
                <xf numFmtId="20"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>
                """)
        book.date1904 = year1904
        #expect(try Self.sheet(book).rows[0].cells[1] == shown)
    }

    @Test("rows and cells may be sparse, hidden, merged or without their place")
    func sparse() throws {
        let book = SmallWorkbook.sheet(
            """
            <row r="2" hidden="1"><c r="C2"><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>
            <row r="9"><c r="AB9"><v>4</v></c><c r="AC9" s="3"/></row><row r="10"/>
            """)
        let rows = try Self.sheet(book).rows
        #expect(rows.map(\.number) == [2, 3, 9])
        #expect(rows.map(\.isHidden) == [true, false, false])
        #expect(rows.map(\.cells) == [[3: "1", 4: "2"], [1: "3"], [28: "4"]])
    }

    @Test("a sheet is found by its name in any case, wherever its part lies")
    func sheetNames() throws {
        var book = SmallWorkbook()
        book.sheets = [("Notes", [["x"]]), ("SURVEY", [["y"]])]
        #expect(try Self.sheet(book).rows[0].cells == [1: "y"])
        var warnings = WarningList()
        #expect(try Workbook(book.bytes).sheet("choices", &warnings) == nil)
    }

    @Test(
        "what is no .xlsx is refused with what to do",
        arguments: [
            ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1], "save as .xlsx"),
            (Array("name,label".utf8), "save as .xlsx"), ([], "save as .xlsx"),
            (SmallZip([.init("a.txt", [1])]).bytes, "save as .xlsx"),
            (Array(SmallWorkbook.form([["type"]]).bytes.dropLast(30)), "cut short"),
        ] as [([UInt8], String)])
    func otherFiles(bytes: [UInt8], words: String) {
        let said = refusal { _ = try Workbook(bytes) } ?? ""
        #expect(said.contains(words), "\(said)")
    }

    @Test("bombs, protected parts and lies about size are refused")
    func bombs() {
        func words(_ entries: [SmallZip.Entry], _ limits: ZipLimits = .workbook) -> String {
            refusal {
                let archive = try ZipArchive(SmallZip(entries).bytes, limits: limits)
                _ = try archive.entry("a")
            } ?? ""
        }
        #expect(words([.init("a", [1], claiming: 1 << 30)]).contains("more than a workbook"))
        #expect(words([.init("a", [1], claiming: 30 << 20)]).contains("more than a workbook"))
        #expect(words([.init("a", [1, 2], claiming: 1)]).contains("damaged"))
        #expect(words([.init("a", [1, 2], claiming: 9)]).contains("damaged"))
        let many = (0..<2_001).map { SmallZip.Entry("\($0)", []) }
        #expect(words(many).contains("2000 parts"))
        var locked = SmallZip.Entry("a", [1])
        locked.isEncrypted = true
        #expect(words([locked]).contains("without a password"))
        let some = (0..<4).map { SmallZip.Entry("\($0)", [UInt8](repeating: 0, count: 100)) }
        #expect(words(some, ZipLimits(allBytes: 300)).contains("more than a workbook"))
    }

    @Test("entities in a part are refused as they are in a form")
    func entities() {
        var book = SmallWorkbook.form([["type", "name"]])
        book.parts["xl/workbook.xml"] = #"<!DOCTYPE a [<!ENTITY b "c">]><workbook>&b;</workbook>"#
        #expect(refusal { _ = try Workbook(book.bytes) }?.contains("document type") == true)
    }

    @Test(
        "broken sheets are refused with sheet, row and column",
        arguments: [
            (#"<row r="1"><c r="B1" t="s"><v>7</v></c></row>"#, "row 1, column B: the cell names"),
            (#"<row r="5"/><row r="5"/>"#, "row 5: the rows are out of order"),
            (#"<row r="9999999"/>"#, "the rows are out of order"),
        ])
    func brokenSheets(rows: String, words: String) {
        let said = refusal { _ = try Self.sheet(SmallWorkbook.sheet(rows)) } ?? ""
        #expect(said.contains(words), "\(said)")
    }
}
