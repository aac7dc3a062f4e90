import Coding
import Forms
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// An inspection that a device moves to another version of its form (F37).
@Suite("Conformance: moves to another version")
struct MoveTests {
    private let boss = Supervisor(name: "kim")

    /// Version 2 of `cold`: no notes and no high, remarks instead, pressures up to 500 only, and rows of
    /// another repeat.
    private static func second() throws -> FormDefinition {
        let old = try Yard.form()
        var questions = old.questions.filter { !["notes", "high"].contains($0.path) }
        questions.append(Question(path: "remarks", label: "Remarks", type: .text(multiline: true)))
        for index in questions.indices where questions[index].path == "pressure" {
            questions[index].limits.hardMaximum = 500
        }
        let bolts = Repetition(
            path: "bolt",
            items: [.question(Question(path: "bolt/x", label: "X", type: .integer))])
        return try FormDefinition(
            id: "cold", version: "2", title: "Cold",
            sections: [
                Section(name: "all", title: "All", questions: questions),
                Section(name: "rows", text: FormText("Rows"), items: [.repetition(bolts)]),
            ])
    }

    private func yard(_ backend: Backend) throws -> (Yard, RecordID, Handheld, Handheld) {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(
            first.change(id, ["notes": .string("hums"), "pressure": .integer(900)]),
            first.row("r1", under: id, order: 1, ["x": .integer(5)]))
        try first.pull()
        try second.pull()
        try yard.store.publish(try Self.second())
        return (yard, id, first, second)
    }

    private func move(_ device: Handheld, _ id: RecordID, to version: String = "2") -> Mutation {
        device.change(id, [BuiltInField.formVersion: .string(version)])
    }

    @Test(
        "F37 an edit on the old version is merged after the move, by the policy that it had there",
        arguments: Backend.allCases)
    func editOnOldVersion(backend: Backend) throws {
        let (yard, id, first, second) = try yard(backend)
        #expect(try first.push(move(first, id))[0].status == .applied)
        let verdicts = try second.push(
            second.change(id, ["notes": .string("drips"), "high": .integer(7)]),
            second.change(id, ["pressure": .integer(1500)]),
            second.change("r1", ["part/x": .integer(6)]),
            second.row("r2", under: id, order: 2, ["x": .integer(8)]))
        #expect(verdicts.allSatisfy { $0.status == .applied })
        // Questions that only the old version has merge as they did there.
        try first.pull()
        let late = try second.push(second.change(id, ["high": .integer(3)]))[0]
        #expect(late.status != .rejected)
        let record = try #require(try yard.everything()[id])
        #expect(record.fields["@formVersion"]?.value == .string("2"))
        #expect(record.fields["notes"]?.value == .string("drips"))
        #expect(record.fields["pressure"]?.value == .integer(1500))
    }

    @Test(
        "F37 what was found on the old version is taken after the move, and only where a version has it",
        arguments: Backend.allCases)
    func findingOnOldVersion(backend: Backend) throws {
        let (yard, id, first, second) = try yard(backend)
        try first.push(move(first, id))
        func found(_ record: RecordID, on question: String, row: String? = nil) -> Mutation {
            var values: [FieldName: FieldValue] = [
                BuiltInField.question: .string(question), BuiltInField.severity: .string("major"),
                BuiltInField.status: .string("pending"),
            ]
            if let row { values[BuiltInField.row] = .string(row) }
            return second.mutation(
                record, table: RecordTable.finding, parent: id, .insert, values)
        }
        let verdicts = try second.push(
            found("f1", on: "notes"), found("f2", on: "part/x", row: "r1"),
            found("f3", on: "nowhere"), found("f4", on: "notes", row: "r1"))
        #expect(verdicts.map(\.status) == [.applied, .applied, .rejected, .rejected])
        #expect(verdicts[2].error?.code == "unknown_question")
        #expect(Set(try yard.everything().keys).isSuperset(of: ["f1", "f2"]))
    }

    @Test(
        "F37 a version that is not published, or another form, is no place to move to",
        arguments: Backend.allCases)
    func refused(backend: Backend) throws {
        let (_, id, first, _) = try yard(backend)
        for (mutation, code) in [
            (move(first, id, to: "3"), "unknown_form"),
            (first.change(id, ["@formVersion": .null]), "unknown_form"),
            (
                first.change(id, ["@form": .string("warm"), "@formVersion": .string("2")]),
                "not_allowed"
            ),
            (first.change(id, ["nothing": .integer(1)]), "unknown_question"),
            (first.change(id, ["pressure": .integer(2500)]), "invalid_value"),
        ] {
            let verdict = try first.push(mutation)[0]
            #expect(verdict.status == .rejected && verdict.error?.code == code)
        }
    }

    @Test(
        "F37 F39 the export holds what no present version asks for, rows too",
        arguments: Backend.allCases)
    func export(backend: Backend) throws {
        let (yard, id, first, _) = try yard(backend)
        try first.push(move(first, id), first.change(id, ["remarks": .string("new")]))
        let row = try #require(try yard.store.export(form: "cold").first)
        #expect(row.formVersion == "2")
        #expect(
            row.fields == [
                "notes": .string("hums"), "pressure": .integer(900), "remarks": .string("new"),
            ])
        #expect(row.parts.map(\.path) == ["part"])
        #expect(row.parts.first?.fields == ["part/x": .integer(5)])
    }

    @Test(
        "F37 what does not fit the version that it was moved to is not approved",
        arguments: Backend.allCases)
    func approval(backend: Backend) throws {
        let (yard, id, first, _) = try yard(backend)
        try first.push(move(first, id), first.change(id, ["@state": .string("complete")]))
        #expect(refusal { try yard.store.approve(inspection: id, by: boss) } == .stateRefused)
        try first.pull()
        try first.push(first.change(id, ["pressure": .integer(400)]))
        try yard.store.approve(inspection: id, by: boss)
        try first.pull()
        let verdict = try first.push(move(first, id, to: "1"))[0]
        #expect(verdict.status == .rejected && verdict.error?.code == "locked")
    }

    @Test("a form that was closed is opened again, one version or all", arguments: Backend.allCases)
    func reopen(backend: Backend) throws {
        let (yard, _, _, _) = try yard(backend)
        #expect(try yard.store.closeForm(id: "cold", version: nil) == ["1", "2"])
        #expect(try yard.store.reopenForm(id: "cold", version: "2") == ["2"])
        #expect(try yard.store.publishedForms().map(\.state) == ["closed", "open"])
        #expect(try yard.store.reopenForm(id: "cold", version: nil) == ["1"])
        #expect(try yard.store.reopenForm(id: "cold", version: nil) == [])
        #expect(refusal { _ = try yard.store.reopenForm(id: "warm", version: nil) } == .unknownForm)
    }

    @Test(
        "F58 M06 a year of pruning leaves finished inspections to those who come next",
        arguments: Backend.allCases)
    func pruning(backend: Backend) throws {
        let (yard, id, first, _) = try yard(backend)
        try first.push(first.change(id, ["@state": .string("complete")]))
        yard.clock.advance(milliseconds: 400 * 86_400_000)
        try yard.store.trustClock()
        _ = try yard.prune()
        let late = try yard.enrol("late")
        try late.pull()
        #expect(late.value(id, "pressure") == .integer(900))
        #expect(late.value("r1", "part/x") == .integer(5))
    }
}
