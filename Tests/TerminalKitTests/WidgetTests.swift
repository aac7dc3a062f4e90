import TerminalKit
import Testing

@Suite("Line editor")
struct LineEditorTests {
    @Test("U33 The caret never stands inside a cluster and one key takes one cluster")
    func clusters() {
        var editor = LineEditor("a👩‍👩‍👧e\u{301}b")
        #expect(editor.caret == 4)
        editor.left()
        editor.backspace()
        #expect(editor.text == "a👩‍👩‍👧b")
        editor.backspace()
        #expect(editor.text == "ab")
    }

    @Test("U32 What is stored is what was typed, byte for byte")
    func bytes() {
        var editor = LineEditor()
        for scalar in "e\u{301} ⚠\u{FE0F} é".unicodeScalars { editor.insert(scalar) }
        #expect(Array(editor.text.utf8) == Array("e\u{301} ⚠\u{FE0F} é".utf8))
    }

    @Test("A mark typed in front of other text joins the cluster before the caret")
    func markInTheMiddle() {
        var editor = LineEditor("ab")
        editor.left()
        editor.insert("\u{301}")
        #expect(editor.text == "a\u{301}b")
        #expect(editor.caret == 1)
    }

    @Test("Words are stepped over and cut whole, and what was cut can be put in elsewhere")
    func words() {
        var editor = LineEditor("seal worn, Ölstand 漢字")
        editor.toEnd()
        var stops: [Int] = []
        while editor.caret > 0 {
            editor.handle(KeyEvent(.left, .control))
            stops.append(editor.caret)
        }
        #expect(stops == [19, 11, 5, 0])
        editor.handle(KeyEvent(.character("d"), .alt))
        #expect(editor.text == " worn, Ölstand 漢字" && editor.cut == "seal")
        editor.toEnd()
        editor.handle(.control("y"))
        #expect(editor.text == " worn, Ölstand 漢字seal")
        editor.handle(.control("w"))
        #expect(editor.text == " worn, Ölstand " && editor.cut == "漢字seal")
        // Nothing to cut keeps what was cut.
        editor.handle(.control("k"))
        #expect(editor.cut == "漢字seal")
        editor.handle(.control("u"))
        #expect(editor.isEmpty && editor.cut == " worn, Ölstand ")
    }

    @Test("Text beyond the limit is not taken")
    func limit() {
        var editor = LineEditor("", limit: 4)
        let first = editor.insert("abcd")
        let second = editor.insert("e")
        #expect(first && !second)
        #expect(editor.text == "abcd")
    }

    @Test("The caret is always in view", arguments: 1...12)
    func view(columns: Int) {
        var editor = LineEditor("12 漢字 reading")
        for step in 0..<30 {
            let view = editor.visible(in: columns)
            #expect(view.caretColumn < columns)
            #expect(CellWidth.of(view.text) <= columns)
            if step < 15 { editor.left() } else { editor.right() }
        }
    }

    @Test("A pasted line break becomes a space in a single line and stays in a long text")
    func paste() {
        var line = LineEditor()
        line.paste("a\nq\td")
        #expect(line.text == "a q d")
        var long = LineEditor()
        long.paste("a\nq", multiline: true)
        #expect(long.text == "a\nq")
    }
}

@Suite("Lists and layers")
struct ListFocusTests {
    @Test("Rows that come above the focus do not move it")
    func anchored() {
        var focus = ListFocus("c")
        focus.settle(["a", "b", "c", "d"])
        focus.settle(["x", "y", "a", "b", "c", "d"])
        #expect(focus.focused == "c")
    }

    @Test("When the focused row leaves, the one in its place takes the focus")
    func neighbour() {
        var focus = ListFocus("c")
        focus.settle(["a", "b", "c", "d"])
        focus.settle(["a", "b", "d"])
        #expect(focus.focused == "d")
        focus.settle(["a"])
        #expect(focus.focused == "a")
        focus.settle([])
        #expect(focus.focused == nil)
        focus.settle(["q"])
        #expect(focus.focused == "q")
    }

    private func items(_ ids: [Int]) -> [ListItem<Int>] {
        ids.map { id in
            ListItem(id < 0 ? nil : id, rows: id < 0 ? 1 : id % 3 + 1) { canvas, rect in
                canvas.text("\(id)", column: rect.column, row: rect.row)
            }
        }
    }

    @Test("The focused item is seen and has the cursor at every height", arguments: 1...9)
    func scrolling(rows: Int) {
        let ids = Array(0..<20)
        let size = Size(columns: 6, rows: rows)
        var focus = ListFocus(0)
        var anchor = ScrollAnchor<Int>()
        for step in 0..<60 {
            focus.move(by: step < 30 ? 1 : -1, in: ids)
            var canvas = Canvas(size: size)
            canvas.list(
                items(ids), focused: focus.focused, in: Rect(size), anchor: &anchor)
            let line = TextFrame.line(canvas, canvas.cursor.row)
            #expect(line.prefix { $0.isNumber } == "\(focus.focused ?? -1)")
        }
    }

