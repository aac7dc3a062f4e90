/// Paths of nodes as a form writes them: made absolute, without prefixes and predicates.
enum NodePath {
    /// The node that `reference` means for somebody standing at `context` (an absolute path); nil
    /// when it is not a plain path.
    static func absolute(_ reference: String, from context: String) -> String? {
        var text = withoutPredicates(reference.trimmed[...])
        if text.hasPrefix("current()/") { text = text.dropFirst("current()/".count) }
        guard !text.isEmpty, !text.contains("("), !text.contains("//") else { return nil }
        var steps = text.hasPrefix("/") ? [] : context.split(separator: "/").map(String.init)
        for step in text.split(separator: "/") {
            let step = step.trimmed
            switch step {
            case ".": continue
            case "..":
                guard !steps.isEmpty else { return nil }
                steps.removeLast()
            default: steps.append(withoutPrefix(step))
            }
        }
        return "/" + steps.joined(separator: "/")
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private static func withoutPrefix(_ step: String) -> String {
        guard let colon = step.lastIndex(of: ":") else { return step }
        return String(step[step.index(after: colon)...])
    }

    private static func withoutPredicates(_ text: Substring) -> Substring {
        guard text.contains("[") else { return text }
        return ExpressionScan.splitPredicates(String(text)).path[...]
    }
}
