/// The namespaces that mean something to us.
enum Namespace {
    static let xforms = "http://www.w3.org/2002/xforms"
    static let html = "http://www.w3.org/1999/xhtml"
    static let javaRosa = "http://openrosa.org/javarosa"
    static let odk = "http://www.opendatakit.org/xforms"
    static let own = "urn:walkdown:forms:1"
}

/// Walkdown's own attributes of a question or a choice.
enum OwnAttribute {
    static let known: Set = [
        "merge", "min", "max", "softMin", "softMax", "unit", "verdict", "weight", "critical",
        "photoOnFail", "findingOnFail", "previous", "comments",
    ]
}

extension XMLElement {
    func isNamed(_ local: String, in namespaces: String...) -> Bool {
        name.local == local && namespaces.contains { $0 == name.namespace }
    }

    /// Walkdown's own attributes of this element; an unknown one is warned of.
    func own(_ warnings: inout WarningList) -> [String: String] {
        var own: [String: String] = [:]
        for attribute in attributes where attribute.name.namespace == Namespace.own {
            guard OwnAttribute.known.contains(attribute.name.local) else {
                warnings.unsupported("attribute walkdown:\(attribute.name.local)", at: place)
                continue
            }
            own[attribute.name.local] = attribute.value
        }
        return own
    }

    /// An attribute that holds an expression; blank counts as absent.
    func expression(_ name: XMLName) -> ExpressionText? {
        guard let text = self[name], text.contains(where: { !$0.isWhitespace }) else { return nil }
        return ExpressionText(text, at: place)
    }

    func expression(_ local: String) -> ExpressionText? { expression(XMLName(local)) }
}

extension StringProtocol {
    /// Without blanks at both ends.
    var trimmed: String {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
