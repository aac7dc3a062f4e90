import Coding
import Inspections
import Replication
import SQLite
import ServerStore
import Testing

/// The day that every stored database holds. It is played once a schema and never again, so that
/// what the devices knew at its end stands here.
enum StoredDay {
    static let names: Set = ["a", "b", "c"]
    static let inspection = ImportedID.inspection(asset: "A1", form: "cold", due: "2026-03-31")

    /// What "a" pushed, and pushes again because it never heard the answer.
    static let notes = Mutation(
        id: "a-notes", sequence: 50, table: RecordTable.inspection, record: inspection,
        parent: ImportedID.asset("A1"), operation: .update, lamport: 2,
        changes: [
            "notes": FieldChange(value: .string("ice"), baseVersion: 1, lamport: 1),
            "pressure": FieldChange(value: .integer(150), baseVersion: 1, lamport: 2),
        ], createdAtUtc: "2026-03-02T08:00:00.000Z")

    static func play(on yard: Yard) throws {
        #expect(try yard.assign() == inspection)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        let third = try yard.enrol("c", team: "south")
        for device in [first, second, third] { try device.pull() }
        try first.push(notes)
        try second.push(
            second.change(inspection, ["pressure": .integer(170)], id: "b-pressure"))
        try third.push(third.begin("far", asset: ImportedID.asset("A2")))
        let decided = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(
            review: decided.id, .theirs, comment: "read again", by: Supervisor(name: "kim"))
        try first.push(first.begin("gone", asset: nil))
        try first.push(first.delete("gone"))
        let late = Handheld(second.device, of: yard, startingAt: 10)
        late.cursor = second.cursor
        late.baton = second.baton
        try late.push(
            late.mutation(
                inspection, table: RecordTable.inspection, parent: ImportedID.asset("A1"), .update,
                ["pressure": .integer(160)], id: "b-late"))
        _ = try yard.store.importSites([SiteRow(id: "S2", name: "Hold", team: "north")])
    }

    /// The device of that day, with the cursor that it had after its first pull.
    static func handheld(_ name: String, of yard: Yard) throws -> Handheld {
        let device = try #require(try yard.store.devices().first { $0.name == name })
        let handheld = Handheld(device, of: yard, startingAt: 100)
        handheld.cursor = cursor
        return handheld
    }

    /// Where the two devices of team north stood: epoch, position and scope.
    private static let cursor = "mm8w2680.5.1"
}

/// How many migrations a file carries.
func schemaSteps(of path: String) throws -> Int64 {
    let connection = try Connection.open(path, mode: .readOnly)
    let count = try connection.first("SELECT count(*) FROM schema_migration") { try $0.integer(0) }
    try connection.close()
    return count ?? 0
}
