/// Rows of imported files, already parsed. External ids become version-5 UUIDs, so that the same
/// file meets the same records again.
package struct SiteRow: Sendable, Equatable {
    package var id: String
    package var name: String
    package var team: String

    package init(id: String, name: String, team: String) {
        self.id = id
        self.name = name
        self.team = team
    }
}

package struct AssetRow: Sendable, Equatable {
    package var id: String
    /// External id of the site.
    package var site: String
    package var tag: String
    package var name: String
    package var model: String
    package var serial: String

    package init(
        id: String, site: String, tag: String, name: String = "", model: String = "",
        serial: String = ""
    ) {
        self.id = id
        self.site = site
        self.tag = tag
        self.name = name
        self.model = model
        self.serial = serial
    }
}

package struct AssignmentRow: Sendable, Equatable {
    /// External id of the asset.
    package var asset: String
    package var form: String
    /// `YYYY-MM-DD`
    package var due: String

    package init(asset: String, form: String, due: String) {
        self.asset = asset
        self.form = form
        self.due = due
    }
}

/// What an import did.
package struct ImportReport: Sendable, Equatable {
    package var created = 0
    package var updated = 0
    package var unchanged = 0

    package init(created: Int = 0, updated: Int = 0, unchanged: Int = 0) {
        self.created = created
        self.updated = updated
        self.unchanged = unchanged
    }
}
