import Coding

extension Sheet {
    /// A sheet as comma-separated values in UTF-8; its rows have the numbers of their lines.
    init(csv bytes: [UInt8], name: String) throws(FormImportError) {
        self.init(name)
        guard bytes.count <= Workbook.xmlLimits.bytes else {
            throw FormImportError(.cell(sheet: name, row: 1, column: nil), "the sheet is too large")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FormImportError(
                .cell(sheet: name, row: 1, column: nil), "the sheet is not written in UTF-8")
        }
        let document: CSVDocument
        do throws(CSVError) {
            document = try CSVDocument(text, quotesAnywhere: true)
        } catch {
            throw FormImportError(
                .cell(sheet: name, row: error.line, column: nil), error.message)
        }
        var cells = 0
        for line in document.lines {
            var row = SheetRow(line.number)
            cells += line.cells.count
            guard cells <= SheetLimits.cells, line.cells.count <= SheetLimits.columns else {
                throw FormImportError(
                    .cell(sheet: name, row: line.number, column: nil),
                    "the sheet has too many cells")
            }
            for (index, text) in line.cells.enumerated() where !text.isEmpty {
                guard text.utf8.count <= SheetLimits.textBytes else {
                    throw FormImportError(
                        .cell(
                            sheet: name, row: line.number, column: CellReference.letters(index + 1)),
                        "the text is too long")
                }
                row.cells[index + 1] = text
            }
            rows.append(row)
        }
    }
}
