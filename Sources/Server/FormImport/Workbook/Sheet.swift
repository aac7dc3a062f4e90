/// A sheet as text: only cells that hold something, with their numbers from 1.
package struct Sheet: Equatable, Sendable {
    package var name: String
    package var isHidden = false
    package var rows: [SheetRow] = []

    package init(_ name: String) {
        self.name = name
    }
}

package struct SheetRow: Equatable, Sendable {
    /// As the spreadsheet shows it, from 1.
    package var number: Int
    package var isHidden = false
    /// By column from 1.
    package var cells: [Int: String] = [:]

    package init(_ number: Int) {
        self.number = number
    }
}

/// `AB12` taken apart.
struct CellReference: Equatable {
    var column: Int
    var row: Int?

    init?(_ text: String) {
        var column = 0
        var row = 0
        var hasRow = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z") where !hasRow:
                column = column * 26 + Int(byte - UInt8(ascii: "A")) + 1
            case UInt8(ascii: "0")...UInt8(ascii: "9") where column > 0:
                hasRow = true
                row = row * 10 + Int(byte - UInt8(ascii: "0"))
            default: return nil
            }
            guard column <= SheetLimits.columns, row <= SheetLimits.rows else { return nil }
        }
        guard column > 0 else { return nil }
        self.column = column
        self.row = hasRow ? row : nil
    }

    /// `AB`, as people say it.
    static func letters(_ column: Int) -> String {
        var letters = ""
        var rest = column
        while rest > 0 {
            let digit = (rest - 1) % 26
            letters = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(digit))) + letters
            rest = (rest - 1) / 26
        }
        return letters
    }
}

/// What a spreadsheet can have at most, and how much of it we take.
enum SheetLimits {
    static let columns = 16_384
    static let rows = 1_048_576
    static let cells = 500_000
    static let textBytes = 256 << 10
}
