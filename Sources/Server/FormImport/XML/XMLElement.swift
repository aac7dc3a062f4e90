/// An element of a document that was read: a small tree without processing instructions, comments
/// or a way back to the parent.
struct XMLElement: Equatable, Sendable {
    var name: XMLName
    var attributes: [XMLAttribute]
    /// The line of the start tag's end, from 1.
    var line: Int
    var content: [XMLContent] = []

    var place: FormPlace { .line(line, node: name.local) }

    var children: [XMLElement] {
        content.compactMap { item in
            if case .element(let element) = item { element } else { nil }
        }
    }

    /// The text of this element and all below it.
    var text: String {
        content.reduce(into: "") { text, item in
            switch item {
            case .text(let part): text += part
            case .element(let element): text += element.text
            }
        }
    }

    subscript(local: String) -> String? { self[XMLName(local)] }

    subscript(name: XMLName) -> String? {
        attributes.first { $0.name == name }?.value
    }

    func first(_ local: String) -> XMLElement? {
        children.first { $0.name.local == local }
    }

    func all(_ local: String) -> [XMLElement] {
        children.filter { $0.name.local == local }
    }
}

enum XMLContent: Equatable, Sendable {
    case element(XMLElement)
    case text(String)
}

/// Reads a whole document into a tree.
enum XMLTree {
    static func read(
        _ bytes: [UInt8], limits: XMLLimits = .form
    ) throws(FormImportError) -> XMLElement {
        let builder = XMLTreeBuilder()
        try XMLEvents.read(bytes, limits: limits) { event in builder.take(event) }
        guard let root = builder.root else {
            throw FormImportError(.line(1, node: nil), "the document has no element")
        }
        return root
    }
}

private final class XMLTreeBuilder {
    private(set) var root: XMLElement?
    private var above: [XMLElement] = []
    /// libxml2 hands a text over in pieces, cut where it likes.
    private var pending = ""

    func take(_ event: XMLEvent) {
        switch event {
        case .start(let name, let attributes, let line):
            flush()
            above.append(XMLElement(name: name, attributes: attributes, line: line))
        case .end:
            flush()
            guard let finished = above.popLast() else { return }
            if above.isEmpty {
                root = finished
            } else {
                above[above.count - 1].content.append(.element(finished))
            }
        case .text(let text):
            pending += text
        }
    }

    private func flush() {
        guard !pending.isEmpty, !above.isEmpty else { return }
        above[above.count - 1].content.append(.text(pending))
        pending = ""
    }
}