    @Test("Rows that come above leave the focused item where it stands on the screen")
    func anchoredScroll() {
        var anchor = ScrollAnchor<Int>()
        let old = Array(20..<40)
        _ = place(old, focused: 39, rows: 6, &anchor)
        let before = place(old, focused: 30, rows: 6, &anchor)
        let after = place(Array(0..<5) + old, focused: 30, rows: 6, &anchor)
        #expect(after == ListPlace(index: before.index + 5, row: before.row))
    }

    @Test("The heading above the first item comes into view with it")
    func heading() {
        var anchor = ScrollAnchor<Int>()
        let ids = [-1] + Array(0..<20)
        _ = place(ids, focused: 19, rows: 5, &anchor)
        #expect(place(ids, focused: 0, rows: 5, &anchor) == ListPlace(index: 0, row: 0))
    }

    @Test("A list that grew shorter leaves no room empty below it", arguments: 3...9)
    func shorter(rows: Int) {
        var anchor = ScrollAnchor<Int>()
        _ = place(Array(0..<40), focused: 39, rows: rows, &anchor)
        let rest = Array(0..<12)
        let top = place(rest, focused: 11, rows: rows, &anchor)
        let shown = items(rest)[top.index...].reduce(top.row) { $0 + $1.rows }
        #expect(shown == rows)
    }

    @Test("A step makes no more of a list than what is in view", arguments: [20, 200, 20_000])
    func lazily(count: Int) {
        let ids = Array(0..<count)
        let made = Made()
        var focus = ListFocus(0)
        var anchor = ScrollAnchor<Int>()
        for step in 0..<60 {
            focus.move(by: step < 40 ? 1 : -1, in: ids)
            made.count = 0
            var canvas = Canvas(size: Size(columns: 6, rows: 8))
            let contents = ListContents(ids) { [items = items(Array(0..<60))] index in
                made.count += 1
                return items[index]
            }
            canvas.list(
                contents, focused: focus.focused, in: Rect(canvas.size), anchor: &anchor)
            // At most one that left the view with its neighbour, on either side.
            #expect(made.count <= 8 + 2)
        }
    }

    private final class Made { var count = 0 }

    private func place(
        _ ids: [Int], focused: Int, rows: Int, _ anchor: inout ScrollAnchor<Int>
    ) -> ListPlace {
        var contents = ListContents(items(ids))
        return anchor.settle(&contents, focused: focused, rows: rows)
    }

    @Test("A long text is wrapped with the caret in it", arguments: 2...20)
    func wrapped(columns: Int) {
        var editor = LineEditor("first line\n漢字 second, longer line")
        for _ in 0..<30 {
            let view = editor.wrapped(in: columns)
            // A blank at the break may hang over the edge.
            #expect(
                view.lines.allSatisfy { line in
                    CellWidth.of(line) - (line.last == " " ? 1 : 0) <= max(2, columns)
                })
            #expect(view.caret.column < max(3, columns) && view.caret.row < view.lines.count)
            editor.left()
        }
    }

    @Test("A long text is broken between words, and nothing of it is lost", arguments: 2...30)
    func wordWrap(columns: Int) {
        let text = "quite a lot longer than the width of it\nand  two   blanks"
        let lines = LineEditor(text).wrapped(in: columns).lines
        #expect(lines.joined() == text.split(separator: "\n").joined())
        for (line, next) in zip(lines, lines.dropFirst()) where line.count > 1 {
            let room = max(2, columns - 1)
            let word = next.prefix { $0 != " " }
            #expect(
                line.last == " " || line.hasSuffix("it") || line.count == room
                    || line.count + word.count > room)
        }
        if columns > 8 {
            #expect(lines.dropLast().allSatisfy { $0.last == " " || $0.hasSuffix("it") })
        }
    }

    @Test("The caret moves by lines and keeps its column where the line has one")
    func lineByLine() {
        var editor = LineEditor("one two\nx\nthree four")
        editor.toStart()
        #expect(editor.moveLine(by: -1, in: 40) == false)
        editor.toEnd()
        #expect(editor.moveLine(by: -1, in: 40) && editor.caret == 9)
        #expect(editor.moveLine(by: -1, in: 40) && editor.caret == 1)
        #expect(editor.moveLine(by: 1, in: 40) && editor.moveLine(by: 1, in: 40))
        #expect(editor.caret == 11 && editor.moveLine(by: 1, in: 40) == false)
        // Soft lines count as well: every caret place comes back to where it was or beside.
        for columns in 3...14 {
            editor = LineEditor("the quick brown fox jumps over it")
            editor.toStart()
            var rows = [editor.wrapped(in: columns).caret.row]
            while editor.moveLine(by: 1, in: columns) {
                rows.append(editor.wrapped(in: columns).caret.row)
            }
            #expect(rows == Array(0..<editor.wrapped(in: columns).lines.count))
        }
    }

    @Test("Popping layers never takes the lowest away")
    func layers() {
        var stack = LayerStack("worklist")
        stack.push("inspection")
        let popped = [stack.pop(), stack.pop()]
        #expect(popped == ["inspection", nil])
        #expect(stack.top == "worklist")
    }

    @Test("A mailbox gives every message once, in order")
    func mailbox() throws {
        let mailbox = try Mailbox<Int>()
        for number in 0..<5 { mailbox.post(number) }
        #expect(mailbox.take() == [0, 1, 2, 3, 4])
        #expect(mailbox.take() == [])
    }
}
