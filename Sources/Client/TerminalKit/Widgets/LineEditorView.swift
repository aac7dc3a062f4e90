extension LineEditor {
    /// The text in lines of at most `columns` cells, broken where they are full and at each `\n`,
    /// and the caret's place in them. One cell of the last column stays free for the caret.
    package func wrapped(in columns: Int) -> (lines: [String], caret: Position) {
        let room = max(2, columns - 1)
        var lines = [""]
        var width = 0
        var caret = Position(column: 0, row: 0)
        // Counted once: both are walks through the text.
        let place = self.caret
        let count = text.count
        for (index, character) in text.enumerated() {
            if index == place { caret = Position(column: width, row: lines.count - 1) }
            if character.isNewline {
                lines.append("")
                width = 0
                continue
            }
            let next = CellWidth.of(character)
            if width + next > room {
                lines.append("")
                width = 0
                if index == place { caret = Position(column: 0, row: lines.count - 1) }
            }
            lines[lines.count - 1].append(character)
            width += next
        }
        if place == count { caret = Position(column: width, row: lines.count - 1) }
        return (lines, caret)
    }
}
