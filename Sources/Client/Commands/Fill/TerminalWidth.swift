internal import Glibc
internal import TerminalKit

/// Lines as wide as the terminal, broken between words, for what is written line by line.
enum TerminalWidth {
    /// Nil for what is no terminal, and for one that does not say how wide it is.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0,
            size.ws_col >= narrowest
        else { return nil }
        return Int(size.ws_col)
    }

    /// Below that a break after each word helps nobody.
    private static let narrowest: UInt16 = 20
}

/// What is set in at the beginning of a line is set in for all of it.
func wrapped(_ text: String, to columns: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        let indent = String(line.prefix { $0 == " " })
        let room = max(1, columns - indent.count)
        guard CellWidth.of(String(line)) > columns else { return String(line) }
        return TextFlow.wrapped(String(line.dropFirst(indent.count)), to: room)
            .map { indent + $0 }.joined(separator: "\n")
    }.joined(separator: "\n")
}
