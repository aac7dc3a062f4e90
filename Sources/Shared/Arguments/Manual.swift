extension Program {
    /// What a man page and the program say differently, one sentence each; empty when they agree.
    /// The page must name every command and option, and no option that does not exist.
    package func differences(fromManual source: String) -> [String] {
        let page = plainText(ofManual: source)
        let commands = allCommands.filter { $0.command.action != nil }
        var found: [String] = []
        for (path, _) in commands where !page.contains(path.joined(separator: " ")) {
            found.append("the page does not name the command '\(path.joined(separator: " "))'")
        }
        let options = globalOptions + root.options + allCommands.flatMap(\.command.options)
        let known = Set(options.map { "--" + $0.name })
        let named = Set(longOptions(in: page))
        found += known.subtracting(named).sorted().map { "the page does not name \($0)" }
        found += named.subtracting(known).sorted().map { "there is no option \($0)" }
        return found
    }
}

/// A man page without its markup: font changes, macros at the start of a line and their quotes, and
/// the escaped hyphen. Enough to search in, not to read.
func plainText(ofManual source: String) -> String {
    var lines: [String] = []
    for line in source.split(separator: "\n") where !line.hasPrefix(".\\\"") {
        var text = String(line)
        if text.hasPrefix(".") {
            text = text.split(separator: " ", maxSplits: 1).dropFirst().joined()
            text = String(text.filter { $0 != "\"" })
        }
        for (escape, meaning) in [
            ("\\fB", ""), ("\\fI", ""), ("\\fR", ""), ("\\fP", ""), ("\\-", "-"), ("\\ ", " "),
            ("\\&", ""), ("\\~", " "),
        ] {
            text = text.split(separator: escape, omittingEmptySubsequences: false)
                .joined(separator: meaning)
        }
        lines.append(text.split(separator: " ").joined(separator: " "))
    }
    return lines.joined(separator: "\n")
}

/// Every `--word` of a text.
private func longOptions(in text: String) -> [String] {
    text.split { !($0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber)) }
        .filter { $0.hasPrefix("--") && $0.dropFirst(2).first?.isLetter == true }
        .map(String.init)
}
