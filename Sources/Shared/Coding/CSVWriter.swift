/// Writes comma-separated values: a cell is quoted where it must be.
package enum CSVWriter {
    package static func line(_ cells: [String]) -> String {
        cells.map(cell).joined(separator: ",") + "\n"
    }

    /// Characters that make a spreadsheet read a cell as a formula (OWASP, "CSV Injection").
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠",
    ]

    /// A text that somebody typed, for a cell: an apostrophe in front makes a spreadsheet show what
    /// it would otherwise carry out. Numbers need none.
    package static func inert(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, formulaStarts.contains(first) else {
            return text
        }
        return "'" + text
    }

    /// Headings of columns, no two alike in upper or lower case: those of the document itself keep their
    /// names, and what would be called like one of them, or like one before it, gets a `_` behind.
    /// - Parameters:
    ///   - own: of the document itself; they stand before.
    ///   - names: of what people have named, as the questions of a form.
    package static func headings(_ own: [String], _ names: [String]) -> [String] {
        var taken = Set(own.map { $0.lowercased() })
        // The plain ones first: a later one may be called as one before it has to be.
        let isPlain = names.map { taken.insert($0.lowercased()).inserted }
        return own
            + zip(names, isPlain).map { name, isPlain in
                guard !isPlain else { return inert(name) }
                var free = name
                while !taken.insert(free.lowercased()).inserted { free += "_" }
                return inert(free)
            }
    }

    private static func cell(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { [",", "\"", "\n", "\r"].contains($0) }) else {
            return text
        }
        // By scalars: a quote before a combining mark is one character with it.
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        return String(quoted) + "\""
    }
}
