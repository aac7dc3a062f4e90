import Coding
import Inspections
import Replication
import ServerStore

/// What every server of these tests begins with: a team with a site, one piece of equipment, a form
/// and inspections that the office has assigned.
struct Ground {
    var team = "North"
    var tag = "RT-1"
    /// The day of each inspection.
    var due = ["2026-03-31"]

    static let asset = ImportedID.asset("A1")

    static func inspection(due: String = "2026-03-31") -> RecordID {
        ImportedID.inspection(asset: "A1", form: "cold", due: due)
    }

    func lay(in store: any Store) throws {
        _ = try store.addTeam(named: team)
        try store.publish(try TestServer.form())
        _ = try store.importSites([SiteRow(id: "S1", name: "Dock", team: team)])
        _ = try store.importAssets([AssetRow(id: "A1", site: "S1", tag: tag)])
        _ = try store.importAssignments(
            due.map { AssignmentRow(asset: "A1", form: "cold", due: $0) })
    }

    /// A device of the team, under a node of its own name.
    func enrol(
        _ name: String, node: NodeID? = nil, tokenHash: [UInt8]? = nil, in store: any Store
    ) throws -> Device {
        let secret = Array(name.utf8)
        _ = try store.issueCode(
            team: team, deviceName: nil, secretHash: secret, validFor: 600_000)
        return try store.enrol(
            Enrolment(
                secretHash: secret, deviceName: name, node: node ?? NodeID(name), publicKey: "",
                tokenHash: tokenHash ?? secret))
    }
}
