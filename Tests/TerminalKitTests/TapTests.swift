import TerminalKit
import Testing

@Suite("Taps on a canvas")
struct CanvasTapTests {
    private func canvas(_ first: String, _ second: String) -> Canvas {
        var canvas = Canvas(size: Size(columns: 10, rows: 4))
        canvas.offerTap(on: TapTarget(first), in: Rect(column: 0, row: 0, columns: 10, rows: 2))
        canvas.offerTap(on: TapTarget(second), in: Rect(column: 2, row: 1, columns: 90, rows: 1))
        return canvas
    }

    @Test("A tap means the topmost there; the second of two on one spot what the first one did")
    func taps() {
        let spot = Position(column: 3, row: 1)
        var reader = TapReader()
        #expect(canvas("a", "b").target(at: Position(column: 1, row: 1))?.id() == "a")
        #expect(canvas("a", "b").target(at: Position(column: 1, row: 2)) == nil)
        #expect(reader.target(at: spot, in: canvas("a", "b"), now: 0)?.id() == "b")
        #expect(reader.target(at: spot, in: canvas("c", "d"), now: 499)?.id() == "b")
        #expect(reader.target(at: spot, in: canvas("c", "d"), now: 999)?.id() == "d")
        let beside = Position(column: 4, row: 1)
        #expect(reader.target(at: beside, in: canvas("e", "f"), now: 1_000)?.id() == "f")
        #expect(TapTarget("a") != TapTarget(1) && TapTarget(1).id(as: String.self) == nil)
    }

    @Test("A list offers its items where they stand, and nothing beyond its edge")
    func list() {
        var canvas = Canvas(size: Size(columns: 10, rows: 6))
        var anchor = ScrollAnchor<Int>()
        let items =
            [ListItem<Int>(nil) { _, _ in }] + (1...9).map { ListItem($0, rows: 2) { _, _ in } }
        let rect = Rect(column: 1, row: 1, columns: 8, rows: 4)
        canvas.list(items, focused: 1, in: rect, anchor: &anchor)
        let found = (0..<6).map { row in
            canvas.target(at: Position(column: 5, row: row))?.id(as: Int.self)
        }
        #expect(found == [nil, nil, 1, 1, 2, nil])
        #expect(canvas.target(at: Position(column: 0, row: 2)) == nil)
        canvas.withdrawTaps()
        #expect(canvas.taps.isEmpty)
    }
}
