package import Forms

extension FormAnswers {
    /// How people name an answer: by its path, with the number of each row from 1, as
    /// `pump[2]/seal[1]/state`.
    package func address(of key: AnswerKey) -> String {
        var chain: [Row] = []
        var next = key.row.flatMap(row)
        while let row = next {
            chain.append(row)
            next = row.parent.flatMap(self.row)
        }
        var address = ""
        var reached = ""
        for row in chain.reversed() {
            address += row.path.dropFirst(reached.count) + "[\(number(of: row))]"
            reached = row.path
        }
        return address + key.path.dropFirst(reached.count)
    }

    /// A row's place among those of its repeat, from 1.
    package func number(of row: Row) -> Int {
        1 + (rows(of: row.path, in: row.parent).firstIndex { $0.id == row.id } ?? 0)
    }
}
