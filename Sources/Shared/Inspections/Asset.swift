/// A place that is inspected.
package struct Site: Hashable, Sendable {
    package let id: String
    package let title: String?

    package init(id: String, title: String?) {
        self.id = id
        self.title = title
    }

    /// Never blank.
    package var name: String { firstWithText(title) ?? "Site " + shortID(id) }
}

/// A piece of equipment at a site.
package struct Asset: Hashable, Sendable {
    package let id: String
    package let siteID: String?
    /// The label on the equipment, which people type and scan.
    package let tag: String?
    package let title: String?
    package let model: String?
    package let serial: String?

    package init(
        id: String, siteID: String? = nil, tag: String? = nil, title: String? = nil,
        model: String? = nil, serial: String? = nil
    ) {
        self.id = id
        self.siteID = siteID
        self.tag = tag
        self.title = title
        self.model = model
        self.serial = serial
    }

    /// Never blank.
    package var name: String { firstWithText(tag, title, serial) ?? "Asset " + shortID(id) }
}

/// The first of some texts that is more than white space.
func firstWithText(_ texts: String?...) -> String? {
    texts.lazy.compactMap(\.self).first { !$0.allSatisfy(\.isWhitespace) }
}

/// Enough of an id to tell records apart on a screen.
func shortID(_ id: String) -> String { String(id.prefix(8)) }
