/// A tree written as an expression that reads to an equal tree.
extension ExpressionTree: CustomStringConvertible {
    package var description: String {
        switch self {
        // A literal beyond the numbers is infinite, and is written as one.
        case .number(let number): number.isFinite ? NumberText.write(number) : "1e999"
        case .text(let text): text.contains("\"") ? "'\(text)'" : "\"\(text)\""
        case .negate(let inner): "-" + inner.printed(above: Operator.precedenceOfNegation)
        case .chain(let first, let links): Self.printed(first, links)
        case .union(let members):
            members.map { $0.printed(above: Operator.union.precedence) }.joined(separator: " | ")
        case .call(let call):
            call.name + "(" + call.arguments.map(\.description).joined(separator: ", ") + ")"
        case .path(let path): path.description
        }
    }

    private var precedence: Int {
        switch self {
        case .chain(_, let links): links.first?.sign.precedence ?? .max
        case .negate: Operator.precedenceOfNegation
        case .union: Operator.union.precedence
        case .number, .text, .call, .path: .max
        }
    }

    private func printed(above level: Int) -> String {
        precedence > level ? description : "(\(description))"
    }

    private static func printed(_ first: ExpressionTree, _ links: [ChainLink]) -> String {
        let level = links.first?.sign.precedence ?? 0
        return links.reduce(into: first.printed(above: level)) { text, link in
            text += " \(link.sign.rawValue) \(link.operand.printed(above: level))"
        }
    }
}

extension LocationPath: CustomStringConvertible {
    package var description: String {
        switch start {
        case .root: steps.first == .anywhere ? relative : "/" + relative
        case .context: relative
        case .expression(let start, let predicates):
            (start.startsPath ? start.description : "(\(start))")
                + predicates.map { "[\($0)]" }.joined()
                + (steps.isEmpty || steps.first == .anywhere ? relative : "/" + relative)
        }
    }

    private var relative: String {
        var text = ""
        var index = 0
        while index < steps.count {
            if steps[index] == .anywhere, index + 1 < steps.count {
                text += "//" + steps[index + 1].description
                index += 2
            } else {
                text += (index == 0 ? "" : "/") + steps[index].description
                index += 1
            }
        }
        return text
    }
}

extension ExpressionTree {
    /// Whether steps and predicates may follow without parentheses.
    fileprivate var startsPath: Bool {
        switch self {
        case .call, .text, .number: true
        case .negate, .chain, .union, .path: false
        }
    }
}

extension PathStep: CustomStringConvertible {
    package var description: String {
        let chosen = predicates.map { "[\($0)]" }.joined()
        if test == .node, axis == .itself { return "." + chosen }
        if test == .node, axis == .parent { return ".." + chosen }
        let prefix =
            switch axis {
            case .child: ""
            case .attribute: "@"
            default: axis.rawValue + "::"
            }
        return prefix + test.description + chosen
    }
}

extension PathStep.Test: CustomStringConvertible {
    package var description: String {
        switch self {
        case .name(let name): name
        case .any: "*"
        case .prefix(let prefix): prefix + ":*"
        case .node: "node()"
        case .text: "text()"
        }
    }
}
