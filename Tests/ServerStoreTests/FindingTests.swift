import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

@Suite("Conformance: findings")
struct FindingTests {
    private let boss = Supervisor(name: "kim")

    private func finding(
        _ id: RecordID, on question: String?, by device: Handheld, of inspection: RecordID,
        _ more: [FieldName: FieldValue] = [:]
    ) -> Mutation {
        var values = more
        if let question { values[BuiltInField.question] = .string(question) }
        values[BuiltInField.severity] = values[BuiltInField.severity] ?? .string("major")
        values[BuiltInField.status] = values[BuiltInField.status] ?? .string("pending")
        return device.mutation(
            id, table: RecordTable.finding, parent: inspection, .insert, values)
    }

    @Test(
        "a finding is exported where it stands, in the order of the form",
        arguments: Backend.allCases)
    func exported(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(
            first.row("r1", under: id, order: 1, ["text": .string("upper")]),
            finding(
                "f1", on: "part/x", by: first, of: id,
                ["@row": .string("r1"), "@note": .string("bent"), "@due": .string("2026-03-20")]),
            finding("f2", on: "notes", by: first, of: id, ["@repeated": .integer(1)]))
        try second.pull()
        #expect(second.value("f1", "@note") == .string("bent"))
        let row = try #require(try yard.store.export(form: nil).first)
        #expect(row.findings.map(\.id) == ["f2", "f1"])
        #expect(row.findings.map(\.address) == ["notes", "part[1]/x"])
        #expect(row.findings[0].finding.isRepeated && row.findings[1].finding.note == "bent")
        #expect(row.findings[1].isOverdue(on: "2026-03-21"))
        #expect(!row.findings[1].isOverdue(on: "2026-03-20"))
        // What was found in a deleted row is in no list.
        try first.pull()
        try first.push(first.change("r1", [Mutation.deletedField: .integer(1)], .delete))
        #expect(try yard.store.export(form: nil).first?.findings.map(\.id) == ["f2"])
    }

    @Test("what stands nowhere, moves or says another word is refused", arguments: Backend.allCases)
    func refused(backend: Backend) throws {
        let (yard, id, first, _) = try Yard.pair(backend)
        try first.push(finding("f1", on: "notes", by: first, of: id))
        try first.pull()
        let cases: [(String, Mutation)] = [
            ("unknown_question", finding("new", on: "nowhere", by: first, of: id)),
            ("invalid_value", finding("new", on: "part/x", by: first, of: id)),
            (
                "invalid_value",
                finding("new", on: "notes", by: first, of: id, ["@row": .string("r1")])
            ),
            ("wrong_parent", finding("new", on: "notes", by: first, of: "f1")),
            ("not_allowed", first.change("f1", ["@question": .string("pressure")])),
            ("invalid_value", first.change("f1", ["@severity": .string("awful")])),
            ("invalid_value", first.change("f1", ["@status": .string("open")])),
            ("invalid_value", first.change("f1", ["@raisedBy": .string("weather")])),
            ("invalid_value", first.change("f1", ["@due": .string("soon")])),
            ("invalid_value", first.change("f1", ["@note": .integer(1)])),
        ]
        for (code, mutation) in cases {
            let verdict = try first.push(mutation)[0]
            #expect(verdict.status == .rejected && verdict.error?.code == code, "\(mutation)")
        }
        #expect(try yard.store.export(form: nil).first?.findings.count == 1)
    }

    @Test(
        "a supervisor closes one, also where the inspection is approved; history keeps what it was",
        arguments: Backend.allCases)
    func closed(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(
            finding("f1", on: "notes", by: first, of: id),
            first.change(id, ["@state": .string("complete")]))
        try yard.store.approve(inspection: id, by: boss)
        try first.pull()
        #expect(
            try first.push(first.change("f1", ["@note": .string("late")]))[0].error?.code
                == "locked")
        try yard.store.close(finding: "f1", comment: "new seal", by: boss)
        try yard.store.close(finding: "f1", comment: "new seal", by: boss)
        try second.pull()
        #expect(second.value("f1", "@status") == .string("closed"))
        #expect(second.value("f1", "@comment") == .string("new seal"))
        let history = try yard.store.history(of: "f1")
        #expect(history.entries.map(\.value) == [.string("pending")])
        #expect(
            refusal { try yard.store.close(finding: id, comment: nil, by: boss) } == .unknownRecord)
        #expect(
            refusal { try yard.store.close(finding: "none", comment: nil, by: boss) }
                == .unknownRecord)
    }
}
