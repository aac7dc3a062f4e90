extension Node {
    /// Of the elements from the root to this one.
    fileprivate var names: [String] {
        var names: [String] = []
        var next: Node? = self
        while let node = next, !node.isDocument {
            names.append(node.name)
            next = node.parent
        }
        return names.reversed()
    }
}

/// Answers to *select* questions: names of choices with blanks between them.
enum ChoiceFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction("selected", .exactly(2), selected),
        ExpressionFunction("is-selected", .exactly(2), selected),
        ExpressionFunction("selected-at", .exactly(2), selectedAt),
        ExpressionFunction("count-selected", .exactly(1), countSelected),
        ExpressionFunction("jr:choice-name", .exactly(2), choiceName),
        ExpressionFunction("jr:itext", .exactly(1), translation),
    ]

    private static func names(in text: String) -> [Substring.UnicodeScalarView] {
        text.unicodeScalars.split(whereSeparator: \.isExpressionBlank).map { $0 }
    }

    @Sendable
    private static func selected(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let names = names(in: try call.text(0))
        let wanted = Self.names(in: try call.text(1))
        guard wanted.count == 1, let name = wanted.first else {
            return .boolean(wanted.isEmpty && names.isEmpty)
        }
        return .boolean(names.contains { $0.elementsEqual(name) })
    }

    /// From 0; nothing beyond the last.
    @Sendable
    private static func selectedAt(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let names = names(in: try call.text(0))
        guard let index = try call.integer(1), names.indices.contains(index) else {
            return .empty
        }
        return .text(String(names[index]))
    }

    @Sendable
    private static func countSelected(
        _ call: Arguments
    ) throws(ExpressionError) -> ExpressionValue {
        .number(Double(names(in: try call.text(0)).count))
    }

    /// The label of a choice in the language that is shown; its name where it has none.
    @Sendable
    private static func choiceName(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let name = try call.text(0)
        guard !name.isEmpty else { return .empty }
        let node = call.evaluation.origin
        let question = path(try call.text(1), from: node.names)
        return .text(call.surroundings.choiceLabel(name, question, node) ?? name)
    }

    /// From the root, of a question that is named as references are written: inside a repeat from the node
    /// that the expression belongs to, `../kind`, elsewhere from the root.
    static func path(_ written: String, from origin: [String]) -> String {
        let blank = { (character: Character) in character.isWhitespace }
        var rest = written.drop(while: blank)
        while let last = rest.last, blank(last) { rest.removeLast() }
        if rest.hasPrefix("current()/") { rest = rest.dropFirst("current()/".count) }
        var names = rest.hasPrefix("/") ? [] : origin
        for step in rest.split(separator: "/") where step != "." {
            if step == ".." { _ = names.popLast() } else { names.append(String(step)) }
        }
        return "/" + names.joined(separator: "/")
    }

    /// The text of an id; the id where there is none.
    @Sendable
    private static func translation(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let id = try call.text(0)
        return .text(call.surroundings.translation(id) ?? id)
    }
}
