import TestSupport
import Testing

@testable import FormImport

@Suite("A faulty workbook is refused with sheet, row and column")
struct XLSFormFaultsTests {
    static let faults: [([[String]], String)] = [
        ([["type", "name"], ["txt", "a"]], "sheet survey, row 2, column type: the type txt"),
        (
            [["type", "name"], ["text", ""]], "row 2, column name: a question or group without name"
        ),
        ([["type", "name"], ["", "a"]], "row 2, column type: a question without type"),
        ([["type", "name"], ["text", "1a"]], "row 2, column name: 1a cannot be a name"),
        ([["type", "name"], ["text", "a b"]], "row 2, column name: a b cannot be a name"),
        (
            [["type", "name"], ["text", "a"], ["date", "a"]], "row 3, column name: a is there twice"
        ),
        ([["type", "name"], ["begin group", "g"]], "row 2, column type: g is never ended"),
        ([["type", "name"], ["end group"]], "row 2, column type: nothing has begun"),
        (
            [["type", "name"], ["begin group", "g"], ["end repeat"]],
            "row 3, column type: this ends a repeat, but g of row 2"
        ),
        (
            [["type", "name", "relevance"], ["text", "a", "${b} = 1"]],
            "row 2, column relevance: there is no question named b"
        ),
        (
            [["type", "name", "label"], ["text", "a", "See ${b}"]],
            "row 2, column label: there is no question named b"
        ),
        (
            [
                ["type", "name", "label", "calculation"], ["begin group", "g", "G"],
                ["text", "a", "A"], ["end group"], ["text", "a", "A"],
                ["calculate", "b", "", "${a}"],
            ], "row 6, column calculation: ${a} could mean 2 questions"
        ),
        (
            [["type", "name"], ["select_one towns", "a"]],
            "row 2, column type: there is no list towns in the sheet choices"
        ),
        (
            [["type", "name"], ["select_one_from_file towns.txt", "a"]],
            "row 2, column type: towns.txt is no list"
        ),
        (
            [["type", "name"], ["select_one ${x}", "a"]],
            "row 2, column type: there is no question named x"
        ),
        ([["type", "name"], ["calculate", "a"]], "row 2, column calculation: calculate has no"),
        (
            [["type", "name", "trigger"], ["text", "a", "${b}"]],
            "row 2, column trigger: ${b} is not the name of a question"
        ),
        (
            [["type", "name", "parameters"], ["range", "a", "start=x"]],
            "row 2, column parameters: x is not a number"
        ),
        (
            [["type", "name", "calculation"], ["calculate", "a", "instance('x')/root/a"]],
            "row 2, column calculation: there is no instance x"
        ),
        ([["type", "name"]], "sheet survey, row 1: the survey has no question"),
        (
            [["type", "name"], ["begin loop over l", "a"]],
            "row 2, column type: the type begin loop"
        ),
    ]

    @Test("each fault has its place and its words", arguments: 0..<21)
    func refused(number: Int) {
        let (survey, words) = Self.faults[number]
        let said = refusal { _ = try SmallWorkbook.form(survey).read() } ?? ""
        #expect(said.contains(words), "\(said)")
        #expect(said.hasPrefix("sheet survey, row "), "\(said)")
    }

    @Test("every fault of the table is tried")
    func tableIsWhole() {
        #expect(Self.faults.count == 21)
    }

