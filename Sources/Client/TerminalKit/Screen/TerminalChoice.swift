/// Which terminal description to draw with. Pure: what terminfo knows is a parameter.
package struct TerminalChoice: Equatable, Sendable {
    package enum Knowledge: Sendable { case canDraw, cannotDraw, unknown }

    package let term: String
    /// A sentence when it is not what TERM says, nil when it is.
    package let notice: String?

    package init(term: String, notice: String?) {
        self.term = term
        self.notice = notice
    }

    /// Families of terminals whose names new systems know and old ones do not.
    private static let xtermLike = [
        "xterm", "kitty", "alacritty", "foot", "wezterm", "ghostty", "rxvt", "konsole", "gnome",
        "vte", "st-", "contour", "mintty", "putty", "iterm", "rio",
    ]

    /// Throws `cannotDraw` for `dumb` and its like, `unknownTerminal` when nothing is known at all.
    package static func choose(
        _ term: String?, knows: (String) -> Knowledge
    ) throws(TerminalError) -> TerminalChoice {
        let asked = term ?? ""
        if !asked.isEmpty {
            switch knows(asked) {
            case .canDraw: return TerminalChoice(term: asked, notice: nil)
            case .cannotDraw: throw .cannotDraw(term: asked)
            case .unknown: break
            }
        }
        for candidate in fallbacks(asked) where knows(candidate) == .canDraw {
            let name = asked.isEmpty ? "TERM is not set" : "TERM=\(asked) is not known here"
            return TerminalChoice(term: candidate, notice: "\(name); drawing as \(candidate)")
        }
        throw .unknownTerminal(term: asked)
    }

    private static func fallbacks(_ term: String) -> [String] {
        if xtermLike.contains(where: { term.contains($0) }) {
            return term.contains("256")
                ? ["xterm-256color", "xterm", "vt100"] : ["xterm", "vt100"]
        }
        if term.hasPrefix("tmux") || term.hasPrefix("screen") { return ["screen", "vt100"] }
        if term.hasPrefix("linux") { return ["linux", "vt100"] }
        return ["vt100", "ansi", "xterm"]
    }
}
