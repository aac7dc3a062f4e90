import Coding
import Replication
import ServerStore
import TestSupport
import Testing

@testable import Gateway

@Suite("The review queue by its commands", .timeLimit(.minutes(10)))
struct ReviewCommandTests {
    /// An inspection in which one handheld set 150 while another wanted 160, and one that a handheld
    /// deleted without knowing what another had noted.
    private func fill(_ store: any Store) throws {
        let ground = Ground(due: ["2026-03-30", "2026-03-31"])
        try ground.lay(in: store)
        let records = ground.due.map { Ground.inspection(due: $0) }
        let changes: [[FieldName: FieldValue]] = [
            ["pressure": .integer(150)], ["notes": .string("dry")],
            ["pressure": .integer(160)], [Mutation.deletedField: .integer(1)],
        ]
        for (name, offset) in [("h1", 0), ("h2", 2)] {
            let device = try ground.enrol(name, in: store)
            let mutations = records.enumerated().map { index, record in
                let values = changes[offset + index]
                return Mutation(
                    id: MutationID("\(name)-\(index)"), sequence: Int64(index),
                    table: RecordTable.inspection, record: record,
                    parent: ImportedID.asset("A1"),
                    operation: values[Mutation.deletedField] == nil ? .update : .delete,
                    lamport: 1,
                    changes: values.mapValues {
                        FieldChange(value: $0, baseVersion: 1, lamport: 1)
                    }, createdAtUtc: "2026-03-02T08:00:00.000Z")
            }
            let batch = PushRequest(
                clientNodeId: device.node, clientEpoch: 1, baton: nil, pullPosition: nil,
                mutations: mutations)
            _ = try store.push(batch, from: device)
        }
    }

    @Test("each item says by which rule it waits, and a deletion is taken back")
    func list() throws {
        let office = try Office()
        try office.serve { store in
            try fill(store)
            let lines = office.call("review", "list").output.split(separator: "\n")
            #expect(
                lines.first?.split(separator: " ")
                    == ["ID", "ASSET", "RULE", "QUESTION", "BASE", "MINE", "THEIRS"])
            #expect(lines.count == 3)
            let deletion = try #require(lines.first { $0.contains(" delete ") })
            #expect(deletion.contains(" notes ") && deletion.hasSuffix("dry"))
            #expect(lines.contains { $0.contains(" quarantine ") && $0.contains("160") })
            let id = String(deletion.prefix { $0 != " " })
            #expect(office.call("review", "resolve", id, "--value", "x").status != 0)
            #expect(office.call("review", "resolve", id, "--theirs").output == "decided\n")
            #expect(office.call("review", "resolve", id, "--theirs").status != 0)
            #expect(try office.json("export", "--format", "json").asArray().count == 2)
        }
    }

    @Test("a decision on a value that is another by now says to look again")
    func lookAgain() throws {
        let office = try Office()
        try office.serve { store in
            try fill(store)
            let item = try #require(try store.openReviews().first { $0.rule == "quarantine" })
            let device = try #require(try store.devices().first { $0.name == "h1" })
            let later = Mutation(
                id: "h1-9", sequence: 9, table: RecordTable.inspection, record: item.record,
                parent: ImportedID.asset("A1"), operation: .update, lamport: 9,
                changes: [
                    "pressure": FieldChange(value: .integer(999), baseVersion: 2, lamport: 9)
                ], createdAtUtc: "2026-03-02T08:00:00.000Z")
            let trail = try store.push(
                PushRequest(
                    clientNodeId: "h3", clientEpoch: 1, baton: nil, pullPosition: nil,
                    mutations: [later]), from: device.speaking(as: "h3"))
            #expect(trail.results.map(\.status) == [.applied])
            let refused = office.call("review", "resolve", item.id, "--mine")
            #expect(refused.status != 0 && refused.messages.contains("list the items again"))
            _ = office.call("review", "list")
            #expect(office.call("review", "resolve", item.id, "--value", "155").status == 0)
            let exported = try office.json("export", "--format", "json")
            #expect(exported.text().contains("155"))
        }
    }

    @Test("a refused node is told why")
    func wrongNode() {
        let error = ServerStoreError(.wrongNode, "the device has had too many nodes")
        #expect(Refusal(error) == Refusal(403, "wrong_node", "the device has had too many nodes"))
    }
}
