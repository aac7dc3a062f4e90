import Coding
import TestSupport
import Testing

@testable import Gateway

@Suite("CSV")
struct CSVTests {
    private func cells(_ text: String) throws -> [[String]] {
        try CSVDocument(text).lines.map(\.cells)
    }

    @Test("cells are read as RFC 4180 writes them")
    func rules() throws {
        #expect(try cells("a,b\r\n1,2\r\n") == [["a", "b"], ["1", "2"]])
        #expect(try cells("a,b\n1,2") == [["a", "b"], ["1", "2"]])
        #expect(try cells("\"a,b\",\"c\"\"d\",\"e\nf\"\n") == [["a,b", "c\"d", "e\nf"]])
        #expect(try cells("\u{FEFF}a,,\n\n\r\nb,\"\",é\n") == [["a", "", ""], ["b", "", "é"]])
        #expect(try cells("") == [])
    }

    @Test(
        "what is wrong is named by line and column",
        arguments: [
            ("a,b\n1,\"2", "2:2: a quote is never closed"),
            ("a,b\n1,x\"y", "2:2: a quote inside a cell that does not begin with one"),
            ("\"a\nb\"c", "2:1: text after the closing quote"),
        ])
    func faults(text: String, message: String) {
        #expect { try CSVDocument(text) } throws: { "\($0)" == message }
    }

    @Test(
        "columns are named in the first line, in any order",
        arguments: [
            ("", "1: the file is empty; its first line names the columns id,name,note"),
            ("id\n", "1: the column 'name' is missing"),
            ("id,name,x\n", "1:3: there is no column 'x'; there are id,name,note"),
            ("id,name,id\n", "1:3: the column 'id' stands twice"),
            ("id,name\n1\n", "2: 1 cells where the first line has 2"),
            ("id,name\n1,a\n\n,b\n", "4:1: id is empty"),
        ])
    func columns(text: String, message: String) throws {
        let columns = CSVColumns(required: ["id", "name"], optional: ["note"])
        #expect { try columns.rows(of: CSVDocument(text)) } throws: { "\($0)" == message }
    }

    @Test(
        "what a spreadsheet would carry out is made inert",
        arguments: [
            ("=1+1", "'=1+1"), ("+49 30", "'+49 30"), ("-5", "'-5"), ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"), ("\r=1", "'\r=1"), ("\n=1", "'\n=1"), ("＝1", "'＝1"), ("a=1", "a=1"),
            ("", ""), ("'=1", "'=1"), ("=\u{301}", "'=\u{301}"),
        ])
    func inert(text: String, written: String) {
        #expect(CSVWriter.inert(text) == written)
    }

    @Test("what is written is read back", arguments: 0..<20)
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("ab,\"\n\r é")
        func cell() -> String { String((0..<random.below(6)).map { _ in random.pick(alphabet) }) }
        let rows = (0..<20).map { _ in ["x"] + (0..<4).map { _ in cell() } }
        let text = rows.map(CSVWriter.line).joined()
        #expect(try cells(text) == rows, "seed \(seed)")
    }
}
