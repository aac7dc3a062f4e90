/// What can be seen of an expression without understanding it. Each pass is linear in its length.
enum ExpressionScan {
    /// Longer than any real one (the longest seen has 4,000 characters); the evaluator recurses.
    static let longest = 64 << 10

    /// The ids in `instance('…')`.
    static func instances(in text: String) -> [String] { literals(of: "instance(", in: text) }

    /// The first argument of each call of this function, where it is a text in quotation marks.
    static func literals(of call: String, in text: String) -> [String] {
        var ids: [String] = []
        var rest = text[...]
        while let found = rest.firstRange(of: call) {
            let isWord =
                found.lowerBound > text.startIndex
                && isNameCharacter(text[text.index(before: found.lowerBound)])
            rest = rest[found.upperBound...]
            let argument = rest.drop(while: \.isWhitespace)
            guard !isWord, let quote = argument.first, quote == "'" || quote == "\"" else {
                continue
            }
            let name = argument.dropFirst().prefix { $0 != quote }
            ids.append(String(name))
        }
        return ids
    }

    /// `/a/b[x][y]/c` as the path `/a/b/c` and the predicates `x`, `y`.
    static func splitPredicates(_ text: String) -> (path: String, predicates: [String]) {
        var path = ""
        var predicates: [String] = []
        var current = ""
        var depth = 0
        var quote: Character?
        for character in text {
            if let mark = quote {
                if character == mark { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "[" {
                depth += 1
                if depth == 1 { continue }
            } else if character == "]", depth > 0 {
                depth -= 1
                if depth == 0 {
                    predicates.append(current.trimmed)
                    current = ""
                    continue
                }
            }
            if depth > 0 { current.append(character) } else { path.append(character) }
        }
        return (path.trimmed, predicates)
    }

    /// The arguments of `name(…)` when the whole text is that call.
    static func arguments(of name: String, in text: String) -> [String]? {
        let text = text.trimmed
        guard text.hasPrefix(name) else { return nil }
        let rest = text.dropFirst(name.count).drop(while: \.isWhitespace)
        guard rest.first == "(", rest.last == ")" else { return nil }
        var arguments: [String] = [""]
        var depth = 0
        var quote: Character?
        for character in rest.dropFirst().dropLast() {
            if let mark = quote {
                if character == mark { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "(" || character == "[" {
                depth += 1
            } else if character == ")" || character == "]" {
                depth -= 1
                if depth < 0 { return nil }
            } else if character == ",", depth == 0 {
                arguments.append("")
                continue
            }
            arguments[arguments.count - 1].append(character)
        }
        return arguments.map(\.trimmed)
    }

    /// The text in quotation marks, when that is all there is.
    static func literal(_ text: String) -> String? {
        let text = text.trimmed
        guard let quote = text.first, quote == "'" || quote == "\"", text.last == quote,
            text.count >= 2
        else { return nil }
        let inner = text.dropFirst().dropLast()
        return inner.contains(quote) ? nil : String(inner)
    }

    static func isNameCharacter(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "-"
            || character == "."
    }
}

extension Itemset {
    /// Takes `instance('towns')/root/item[…]`, a path in the record, or either in `randomize(…)`
    /// apart; nil when it is none of these.
    init?(
        nodeset: ExpressionText, context: String, valueName: String, label: ItemsetLabel
    ) {
        self.nodeset = nodeset
        self.valueName = valueName
        self.label = label
        var text = nodeset.text.trimmed
        if let arguments = ExpressionScan.arguments(of: "randomize", in: text) {
            isRandomized = true
            seed = arguments.count > 1 ? arguments[1] : nil
            text = arguments[0]
        }
        let split = ExpressionScan.splitPredicates(text)
        predicates = split.predicates
        guard split.path.hasPrefix("instance(") else {
            instance = nil
            guard let path = NodePath.absolute(split.path, from: context) else { return nil }
            self.path = path
            return
        }
        guard let close = split.path.firstIndex(of: ")"),
            let id = ExpressionScan.arguments(
                of: "instance", in: String(split.path[...close]))?.first
                .flatMap(ExpressionScan.literal)
        else { return nil }
        instance = id
        path = String(split.path[split.path.index(after: close)...]).trimmed
    }
}
