import Arguments
import Coding
import ServerStore

enum StatusCommand {
    static let entry = Administration(
        name: "status", summary: "Counts of devices, inspections and reviews."
    ) { session, invocation, console in
        let devices = try session.store.devices()
        let inspections = try session.store.export(form: nil)
        let counts: [(name: String, key: String, value: Int64)] = [
            ("server epoch", "serverEpoch", try session.store.serverEpoch()),
            ("teams", "teams", Int64(try session.store.teams().count)),
            ("devices", "devices", Int64(devices.count { $0.state == .active })),
            ("revoked devices", "revokedDevices", Int64(devices.count { $0.state == .revoked })),
            ("pending on devices", "pending", devices.compactMap(\.pending).reduce(0, +)),
            ("forms", "forms", Int64(try session.store.publishedForms().count)),
            ("inspections", "inspections", Int64(inspections.count)),
            ("open reviews", "openReviews", Int64(try session.store.openReviews().count)),
        ]
        if invocation.has("json") {
            var document: [String: JSON] = ["serving": .bool(session.isServing)]
            for count in counts { document[count.key] = .integer(count.value) }
            try console.writeDocument(JSON.object(document).serialized())
        } else {
            try console.writeLine(session.isServing ? "serving" : "not serving")
            for count in counts { try console.writeLine("\(count.name): \(count.value)") }
        }
        return .done
    }
}
