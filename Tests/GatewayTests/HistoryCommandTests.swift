import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

@testable import Gateway

@Suite("walkdownd history", .timeLimit(.minutes(10)))
struct HistoryCommandTests {
    /// An inspection in which a value was overwritten.
    private func overwritten(in store: any Store) throws -> RecordID {
        _ = try store.addTeam(named: "North")
        try store.publish(try TestServer.form())
        _ = try store.importSites([SiteRow(id: "S1", name: "Dock", team: "North")])
        _ = try store.importAssets([AssetRow(id: "A1", site: "S1", tag: "RT-1")])
        _ = try store.importAssignments([
            AssignmentRow(asset: "A1", form: "cold", due: "2026-03-31")
        ])
        _ = try store.issueCode(team: "North", deviceName: nil, secretHash: [1], validFor: 600_000)
        let device = try store.enrol(
            Enrolment(
                secretHash: [1], deviceName: "h1", node: "n1", publicKey: "", tokenHash: [1]))
        let mutations = ["dry", "wet"].enumerated().map { index, text in
            let count = Int64(index + 1)
            return Mutation(
                id: MutationID("m\(count)"), sequence: count, table: RecordTable.inspection,
                record: TestServer.inspection, parent: ImportedID.asset("A1"), operation: .update,
                lamport: count,
                changes: [
                    "notes": FieldChange(value: .string(text), baseVersion: 1, lamport: count)
                ], createdAtUtc: "2026-03-02T08:00:00.000Z")
        }
        let batch = PushRequest(
            clientNodeId: "n1", clientEpoch: 1, baton: nil, pullPosition: nil,
            mutations: mutations)
        #expect(try store.push(batch, from: device).results.map(\.status) == [.applied, .applied])
        return TestServer.inspection
    }

    @Test("M26 shows each value that was overwritten, who entered it and the rule that decided")
    func values() throws {
        let office = try Office()
        try office.serve { store in
            let id = try overwritten(in: store).rawValue
            let document = try office.json("history", id)
            #expect(try document.string("recordId") == id)
            let entries = try document.array("entries") { value throws(CodingError) in value }
            let entry = try #require(entries.first)
            #expect(entries.count == 1)
            #expect(try entry.string("column") == "notes")
            #expect(try entry.string("value") == "dry")
            #expect(try entry.string("device") == "h1")
            #expect(try entry.string("rule") == "seen")
            #expect(try entry.string("mutationId") == "m2")
            let table = office.call("history", id)
            #expect(table.output.contains("dry") && table.output.contains("h1"))
            #expect(office.call("history", "nobody").status == 1)
        }
    }
}
