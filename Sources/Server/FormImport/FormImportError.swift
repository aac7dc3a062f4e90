/// Why a file was refused: one line that says where and what, fit to be shown to its author.
package struct FormImportError: Error, Equatable, Sendable, CustomStringConvertible {
    package let place: FormPlace
    package let problem: String

    package init(_ place: FormPlace, _ problem: String) {
        self.place = place
        self.problem = OneLine.of(problem)
    }

    package var description: String { place.words.isEmpty ? problem : "\(place.words): \(problem)" }
}

/// Where in the file something stands.
package enum FormPlace: Equatable, Hashable, Sendable {
    case file
    /// A line of an XML document, from 1, and the node that it is about.
    case line(Int, node: String?)
    /// A row of a sheet, from 1, and the heading of the column if one is meant.
    case cell(sheet: String, row: Int, column: String?)

    package var words: String {
        switch self {
        case .file: ""
        case .line(let line, nil): "line \(line)"
        case .line(let line, let node?): "line \(line), \(OneLine.of(node))"
        case .cell(let sheet, let row, nil): "sheet \(OneLine.of(sheet)), row \(row)"
        case .cell(let sheet, let row, let column?):
            "sheet \(OneLine.of(sheet)), row \(row), column \(OneLine.of(column))"
        }
    }
}

/// Something that Walkdown passes over or reads in its own way. Said once for each kind.
package struct FormImportWarning: Equatable, Sendable, CustomStringConvertible {
    package let place: FormPlace
    package let text: String
    /// Whether a part of the form will not work; else it is only read otherwise than it was written.
    package let isUnsupported: Bool

    package var description: String { place.words.isEmpty ? text : "\(place.words): \(text)" }
}

/// Gathers warnings, the first of each kind.
struct WarningList {
    private(set) var all: [FormImportWarning] = []
    private var kinds: Set<String> = []

    init(_ warnings: [FormImportWarning] = []) {
        all = warnings
        kinds = Set(warnings.map(\.text))
    }

    /// `what` names the kind: a second one of the same kind is not said again.
    mutating func unsupported(_ what: String, at place: FormPlace) {
        add("unsupported \(what)", at: place, isUnsupported: true)
    }

    mutating func note(_ text: String, kind: String, at place: FormPlace) {
        guard kinds.insert(kind).inserted else { return }
        append(text, at: place, isUnsupported: false)
    }

    private mutating func add(_ text: String, at place: FormPlace, isUnsupported: Bool) {
        guard kinds.insert(text).inserted else { return }
        append(text, at: place, isUnsupported: isUnsupported)
    }

    /// A hostile form could hold a million kinds; nobody reads more than the first of them.
    private mutating func append(_ text: String, at place: FormPlace, isUnsupported: Bool) {
        guard all.count < 200 else { return }
        all.append(
            FormImportWarning(place: place, text: OneLine.of(text), isUnsupported: isUnsupported))
    }
}

/// Text of a foreign file in a message: no control characters, no line breaks, not without end.
enum OneLine {
    static func of(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars.prefix(300) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
