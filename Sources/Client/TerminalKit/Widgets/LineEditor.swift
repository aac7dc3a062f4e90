/// Text in one line (or several, with `\n`) and a caret between grapheme clusters. What is stored is
/// what was typed, byte for byte; the caret never stands inside a cluster.
package struct LineEditor: Hashable, Sendable {
    private var before: String
    private var after: String
    /// UTF-8 bytes; typing beyond it does nothing. A field's value may hold 64 KiB.
    package var limit: Int
    /// What was cut last, for `yank`. Whoever opens the next editor may hand it on.
    package var cut = ""

    package init(_ text: String = "", limit: Int = 65_536) {
        before = text
        after = ""
        self.limit = limit
    }

    package var text: String { before + after }
    package var isEmpty: Bool { before.isEmpty && after.isEmpty }
    /// Clusters before the caret.
    package var caret: Int { before.count }

    package mutating func insert(_ scalar: Unicode.Scalar) { insert(String(scalar)) }

    /// Inserts at the caret. False when the limit would be passed: nothing is inserted then.
    @discardableResult
    package mutating func insert(_ piece: String) -> Bool {
        guard before.utf8.count + after.utf8.count + piece.utf8.count <= limit else { return false }
        before.unicodeScalars.append(contentsOf: piece.unicodeScalars)
        joinClusters()
        return true
    }

    package mutating func replace(with text: String) {
        before = text
        after = ""
    }

    /// Deletes the cluster before the caret.
    package mutating func backspace() {
        guard !before.isEmpty else { return }
        before.removeLast()
        joinClusters()
    }

    package mutating func delete() {
        guard !after.isEmpty else { return }
        after.removeFirst()
        joinClusters()
    }

    package mutating func cutToStart() {
        take(before)
        before = ""
    }

    package mutating func cutToEnd() {
        take(after)
        after = ""
    }

    /// Up to the blank before the word, as shells do.
    package mutating func cutWordBefore() {
        let rest = before.dropLast(while: { $0 == " " }).dropLast(while: { $0 != " " })
        take(String(before[rest.endIndex...]))
        before = String(rest)
    }

    package mutating func cutWordAfter() {
        let rest = after.drop(while: { !$0.isPartOfWord }).drop(while: \.isPartOfWord)
        take(String(after[..<rest.startIndex]))
        after = String(rest)
    }

    /// Nothing cut leaves what was cut before.
    private mutating func take(_ piece: String) {
        if !piece.isEmpty { cut = piece }
    }

    /// The text and caret of then; what was cut since stays at hand.
    package mutating func restore(_ earlier: LineEditor) {
        before = earlier.before
        after = earlier.after
    }

    /// To the beginning of the word before the caret.
    package mutating func wordLeft() {
        let rest = before.dropLast(while: { !$0.isPartOfWord }).dropLast(while: \.isPartOfWord)
        after = before[rest.endIndex...] + after
        before = String(rest)
    }

    /// Behind the end of the word after the caret.
    package mutating func wordRight() {
        let rest = after.drop(while: { !$0.isPartOfWord }).drop(while: \.isPartOfWord)
        before += after[..<rest.startIndex]
        after = String(rest)
    }

    package mutating func left() {
        guard let moved = before.popLast() else { return }
        after = String(moved) + after
    }

    package mutating func right() {
        guard !after.isEmpty else { return }
        before.append(after.removeFirst())
    }

    /// - Parameter index: in clusters; beyond the end is the end.
    package mutating func moveCaret(to index: Int) {
        let whole = before + after
        let cut = whole.index(whole.startIndex, offsetBy: index, limitedBy: whole.endIndex)
        before = String(whole[..<(cut ?? whole.endIndex)])
        after = String(whole[(cut ?? whole.endIndex)...])
    }

    package mutating func toStart() {
        after = before + after
        before = ""
    }

    package mutating func toEnd() {
        before += after
        after = ""
    }

    /// Two halves may become one cluster when something between them changed (a mark after its base,
    /// two emoji around a joiner): the caret then stands after it.
    private mutating func joinClusters() {
        guard !after.isEmpty else { return }
        let whole = before + after
        let offset = before.utf8.count
        var index = whole.startIndex
        while index < whole.endIndex,
            whole.utf8.distance(from: whole.startIndex, to: index) < offset
        {
            index = whole.index(after: index)
        }
        before = String(whole[..<index])
        after = String(whole[index...])
    }

    /// The part of a single line that is seen in `columns` cells, and the caret's column in it. The
    /// caret is always inside: one cell stays free for it at the end.
    package func visible(in columns: Int) -> (text: String, caretColumn: Int) {
        let room = max(1, columns) - 1
        var head: [Character] = []
        var width = 0
        for character in before.reversed() {
            let next = CellWidth.of(character)
            if width + next > room { break }
            head.append(character)
            width += next
        }
        let tail = TextFlow.cut(after, to: max(0, columns - width))
        return (String(head.reversed()) + tail, width)
    }
}

extension Character {
    fileprivate var isPartOfWord: Bool { isLetter || isNumber }
}

extension StringProtocol where SubSequence == Substring {
    /// Without the characters at its end that the closure takes.
    fileprivate func dropLast(while isDropped: (Character) -> Bool) -> Substring {
        var rest = self[startIndex...]
        while let last = rest.last, isDropped(last) { rest.removeLast() }
        return rest
    }
}
