import Coding

/// One row by the names of its columns.
struct CSVRow: Sendable, Equatable {
    var line: Int
    var cells: [String: String]

    /// Empty where the file has no such column.
    subscript(_ column: String) -> String { cells[column] ?? "" }
}

/// Which columns a file has to have. The first line names them, in any order.
struct CSVColumns: Sendable {
    var required: [String]
    var optional: [String] = []

    var all: [String] { required + optional }

    func rows(of document: CSVDocument) throws(CSVError) -> [CSVRow] {
        guard let header = document.lines.first else {
            throw CSVError(
                line: 1,
                message: "the file is empty; its first line names the columns "
                    + all.joined(separator: ","))
        }
        try check(header)
        var rows: [CSVRow] = []
        for line in document.lines.dropFirst() {
            guard line.cells.count == header.cells.count else {
                throw CSVError(
                    line: line.number,
                    message: "\(line.cells.count) cells where the first line has "
                        + "\(header.cells.count)")
            }
            let row = CSVRow(
                line: line.number,
                cells: Dictionary(uniqueKeysWithValues: zip(header.cells, line.cells)))
            for (index, name) in header.cells.enumerated()
            where required.contains(name) && row[name].isEmpty {
                throw CSVError(line: line.number, column: index + 1, message: "\(name) is empty")
            }
            rows.append(row)
        }
        return rows
    }

    private func check(_ header: CSVDocument.Line) throws(CSVError) {
        for (index, name) in header.cells.enumerated() {
            guard all.contains(name) else {
                throw CSVError(
                    line: header.number, column: index + 1,
                    message: "there is no column '\(name)'; there are "
                        + all.joined(separator: ","))
            }
            guard !header.cells[..<index].contains(name) else {
                throw CSVError(
                    line: header.number, column: index + 1,
                    message: "the column '\(name)' stands twice")
            }
        }
        for name in required where !header.cells.contains(name) {
            throw CSVError(line: header.number, message: "the column '\(name)' is missing")
        }
    }
}
