/// Rows in aligned columns for people; scripts use `--json`.
package struct TextTable: Sendable {
    let header: [String]
    private var rows: [[String]] = []

    /// Characters. A cell that is longer sticks out of its own row and leaves the others as they are.
    static let widestColumn = 40

    package init(_ header: [String]) {
        self.header = header
    }

    package mutating func append(_ row: [String]) {
        precondition(row.count == header.count, "a row has one cell for each column")
        rows.append(row.map { terminalSafe($0) })
    }

    package var text: String {
        let widths = header.indices.map { column in
            ([header] + rows).map { min($0[column].count, Self.widestColumn) }.max() ?? 0
        }
        return ([header] + rows).map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: max(0, width - cell.count) + 2)
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
