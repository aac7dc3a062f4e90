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
        try Ground().lay(in: store)
        let device = try Ground().enrol("h1", node: "n1", in: store)
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

    @Test("T86 shows who offered what came back as a copy, and in whose name")
    func copies() throws {
        let office = try Office()
        let backup = office.parent.file("backup.db")
        var before: PullResponse?
        try office.serve { store in
            _ = try overwritten(in: store)
            #expect(office.call("backup", backup).status == 0)
            let device = try #require(try store.devices().first)
            before = try store.pull(PullRequest(cursor: nil), by: device)
        }
        #expect(office.call("restore", backup).status == 0)
        try office.serve { store in
            let device = try #require(try store.devices().first)
            let page = try #require(before)
            var record = try #require(
                page.deltaRecords.first { $0.id == TestServer.inspection })
            record.fields = [
                "notes": WireRecord.Field(
                    value: .string("lost"), stamp: Stamp(lamport: 9, node: "n-gone"), version: 9)
            ]
            _ = try store.takeCopies(
                CopyRequest(
                    clientNodeId: "n1", pullPosition: page.nextCursor, records: [record]),
                from: device)
            let id = TestServer.inspection.rawValue
            let copies = try office.json("history", id).array("copies") {
                value throws(CodingError) in value
            }
            let copy = try #require(copies.first)
            #expect(copies.count == 1)
            #expect(try copy.string("column") == "notes")
            #expect(try copy.string("node") == "n-gone")
            #expect(try copy.string("offeredBy") == "h1")
            #expect(try !copy.string("offeredUtc").isEmpty)
            let shown = office.call("history", id).output
            #expect(shown.contains("OFFERED BY") && shown.contains("n-gone"))
        }
    }
}
