import Coding
import Inspections
import Replication
import ServerStore
import Testing

@testable import Gateway

@Suite("Administration: findings", .timeLimit(.minutes(5)))
struct FindingCommandTests {
    @Test("list, close, history and export tell of what was found")
    func day() throws {
        let office = try Office()
        try office.serve { store in
            try lay(in: store)
            try look(at: office)
        }
    }

    private func lay(in store: any Store) throws {
        let ground = Ground()
        try ground.lay(in: store)
        let device = try ground.enrol("h1", node: "n1", in: store)
        let found: [(RecordID, [FieldName: FieldValue])] = [
            (
                "f1",
                [
                    "@question": .string("notes"), "@severity": .string("major"),
                    "@status": .string("pending"), "@due": .string("2020-01-01"),
                    "@note": .string("=cold"),
                ]
            ),
            (
                "f2",
                [
                    "@question": .string("pressure"), "@severity": .string("minor"),
                    "@status": .string("corrected"), "@repeated": .integer(1),
                ]
            ),
        ]
        let mutations = found.enumerated().map { index, finding in
            let count = Int64(index + 1)
            return Mutation(
                id: MutationID("m\(count)"), sequence: count, table: RecordTable.finding,
                record: finding.0, parent: TestServer.inspection, operation: .insert,
                lamport: count,
                changes: finding.1.mapValues {
                    FieldChange(value: $0, baseValue: .null, baseVersion: 0, lamport: count)
                }, createdAtUtc: "2026-03-02T08:00:00.000Z", schemaVersion: 1)
        }
        let batch = PushRequest(
            clientNodeId: "n1", clientEpoch: 1, baton: nil, pullPosition: nil,
            mutations: mutations)
        #expect(try store.push(batch, from: device).results.map(\.status) == [.applied, .applied])
    }

    private func look(at office: Office) throws {
        let all = try office.json("finding", "list").asArray()
        #expect(try all.map { try $0.string("id") } == ["f1", "f2"])
        #expect(try all[0].string("inspection") == TestServer.inspection.rawValue)
        #expect(try office.json("finding", "list", "--overdue").asArray().count == 1)
        #expect(try office.json("finding", "list", "--status", "corrected").asArray().count == 1)
        #expect(try office.json("finding", "list", "--form", "cold").asArray().count == 2)
        #expect(office.call("finding", "list", "--status", "mended").status == 2)
        let table = office.call("finding", "list").output
        #expect(table.contains("corrected on site") && table.contains("minor, repeated"))
        #expect(office.call("finding", "close", "f1", "--comment", "done").output == "f1 closed\n")
        #expect(office.call("finding", "close", "f9").status == 1)
        #expect(try office.json("finding", "list").asArray().count == 1)
        #expect(office.call("history", "f1").output.contains("pending"))
        let exported = try #require(try office.json("export", "--format", "json").asArray().first)
        #expect(try exported.member("findings")?.asArray().count == 2)
        let lines = office.call("export", "--findings").output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("id,inspection,form,formVersion,asset,question,severity"))
        #expect(lines[1].contains("'=cold"), "a spreadsheet would carry it out")
        #expect(office.call("export", "--findings", "--format", "json").status == 2)
        #expect(office.call("export", "--findings", "--repeat", "x").status == 2)
    }
}
