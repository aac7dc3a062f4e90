/// The characters that a terminal can show. In the ASCII tier nothing outside ASCII reaches a cell.
package enum Tier: String, Sendable, CaseIterable {
    case utf8, ascii
}

/// The line-drawing and marker characters of a tier; each has the same width in both.
package struct Glyphs: Equatable, Sendable {
    package let horizontal: String
    package let vertical: String
    package let topLeft: String
    package let topRight: String
    package let bottomLeft: String
    package let bottomRight: String
    package let marker: String
    package let ellipsis: String
    package let up: String
    package let down: String
    package let left: String
    package let right: String
    package let chosen: String
    package let unchosen: String
    package let bullet: String

    package static func of(_ tier: Tier) -> Glyphs {
        tier == .utf8 ? unicode : ascii
    }

    private static let unicode = Glyphs(
        horizontal: "─", vertical: "│", topLeft: "┌", topRight: "┐", bottomLeft: "└",
        bottomRight: "┘", marker: "▸", ellipsis: "…", up: "▴", down: "▾", left: "←", right: "→",
        chosen: "●", unchosen: "○", bullet: "·")

    private static let ascii = Glyphs(
        horizontal: "-", vertical: "|", topLeft: "+", topRight: "+", bottomLeft: "+",
        bottomRight: "+", marker: ">", ellipsis: "~", up: "^", down: "v", left: "<", right: ">",
        chosen: "*", unchosen: "o", bullet: ".")
}

/// What a screen needs to know of the terminal to draw itself.
package struct Look: Equatable, Sendable {
    package var tier: Tier
    package var theme: Theme
    package var glyphs: Glyphs { Glyphs.of(tier) }

    package init(tier: Tier, theme: Theme) {
        self.tier = tier
        self.theme = theme
    }
}
