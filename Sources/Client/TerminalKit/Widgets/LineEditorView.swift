extension LineEditor {
    /// The text in lines of at most `columns` cells, broken after a blank where there is one and at
    /// each `\n`, and the caret's place in them. One cell of the last column stays free for the
    /// caret. Takes time linear in the text's length.
    package func wrapped(in columns: Int) -> (lines: [String], caret: Position) {
        let flow = LineFlow(text, room: max(2, columns - 1))
        return (flow.lines.map { String($0) }, flow.position(of: caret))
    }

    /// Moves the caret to the line above or below, to the same column as far as that line has one.
    /// - Returns: false where there is no such line.
    package mutating func moveLine(by distance: Int, in columns: Int) -> Bool {
        let flow = LineFlow(text, room: max(2, columns - 1))
        let place = flow.position(of: caret)
        guard flow.lines.indices.contains(place.row + distance) else { return false }
        moveCaret(to: flow.index(at: Position(column: place.column, row: place.row + distance)))
        return true
    }
}

/// Characters laid out in lines.
private struct LineFlow {
    private let room: Int
    private(set) var lines: [[Character]] = [[]]
    /// The index in the text of each line's first character.
    private var starts = [0]
    private var width = 0
    /// Characters of the last line up to and with its last blank, and their cells.
    private var breakable = (count: 0, width: 0)

    init(_ text: String, room: Int) {
        self.room = room
        for (index, character) in text.enumerated() { take(character, index) }
    }

    private mutating func take(_ character: Character, _ index: Int) {
        if character.isNewline { return begin([], width: 0, start: index + 1) }
        let next = CellWidth.of(character)
        // A blank may hang over the edge: it is the break.
        if width + next > room, character != " " { breakLine(before: index) }
        lines[lines.count - 1].append(character)
        width += next
        if character == " " { breakable = (lines[lines.count - 1].count, width) }
    }

    /// The word that does not fit goes to the next line; one that fills a line is cut.
    private mutating func breakLine(before index: Int) {
        guard breakable.count > 0 else { return begin([], width: 0, start: index) }
        let row = lines.count - 1
        let word = Array(lines[row][breakable.count...])
        lines[row].removeLast(word.count)
        begin(word, width: width - breakable.width, start: index - word.count)
        // Still too wide: the word fills the line by itself.
        if width >= room { begin([], width: 0, start: index) }
    }

    private mutating func begin(_ line: [Character], width: Int, start: Int) {
        lines.append(line)
        starts.append(start)
        self.width = width
        breakable = (0, 0)
    }

    /// Where the caret stands before the character of this index.
    func position(of index: Int) -> Position {
        let row = (starts.firstIndex { $0 > index } ?? starts.count) - 1
        let column = lines[row].prefix(index - starts[row]).reduce(0) { $0 + CellWidth.of($1) }
        // Blanks that hang over the edge have no cells of their own.
        return Position(column: min(column, room), row: row)
    }

    /// The index of the last character of a row that begins at or before the column.
    func index(at place: Position) -> Int {
        let line = lines[place.row]
        // Behind the last character of a line that was broken for want of room begins the next.
        let isBroken =
            starts.indices.contains(place.row + 1)
            && starts[place.row + 1] == starts[place.row] + line.count
        var width = 0
        for (offset, character) in line.enumerated() {
            let next = width + CellWidth.of(character)
            if next > place.column || (isBroken && offset == line.count - 1) {
                return starts[place.row] + offset
            }
            width = next
        }
        return starts[place.row] + line.count
    }
}
