import TerminalKit
import TestSupport
import Testing

@Suite("Canvas")
struct CanvasTests {
    private func line(_ canvas: Canvas, _ row: Int) -> String {
        canvas.row(row).filter { !$0.isContinuation }.map { String($0.scalar) }.joined()
    }

    @Test("Text is clipped on all sides")
    func clipping() {
        var canvas = Canvas(size: Size(columns: 8, rows: 3))
        canvas.clipped(to: Rect(column: 2, row: 1, columns: 4, rows: 1)) { canvas in
            canvas.text("abcdefgh", column: 0, row: 1)
            canvas.text("abcdefgh", column: 0, row: 0)
            canvas.text("abcdefgh", column: 0, row: 2)
        }
        #expect(line(canvas, 0) == "        ")
        #expect(line(canvas, 1) == "  cdef  ")
        #expect(line(canvas, 2) == "        ")
    }

    @Test("A wide character that an edge would cut in two becomes a blank")
    func wideAtTheEdge() {
        var canvas = Canvas(size: Size(columns: 3, rows: 1))
        canvas.text("a漢字", column: 0, row: 0)
        #expect(line(canvas, 0) == "a漢")
        canvas.text("b", column: 2, row: 0)
        #expect(line(canvas, 0) == "a b")
        canvas.text("漢", column: -1, row: 0)
        #expect(line(canvas, 0) == "  b")
    }

    @Test("A head of width two is always followed by its continuation, whatever is drawn over it")
    func wideInvariant() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        var canvas = Canvas(size: Size(columns: 9, rows: 2))
        for _ in 0..<2_000 {
            let text = random.pick(["漢", "a", "e\u{301}", "漢a漢"])
            let column = random.below(12) - 2
            canvas.text(text, column: column, row: random.below(2))
            for row in 0..<2 {
                let cells = Array(canvas.row(row))
                for (index, cell) in cells.enumerated() {
                    let continues = index + 1 < cells.count && cells[index + 1].isContinuation
                    #expect((cell.width == 2) == continues, "seed \(seed)")
                }
            }
        }
    }

    @Test(
        "U35 Right-to-left text moves none of its neighbours, and no direction mark is drawn",
        arguments: [
            ("שלום עולם", 9), ("مَرْحَبًا", 5), ("\u{2067}שלום\u{2069}", 4),
            ("\u{200F}רֶגֶל\u{200E} 3/8", 7),
        ])
    func rightToLeft(text: String, columns: Int) {
        var canvas = Canvas(size: Size(columns: 14, rows: 1))
        canvas.text("|", column: 0, row: 0)
        #expect(canvas.text(text, column: 1, row: 0) == columns)
        canvas.text("|", column: 1 + columns, row: 0)
        // In the order in which it is stored: what turns it is the terminal's.
        let drawn = canvas.row(0).flatMap { [$0.scalar] + canvas.marks(of: $0) }
        let visible = text.unicodeScalars.filter { $0.properties.generalCategory != .format }
        #expect(drawn.prefix(visible.count + 2) == ["|"] + visible + ["|"])
    }

    @Test("Marks stand in the side table and belong to their cell")
    func marks() {
        var canvas = Canvas(size: Size(columns: 4, rows: 1))
        canvas.text("e\u{301}x", column: 0, row: 0)
        #expect(canvas.marks(of: canvas[column: 0, row: 0]) == ["\u{301}"])
        #expect(canvas.marks(of: canvas[column: 1, row: 0]) == [])
        #expect(canvas[column: 1, row: 0].scalar == "x")
    }

    @Test("The ASCII tier never holds a character outside ASCII and keeps the columns")
    func asciiTier() {
        var canvas = Canvas(size: Size(columns: 10, rows: 3), tier: .ascii)
        _ = canvas.box(Rect(canvas.size))
        canvas.text("é漢x", column: 1, row: 1)
        #expect(line(canvas, 0) == "+--------+")
        #expect(line(canvas, 1) == "|e??x    |")
        #expect(canvas.cells.allSatisfy { $0.scalar.isASCII })
    }

    @Test("Rectangles can be cut at any size without leaving themselves", arguments: 0...12)
    func cuts(columns: Int) {
        for rows in 0...12 {
            var rest = Rect(Size(columns: columns, rows: rows))
            let whole = rest
            let parts = [
                rest.cutTop(2), rest.cutBottom(3), rest.cutLeft(4), rest.cutRight(5),
                rest.inset(columns: 3, rows: 3), rest.centred(Size(columns: 7, rows: 7)), rest,
            ]
            for part in parts {
                #expect(part.intersection(whole) == part || part.isEmpty)
            }
            var canvas = Canvas(size: whole.size)
            _ = canvas.box(whole, title: "title")
        }
    }
}
