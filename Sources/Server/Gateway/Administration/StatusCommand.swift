import Arguments
import Coding
import ServerStore

enum StatusCommand {
    static let entry = Administration(
        name: "status", summary: "Counts of devices, inspections and reviews."
    ) { session, invocation, console in
        let census = try session.store.census()
        let counts: [(name: String, key: String, value: Int64)] = [
            ("server epoch", "serverEpoch", census.epoch),
            ("teams", "teams", census.teams),
            ("devices", "devices", census.devices),
            ("revoked devices", "revokedDevices", census.revokedDevices),
            ("pending on devices", "pending", census.pending),
            ("forms", "forms", census.forms),
            ("inspections", "inspections", census.inspections),
            ("open reviews", "openReviews", census.openReviews),
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