    @Test("a workbook without survey says which sheets it has")
    func noSurvey() {
        var book = SmallWorkbook()
        book.sheets = [("Tabelle1", [["x"]])]
        #expect(
            refusal { _ = try book.read() }
                == "there is no sheet survey (there are: Tabelle1)")
    }

    @Test("what a strict converter refuses for form's sake is a warning with its place")
    func lenient() throws {
        let read = try SmallWorkbook.form(
            [
                [
                    "type", "name", "label", "image", "media::image", "bind::esri:fieldType",
                    "save_to",
                ],
                ["begin group", "meta", "M"], ["text", "a", "A", "a.png", "b.png", "x", "y"],
                ["end group"], ["select_one l", "b", "B"], ["background-audio", "c"],
                ["text", "d", "D", "", "", "x"],
            ],
            choices: [["list_name", "name", "label"], ["l", "x", "X"], ["l", "x", "Y"]],
            settings: [["public_key"], ["abc"]]
        ).read()
        #expect(
            read.warnings.map(\.description) == [
                "sheet survey, row 1, column media::image: the columns image and media::image mean "
                    + "the same; the first that is filled counts",
                "sheet settings, row 2, column public_key: unsupported encrypted submissions "
                    + "(public_key)",
                "sheet survey, row 2, column name: a group named meta stands where the form keeps "
                    + "its own record of itself",
                "sheet survey, row 6, column type: unsupported type background-audio",
                "sheet choices, row 3, column name: the choice x is there twice in l",
                "sheet survey, row 3, column bind::esri:fieldType: the prefix esri: of a column is "
                    + "not declared; passed over",
                "sheet survey, row 3, column save_to: unsupported entities (save_to)",
            ])
        #expect(
            read.form.texts.companion("image", of: "/data/meta/a:label", in: nil)
                == [.plain("jr://images/a.png")])
        #expect(read.form.primary.children.filter { $0.name == "meta" }.count == 1)
        #expect(read.form.binds.contains { $0.path == "/data/meta/instanceID" })
    }

    @Test("a disabled row, a row of remarks and a hidden sheet do what one expects")
    func rowsPassedOver() throws {
        let form = try SmallWorkbook.form([
            ["type", "name", "label", "disabled"], ["text", "a", "A"], ["text", "b", "B", "yes"],
            ["", "", "a remark"], ["note", "", "N"],
        ]).form()
        #expect(form.controls.map(\.path) == ["/data/a", "/data/generated_note_name_5"])
    }

    @Test("a group as a table gets a row of headings")
    func tableList() throws {
        let form = try SmallWorkbook.form(
            [
                ["type", "name", "label", "appearance"],
                ["begin group", "g", "G", "table-list minimal"],
                ["select_one towns", "a", "A"], ["select_one towns", "b", "B"], ["end group"],
            ], choices: XLSFormReaderTests.towns
        ).form()
        #expect(
            form.controls.map(\.path) == [
                "/data/g/generated_table_list_label_2",
                "/data/g/reserved_name_for_field_list_labels_3", "/data/g/a", "/data/g/b",
            ])
        #expect(
            form.controls.map(\.appearance) == [[], ["label"], ["list-nolabel"], ["list-nolabel"]])
    }

    @Test("the same file gives the same value and the same warnings each time")
    func repeatable() throws {
        let rows = (0..<40).map { ["text", "q\($0)", "See ${q\(39 - $0)}", "x", "y", "\($0)"] }
        let book = SmallWorkbook.form(
            [["type", "name", "label::en", "walkdown::a", "walkdown::b", "walkdown::unit"]]
                + rows + [["text", "z", "${last-saved#q1}", "", "", "", "", ""]])
        let bytes = book.bytes
        let first = try FormFile.read(bytes, name: "f.xlsx")
        for _ in 0..<5 { #expect(try FormFile.read(bytes, name: "f.xlsx") == first) }
        #expect(first.warnings.count == 2)
    }

    static let whole = SmallWorkbook.form(
        [
            ["type", "name", "label::en", "relevance", "parameters", "default"],
            ["begin repeat", "r", "R"], ["select_one towns or_other", "a", "A ${b}", "${b} > 1"],
            ["integer", "b", "B"], ["end repeat"],
            ["range", "c", "C", "${b} and position(..)", "start=1 end=2", "today()"],
        ], choices: XLSFormReaderTests.towns, settings: [["form_id"], ["x"]]
    )

    @Test(
        "five thousand damaged workbooks are read or refused, each in less than a second",
        arguments: 0..<10)
    func damaged(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let whole = Self.whole.bytes
        for number in 0..<500 {
            var bytes = Damage.of(whole, &random)
            if number % 2 == 0 {
                // Damage that the checksums of the zip file do not see: in the cells themselves.
                var book = Self.whole
                for (index, sheet) in book.sheets.enumerated() {
                    book.sheets[index].rows = sheet.rows.map { row in
                        row.map { random.oneIn(6) ? Self.damagedText($0, &random) : $0 }
                    }
                }
                bytes = book.bytes
            }
            let time = ThreadTime.measure {
                _ = refusal { _ = try FormFile.read(bytes, name: "x.xlsx") }
            }
            #expect(time < .seconds(1), "seed \(seed), number \(number)")
        }
    }

    private static func damagedText(_ text: String, _ random: inout SeededRandom) -> String {
        let pieces = [
            "${", "}", "(", "[", "'", "::", "begin repeat", "end group", "select_one ", "",
        ]
        let characters = Array(text)
        let at = characters.isEmpty ? 0 : random.below(characters.count + 1)
        return String(characters[..<at]) + random.pick(pieces)
            + String(characters[at...].dropFirst(random.below(3)))
    }

    @Test(
        "an expression of one piece sixty thousand characters long is no burden",
        arguments: ["${a}", "(", "[${a}", "'", "indexed-repeat(", "${", "}"])
    func longExpressions(piece: String) {
        let text = String(repeating: piece, count: 60_000 / piece.count)
        let book = SmallWorkbook.form(
            [
                ["type", "name", "label", "relevance", "choice_filter", "default"],
                ["text", "a", text], ["select_one towns", "b", "B", text, text, text],
            ], choices: XLSFormReaderTests.towns)
        let bytes = book.bytes
        let time = ThreadTime.measure {
            _ = refusal { _ = try FormFile.read(bytes, name: "x.xlsx") }
        }
        #expect(time < .seconds(1), "\(time)")
    }
}
