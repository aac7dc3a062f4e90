/// Fitting text into columns, by grapheme and by cell.
package enum TextFlow {
    /// The text, or as much as fits before an ellipsis.
    package static func truncated(_ text: String, to columns: Int, tier: Tier) -> String {
        guard columns > 0 else { return "" }
        var width = 0
        for character in text {
            width += CellWidth.of(character)
            if width > columns { return cut(text, to: columns - 1) + Glyphs.of(tier).ellipsis }
        }
        return text
    }

    /// As many whole clusters as fit into `columns`.
    package static func cut(_ text: String, to columns: Int) -> String {
        var width = 0
        var kept = ""
        for character in text {
            width += CellWidth.of(character)
            if width > columns { break }
            kept.append(character)
        }
        return kept
    }

    package static func padded(_ text: String, to columns: Int, tier: Tier) -> String {
        let shown = truncated(text, to: columns, tier: tier)
        return shown + String(repeating: " ", count: max(0, columns - CellWidth.of(shown)))
    }

    /// Lines of at most `columns` cells, broken between words; a word that is too long is cut. Each
    /// line break in the text begins a new line. Never empty.
    package static func wrapped(_ text: String, to columns: Int) -> [String] {
        let paragraphs = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        return paragraphs.flatMap { wrappedParagraph($0, to: max(1, columns)) }
    }

    private static func wrappedParagraph(_ text: Substring, to columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var width = 0
        for word in text.split(separator: " ") {
            let wordWidth = CellWidth.of(String(word))
            if width > 0, width + 1 + wordWidth > columns {
                lines.append(line)
                line = ""
                width = 0
            }
            if width > 0 {
                line += " "
                width += 1
            }
            for piece in pieces(String(word), columns: columns) {
                if width > 0, width + CellWidth.of(piece) > columns {
                    lines.append(line)
                    line = ""
                    width = 0
                }
                line += piece
                width += CellWidth.of(piece)
            }
        }
        lines.append(line)
        return lines
    }

    /// A word in pieces of at most `columns`; a cluster wider than that stands alone.
    private static func pieces(_ word: String, columns: Int) -> [String] {
        var pieces: [String] = []
        var piece = ""
        var width = 0
        for character in word {
            let next = CellWidth.of(character)
            if width > 0, width + next > columns {
                pieces.append(piece)
                piece = ""
                width = 0
            }
            piece.append(character)
            width += next
        }
        pieces.append(piece)
        return pieces
    }
}
