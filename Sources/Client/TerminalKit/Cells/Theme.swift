/// What the parts of a screen look like. Every theme tells its roles apart by attributes and the
/// screens by words and shapes too, so that nothing depends on colour.
package struct Theme: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case auto, mono, light, dark, sun
    }

    package var body = Style.plain
    package var title = Style(nil, .bold)
    package var muted = Style.plain
    package var bar = Style(nil, .reverse)
    package var focus = Style(nil, .reverse)
    package var field = Style(nil, .underline)
    package var good = Style.plain
    package var pending = Style.plain
    package var warning = Style(nil, .bold)
    package var error = Style(nil, .bold)
    package var accent = Style(nil, .bold)
    package var border = Style.plain

    package static let mono = Theme()

    /// Readable on dark and on light alike: no yellow, blue, black or white on an unknown ground.
    private static let auto = Theme(
        good: Style(.green), pending: Style(.cyan), warning: Style(.magenta, .bold),
        error: Style(.red, .bold), accent: Style(.cyan, .bold))

    private static let dark = Theme(
        good: Style(.green), pending: Style(.cyan), warning: Style(.yellow, .bold),
        error: Style(.red, .bold), accent: Style(.cyan, .bold))

    private static let light = Theme(
        good: Style(.green), pending: Style(.magenta), warning: Style(.red),
        error: Style(.red, .bold), accent: Style(.magenta, .bold))

    /// For sunlight: bold black on white wherever the terminal can paint it.
    private static let sun: Theme = {
        let paper = Style(.black, on: .white, .bold)
        let ink = Style(.white, on: .black, .bold)
        return Theme(
            body: paper, title: paper, muted: paper, bar: ink, focus: ink,
            field: paper.adding(.underline), good: paper, pending: paper, warning: paper,
            error: Style(.red, on: .white, .bold), accent: paper, border: paper)
    }()

    /// `colour` is false under NO_COLOR, `--color never` and on terminals without colours.
    package static func named(_ name: Name, colour: Bool) -> Theme {
        guard colour else { return mono }
        switch name {
        case .auto: return auto
        case .mono: return mono
        case .light: return light
        case .dark: return dark
        case .sun: return sun
        }
    }
}

extension Style {
    fileprivate init(_ foreground: Colour?, _ attributes: Attributes) {
        self.init(foreground, on: nil, attributes)
    }
}
