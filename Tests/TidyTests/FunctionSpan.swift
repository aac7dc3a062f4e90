/// Where a function begins, what it is called and how many lines it covers.
struct FunctionSpan {
    var name: String
    var start: Int
    var lines: Int

    /// Finds `func`, `init` and `deinit` bodies by counting braces in code without strings and
    /// comments.
    static func all(in file: SourceFile) -> [FunctionSpan] {
        file.codeLines.indices.compactMap { index in
            guard let name = declaredName(file.codeLines[index]),
                let end = bodyEnd(from: index, in: file.codeLines)
            else { return nil }
            return FunctionSpan(name: name, start: index + 1, lines: end - index + 1)
        }
    }

    private static func declaredName(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        if let at = words.firstIndex(of: "func"), at + 1 < words.count {
            return String(words[at + 1].prefix { $0 != "(" && $0 != "<" })
        }
        guard let first = words.first(where: { $0.hasPrefix("init(") || $0 == "deinit" }) else {
            return nil
        }
        return String(first.prefix { $0 != "(" })
    }

    /// The line on which the first brace that opens after `start` closes; nil for a declaration
    /// without a body, as in a protocol.
    private static func bodyEnd(from start: Int, in lines: [Substring]) -> Int? {
        var depth = 0
        var opened = false
        for index in lines.indices[start...] {
            for character in lines[index] {
                if character == "{" { depth += 1; opened = true }
                if character == "}" { depth -= 1 }
                if depth < 0 { return nil }
                if opened && depth == 0 { return index }
            }
            if !opened && index > start && declaredName(lines[index]) != nil { return nil }
        }
        return nil
    }
}
