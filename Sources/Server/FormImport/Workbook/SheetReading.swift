/// Reads the XML of one sheet as it goes by; a tree of a large one would be many times its size.
final class SheetReading {
    private let shared: [String]
    private let cellText: CellText
    private(set) var sheet: Sheet
    private(set) var errorCells: [(row: Int, column: Int)] = []

    private var row = SheetRow(0)
    private var column = 0
    private var type = "n"
    private var style: Int?
    private var value: String?
    private var text: String?
    private var collecting = false
    private var phonetic = 0
    private var elements: [String] = []
    private var cells = 0

    private init(name: String, shared: [String], cellText: CellText) {
        sheet = Sheet(name)
        self.shared = shared
        self.cellText = cellText
    }

    static func read(
        _ bytes: [UInt8], name: String, shared: [String], cellText: CellText
    ) throws(FormImportError) -> SheetReading {
        let reading = SheetReading(name: name, shared: shared, cellText: cellText)
        try XMLEvents.read(bytes, limits: Workbook.xmlLimits) {
            (event) throws(FormImportError) in try reading.take(event)
        }
        return reading
    }

    private func take(_ event: XMLEvent) throws(FormImportError) {
        switch event {
        case .start(let name, let attributes, _):
            elements.append(name.local)
            try start(name.local, attributes)
        case .end:
            try end(elements.popLast() ?? "")
        case .text(let piece):
            guard collecting, phonetic == 0 else { return }
            let next = (value ?? "") + piece
            value = next
            guard next.utf8.count <= SheetLimits.textBytes else {
                throw FormImportError(place, "the cell holds too much text")
            }
        }
    }

    private var place: FormPlace {
        .cell(
            sheet: sheet.name, row: row.number,
            column: column > 0 ? CellReference.letters(column) : nil)
    }

    private func start(_ name: String, _ attributes: [XMLAttribute]) throws(FormImportError) {
        func attribute(_ name: String) -> String? {
            attributes.first { $0.name.local == name }?.value
        }
        switch name {
        case "row":
            let number = attribute("r").flatMap { Int($0) } ?? row.number + 1
            guard number > row.number, number <= SheetLimits.rows else {
                throw FormImportError(place, "the rows are out of order")
            }
            row = SheetRow(number)
            row.isHidden = ["1", "true"].contains(attribute("hidden"))
            column = 0
        case "c":
            let reference = attribute("r").flatMap { CellReference($0) }
            column = reference?.column ?? column + 1
            guard column <= SheetLimits.columns else {
                throw FormImportError(place, "the row has too many cells")
            }
            type = attribute("t") ?? "n"
            style = attribute("s").flatMap { Int($0) }
            text = nil
            value = nil
        case "v", "t":
            guard elements.contains("c") else { return }
            collecting = true
        case "rPh": phonetic += 1
        default: return
        }
    }

    private func end(_ name: String) throws(FormImportError) {
        switch name {
        case "row":
            if !row.cells.isEmpty { sheet.rows.append(row) }
        case "c": try finishCell()
        case "v", "t": collecting = false
        case "rPh": phonetic -= 1
        default: return
        }
    }

    private func finishCell() throws(FormImportError) {
        guard let raw = value, !raw.isEmpty else { return }
        let shown: String
        switch type {
        case "s":
            guard let index = Int(raw.trimmed), shared.indices.contains(index) else {
                throw FormImportError(place, "the cell names a text that is not there")
            }
            shown = shared[index]
        case "b": shown = ["1", "true"].contains(raw.trimmed) ? "TRUE" : "FALSE"
        case "str", "inlineStr": shown = CellText.unescaped(raw)
        case "e":
            errorCells.append((row.number, column))
            shown = raw
        case "d": shown = raw
        default: shown = cellText.number(raw.trimmed, style: style)
        }
        guard !shown.allSatisfy(\.isWhitespace) else { return }
        cells += 1
        guard cells <= SheetLimits.cells else {
            throw FormImportError(place, "the sheet has more than \(SheetLimits.cells) cells")
        }
        row.cells[column] = shown
    }
}
