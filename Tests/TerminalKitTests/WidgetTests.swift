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

    @Test("The focused item is seen at every height of the screen", arguments: 1...9)
    func scrolling(rows: Int) {
        let ids = Array(0..<20)
        let heights = ids.map { $0 % 3 + 1 }
        var focus = ListFocus(0)
        for step in 0..<60 {
            focus.move(by: step < 30 ? 1 : -1, in: ids)
            focus.keep(top: focus.scrolled(ids: ids, heights: heights, rows: rows))
            let start = heights.prefix(focus.focused ?? 0).reduce(0, +)
            #expect(start >= focus.top && start < focus.top + rows)
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
