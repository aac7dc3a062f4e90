import Arguments
import Coding
import Replication
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
            ("failed on devices", "failed", census.failed),
            ("in conflict on devices", "conflict", census.conflict),
            ("in review on devices", "inReview", census.inReview),
            ("forms", "forms", census.forms),
            ("inspections", "inspections", census.inspections),
            ("open reviews", "openReviews", census.openReviews),
        ]
        if invocation.has("json") {
            var document: [String: JSON] = ["serving": .bool(session.isServing)]
            for count in counts { document[count.key] = .integer(count.value) }
            document["epochBeganUtc"] = .string(SyncTimestamp.text(census.epochBegan))
            document["offeredAgain"] = .array(
                try offeredAgain(census, session).map { offer in
                    [
                        "device": .string(offer.device), "name": .string(offer.name),
                        "mutations": .integer(offer.mutations),
                    ]
                })
            try console.writeDocument(JSON.object(document).serialized())
        } else {
            try console.writeLine(session.isServing ? "serving" : "not serving")
            for count in counts { try console.writeLine("\(count.name): \(count.value)") }
            for offer in try offeredAgain(census, session) {
                try console.writeLine(
                    "from before the restore: \(offer.mutations) of \(terminalSafe(offer.name))")
            }
        }
        return .done
    }

    private typealias Offer = (device: String, name: String, mutations: Int64)

    /// Which devices have brought what the restored server did not have.
    private static func offeredAgain(_ census: Census, _ session: Session) throws -> [Offer] {
        guard !census.offeredAgain.isEmpty else { return [] }
        return try session.store.devices().compactMap { device in
            census.offeredAgain[device.id].map { (device.id, device.name, $0) }
        }
    }
}
