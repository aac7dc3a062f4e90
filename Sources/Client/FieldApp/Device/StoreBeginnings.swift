package import LocalStore
import Replication

extension DeviceStore {
    /// Open forms, each in its newest version, and the equipment of the sites.
    package func beginnings() throws -> Beginnings {
        var forms: [Beginnings.Form] = []
        // The newest version of each comes first.
        for form in try self.forms()
        where form.state == "open" && !forms.contains(where: { $0.id == form.id }) {
            forms.append(Beginnings.Form(id: form.id, version: form.version, title: form.title))
        }
        return Beginnings(
            forms: forms.sorted { ($0.title, $0.id) < ($1.title, $1.id) },
            equipment: try assets().map { asset in
                Beginnings.Equipment(
                    id: asset.id, name: asset.tag ?? asset.name, site: asset.site ?? "")
            }.sorted { ($0.site, $0.name, $0.id.rawValue) < ($1.site, $1.name, $1.id.rawValue) })
    }
}
