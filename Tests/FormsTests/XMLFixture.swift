import Forms

/// Documents of tests, written as the simplest XML: elements, attributes in double quotes, text.
struct XMLFixture {
    private var rest: Substring

    static func tree(
        _ xml: String, attributes: [NodeContent.Attribute] = []
    ) throws -> NodeTree {
        NodeTree(root: try content(xml), attributes: attributes)
    }

    static func content(_ xml: String) throws -> NodeContent {
        var fixture = XMLFixture(rest: xml[...])
        fixture.skipBlanks()
        return try fixture.element()
    }

    struct Malformed: Error {
        let rest: String
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest.removeFirst(text.count)
        return true
    }

    private mutating func take(while isTaken: (Character) -> Bool) -> String {
        let taken = rest.prefix(while: isTaken)
        rest = rest[taken.endIndex...]
        return String(taken)
    }

    private mutating func skipBlanks() {
        rest = rest.drop(while: \.isWhitespace)
    }

    private mutating func element() throws -> NodeContent {
        guard take("<") else { throw Malformed(rest: String(rest)) }
        var content = NodeContent(take { !$0.isWhitespace && $0 != ">" && $0 != "/" })
        skipBlanks()
        while let first = rest.first, first != ">", first != "/" {
            let name = take { $0 != "=" }
            guard take("=\"") else { throw Malformed(rest: String(rest)) }
            content.attributes.append(
                NodeContent.Attribute(name: name, value: take { $0 != "\"" }))
            rest.removeFirst()
            skipBlanks()
        }
        if take("/>") { return content }
        guard take(">") else { throw Malformed(rest: String(rest)) }
        var text = take { $0 != "<" }
        while !rest.hasPrefix("</") {
            content.children.append(try element())
            text += take { $0 != "<" }
        }
        if content.children.isEmpty { content.text = text }
        guard take("</" + content.name + ">") else { throw Malformed(rest: String(rest)) }
        return content
    }
}
