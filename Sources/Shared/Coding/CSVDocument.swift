/// Comma-separated values, as RFC 4180 has them. Pure.
///
/// Taken beyond it: lines that end in LF alone, a byte order mark in front, blank lines (skipped).
package struct CSVDocument: Equatable, Sendable {
    package struct Line: Equatable, Sendable {
        /// From 1, where the row begins; a quoted cell may hold line breaks.
        package var number: Int
        package var cells: [String]
    }

    package private(set) var lines: [Line] = []

    /// - Parameter quotesAnywhere: whether a quote inside a cell that does not begin with one is one of
    ///   its letters, as in `1/2" pipe`; spreadsheets read and write such.
    package init(_ text: String, quotesAnywhere: Bool = false) throws(CSVError) {
        var reader = CSVReader(text, quotesAnywhere)
        while let line = try reader.next() {
            if line.cells != [""] { lines.append(line) }
        }
    }
}

/// What is wrong with a file, and where. Shown as `4:2: …`.
package struct CSVError: Error, Equatable, CustomStringConvertible {
    /// From 1.
    package var line: Int
    /// The cell in its row, from 1; nil when the whole row is meant.
    package var column: Int?
    package var message: String

    package init(line: Int, column: Int? = nil, message: String) {
        self.line = line
        self.column = column
        self.message = message
    }

    package var description: String {
        column.map { "\(line):\($0): \(message)" } ?? "\(line): \(message)"
    }
}

private struct CSVReader {
    private var rest: Substring.UnicodeScalarView
    private var number = 1
    private let quotesAnywhere: Bool

    init(_ text: String, _ quotesAnywhere: Bool) {
        self.quotesAnywhere = quotesAnywhere
        rest = text.unicodeScalars[...]
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
    }

    mutating func next() throws(CSVError) -> CSVDocument.Line? {
        guard !rest.isEmpty else { return nil }
        var line = CSVDocument.Line(number: number, cells: [])
        while true {
            line.cells.append(try cell(line))
            if rest.first == "," {
                rest.removeFirst()
                continue
            }
            endLine()
            return line
        }
    }

    private mutating func cell(_ line: CSVDocument.Line) throws(CSVError) -> String {
        let column = line.cells.count + 1
        guard rest.first == "\"" else {
            let plain = rest.prefix { $0 != "," && $0 != "\n" && $0 != "\r" }
            guard quotesAnywhere || !plain.contains("\"") else {
                throw CSVError(
                    line: number, column: column,
                    message: "a quote inside a cell that does not begin with one")
            }
            rest = rest.dropFirst(plain.count)
            return String(plain)
        }
        let start = number
        let text = try quoted(from: start, column)
        guard rest.isEmpty || [",", "\n", "\r"].contains(rest.first) else {
            throw CSVError(line: number, column: column, message: "text after the closing quote")
        }
        return text
    }

    private mutating func quoted(from start: Int, _ column: Int) throws(CSVError) -> String {
        rest.removeFirst()
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" {
                guard rest.first == "\"" else { return String(text) }
                rest.removeFirst()
            }
            if scalar == "\n" { number += 1 }
            text.append(scalar)
        }
        throw CSVError(line: start, column: column, message: "a quote is never closed")
    }

    private mutating func endLine() {
        if rest.first == "\r" { rest.removeFirst() }
        if rest.first == "\n" { rest.removeFirst() }
        number += 1
    }
}
