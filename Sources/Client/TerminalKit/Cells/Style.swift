/// The eight colours that every colour terminal has; nil where a style names none means the
/// terminal's own, which is readable by the choice of the person who set it.
package enum Colour: UInt8, Hashable, Sendable, CaseIterable {
    case black, red, green, yellow, blue, magenta, cyan, white
}

package struct Attributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let bold = Attributes(rawValue: 1)
    package static let dim = Attributes(rawValue: 2)
    package static let underline = Attributes(rawValue: 4)
    package static let reverse = Attributes(rawValue: 8)
}

/// How a cell looks. Styles come from a `Theme`; screens name roles and never colours.
package struct Style: Hashable, Sendable {
    package var foreground: Colour?
    package var background: Colour?
    package var attributes: Attributes

    package init(
        _ foreground: Colour? = nil, on background: Colour? = nil, _ attributes: Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    package static let plain = Style()

    package func adding(_ more: Attributes) -> Style {
        Style(foreground, on: background, attributes.union(more))
    }
}
