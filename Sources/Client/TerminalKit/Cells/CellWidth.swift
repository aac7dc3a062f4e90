/// How many cells text takes. The table is our own, because the C library's differs from system to
/// system and a wrong guess shifts a whole row; the backend asks the C library only whether it
/// agrees, and draws a stand-in of our width where it does not.
package enum CellWidth {
    /// 0 for combining marks, format and control characters, 2 for wide ones, else 1.
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x20 { return 0 }
        if value < 0x7F { return 1 }
        if value < 0xA0 { return 0 }
        if value < 0x300 { return 1 }
        if contains(CellWidthTable.zeroWidth, value) { return 0 }
        return contains(CellWidthTable.wide, value) ? 2 : 1
    }

    package static func of(_ text: String) -> Int {
        var total = 0
        for character in text { total += of(character) }
        return total
    }

    /// The cells that the groups of one grapheme cluster take when drawn.
    package static func of(_ character: Character) -> Int {
        if let ascii = character.asciiValue { return ascii >= 0x20 && ascii < 0x7F ? 1 : 0 }
        return CellGroup.groups(of: character).reduce(0) { $0 + $1.width }
    }

    /// Pairs of first and last, in order: binary search for the pair that may hold the value.
    private static func contains(_ ranges: [UInt32], _ value: UInt32) -> Bool {
        var low = 0
        var high = ranges.count / 2
        while low < high {
            let middle = (low + high) / 2
            if value > ranges[middle * 2 + 1] {
                low = middle + 1
            } else if value < ranges[middle * 2] {
                high = middle
            } else {
                return true
            }
        }
        return false
    }
}

/// The part of a grapheme cluster that goes into one cell (two when wide): a base and its marks.
///
/// Terminals disagree about clusters that join several bases with U+200D or change their width with
/// U+FE0F or a skin tone: such parts are left out of the picture, never out of the text. A cluster
/// with spacing marks takes a cell for each. So every terminal shows the same columns.
package struct CellGroup: Equatable, Sendable {
    package var base: Unicode.Scalar
    package var marks: [Unicode.Scalar]
    package var width: Int

    /// ncurses holds at most this many marks in one cell (CCHARW_MAX - 1 in curses.h).
    package static let markLimit = 4

    package init(base: Unicode.Scalar, marks: [Unicode.Scalar], width: Int) {
        self.base = base
        self.marks = marks
        self.width = width
    }

    package static func groups(of character: Character) -> [CellGroup] {
        var groups: [CellGroup] = []
        for scalar in character.unicodeScalars {
            if scalar.value == 0x200D { break }
            if isVariation(scalar) || (isSkinTone(scalar) && !groups.isEmpty) { continue }
            let width = CellWidth.of(scalar)
            if width > 0 {
                groups.append(CellGroup(base: scalar, marks: [], width: width))
            } else if isControl(scalar) {
                continue
            } else if groups.isEmpty {
                groups.append(CellGroup(base: "\u{25CC}", marks: [scalar], width: 1))
            } else if groups[groups.count - 1].marks.count < markLimit {
                groups[groups.count - 1].marks.append(scalar)
            }
        }
        return groups
    }

    private static func isVariation(_ scalar: Unicode.Scalar) -> Bool {
        (0xFE00...0xFE0F).contains(scalar.value) || (0xE0000...0xE0FFF).contains(scalar.value)
    }

    private static func isSkinTone(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F3FB...0x1F3FF).contains(scalar.value)
    }

    /// Controls and format characters (bidi overrides, byte-order mark) are never drawn.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
