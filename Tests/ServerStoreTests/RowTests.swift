import Coding
import Forms
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

@Suite("Conformance: rows of repeats")
struct RowTests {
    private let boss = Supervisor(name: "kim")

    /// An inspection with two rows, and two devices that have pulled it.
    private func yard(_ backend: Backend) throws -> (Yard, RecordID, Handheld, Handheld) {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(
            first.row("r1", under: id, order: 1, ["text": .string("upper")]),
            first.row("r2", under: id, order: 2, ["text": .string("lower"), "x": .integer(5)]))
        try first.pull()
        try second.pull()
        return (yard, id, first, second)
    }

    @Test("each row's questions merge by their own policies", arguments: Backend.allCases)
    func merges(backend: Backend) throws {
        let (yard, _, first, second) = try yard(backend)
        try first.push(
            first.change(
                "r2",
                [
                    "part/text": .string("left"), "part/x": .integer(6),
                    "part/health": .string("WORN"),
                ]))
        let verdict = try second.push(
            second.change(
                "r2",
                [
                    "part/text": .string("right"), "part/x": .integer(7),
                    "part/health": .string("FINE"),
                ]))[0]
        #expect(verdict.status == .conflict)
        #expect(verdict.conflicts.map(\.rule).sorted() == ["ask", "quarantine"])
        let here = try #require(try yard.everything()["r2"])
        #expect(here.fields["part/text"]?.value == .string("left"))
        #expect(here.fields["part/x"]?.value == .integer(6))
        #expect(here.fields["part/health"]?.value == .string("WORN"), "the worse rank stands")
    }

    @Test("rows of two devices stand beside each other", arguments: Backend.allCases)
    func together(backend: Backend) throws {
        let (yard, id, first, second) = try yard(backend)
        let verdicts = [
            try first.push(first.row("r3", under: id, order: 3, ["text": .string("a")]))[0],
            try second.push(second.row("r4", under: id, order: 3, ["text": .string("b")]))[0],
            try second.push(second.change("r1", ["part/x": .integer(9)]))[0],
        ]
        #expect(verdicts.map(\.status) == [.applied, .applied, .applied])
        let row = try #require(try yard.store.export(form: "cold").first)
        #expect(row.parts.map(\.id) == ["r1", "r2", "r3", "r4"])
        #expect(row.parts.map(\.position) == [1, 2, 3, 4])
        #expect(row.parts[0].fields == ["part/text": .string("upper"), "part/x": .integer(9)])
    }

    @Test("a row's value in review names its row and inspection", arguments: Backend.allCases)
    func review(backend: Backend) throws {
        let (yard, id, first, second) = try yard(backend)
        try first.push(
            first.row("p1", of: "part/piece", under: "r2", order: 1, ["x": .integer(1)]))
        try first.pull()
        try second.pull()
        try first.push(first.change("p1", ["part/piece/x": .integer(2)]))
        try second.push(second.change("p1", ["part/piece/x": .integer(3)]))
        let item = try #require(try yard.store.openReviews().first)
        #expect(item.address == "part[2]/piece[1]/x" && item.column == "part/piece/x")
        #expect(item.inspection == id && item.record == "p1")
        #expect(item.asset == "RT-1" && item.form == "cold")
        try second.push(second.change(id, ["@state": .string("complete")]))
        #expect(refusal { try yard.store.approve(inspection: id, by: boss) } == .stateRefused)
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss)
        try yard.store.approve(inspection: id, by: boss)
        try second.pull()
        #expect(second.value("p1", "part/piece/x") == .integer(3))
        #expect(second.results.map(\.status) == [.merged])
    }

    @Test("a row stands where its repeat stands, and stays there", arguments: Backend.allCases)
    func places(backend: Backend) throws {
        let (yard, id, first, _) = try yard(backend)
        func row(
            _ fields: [FieldName: FieldValue], under parent: RecordID? = nil
        ) -> Mutation {
            var row = first.row("new", under: parent ?? id)
            for (name, value) in fields {
                row.changes[name] = FieldChange(
                    value: value, baseValue: .null, baseVersion: 0, lamport: row.lamport)
            }
            return row
        }
        let cases: [(String, Mutation)] = [
            ("unknown_question", row(["@repeat": .null])),
            ("unknown_question", row(["@repeat": .string("other")])),
            ("unknown_question", row(["@repeat": .integer(1)])),
            ("wrong_parent", row(["@repeat": .string("part/piece")])),
            ("wrong_parent", row([:], under: "r1")),
            ("wrong_parent", row([:], under: ImportedID.asset("A1"))),
            ("unknown_form", row(["@form": .null])),
            ("unknown_form", row(["@formVersion": .string("9")])),
            ("unknown_question", row(["notes": .string("of the inspection")])),
            ("unknown_question", row(["part/piece/x": .integer(1)])),
            ("unknown_question", first.change(id, ["part/x": .integer(1)])),
            ("invalid_value", row(["part/x": .integer(1001)])),
            ("invalid_value", row(["part/x": .string("much")])),
            ("invalid_value", row(["part/health": .string("GOOD")])),
            ("invalid_value", row(["@order": .string("first")])),
            ("not_allowed", first.change("r1", ["@repeat": .string("part/piece")])),
            ("not_allowed", first.change("r1", ["@repeat": .null])),
            ("not_allowed", first.change("r1", ["@form": .string("other")])),
        ]
        for (code, mutation) in cases {
            let verdict = try first.push(mutation)[0]
            #expect(verdict.error?.code == code, "\(mutation.changes.mapValues(\.value))")
        }
        #expect(try yard.everything()["new"] == nil)
        let moved = first.change("r1", ["@order": .double(2.5)])
        #expect(try first.push(moved)[0].status == .applied)
        #expect(try yard.store.export(form: nil)[0].parts.map(\.id) == ["r2", "r1"])
    }

    @Test("a row has the form of its inspection", arguments: Backend.allCases)
    func otherForm(backend: Backend) throws {
        let (yard, id, first, _) = try yard(backend)
        var parts = try Yard.form().parts
        parts.id = "warm"
        try yard.store.publish(FormDefinition(parts))
        var row = first.row("r3", under: id)
        row.changes["@form"]?.value = .string("warm")
        let verdict = try first.push(row)[0]
        #expect(verdict.error?.code == "not_allowed" && verdict.error?.column == "@form")
    }

    @Test(
        "rows of a newer version of the form stand beside those of an older one",
        arguments: Backend.allCases)
    func versions(backend: Backend) throws {
        let (yard, id, first, _) = try yard(backend)
        try yard.store.publish(try Yard.form(version: "2"))
        var row = first.row("r3", under: id, order: 3, ["text": .string("newer")])
        row.changes["@formVersion"]?.value = .string("2")
        #expect(try first.push(row)[0].status == .applied)
        #expect(try yard.store.export(form: nil)[0].parts.count == 3)
    }

    @Test(
        "under a deleted inspection or row nothing is added or changed", arguments: Backend.allCases
    )
    func belowDeleted(backend: Backend) throws {
        let (yard, id, first, second) = try yard(backend)
        try first.push(first.delete("r2"))
        let late = [
            second.row("p1", of: "part/piece", under: "r2", ["x": .integer(1)]),
            second.row("r3", under: id, ["x": .integer(1)]),
        ]
        let verdicts = try second.push(late)
        #expect(verdicts.map(\.error?.code) == ["parent_deleted", nil])
        #expect(try yard.store.export(form: nil)[0].parts.map(\.id) == ["r1", "r3"])
        try first.pull()
        try first.push(first.delete(id))
        #expect(
            try second.push(second.change("r1", ["part/x": .integer(2)]))[0].error?.code
                == "parent_deleted")
    }

    @Test(
        "F49 of four rows any one is deleted, and the others keep their answers",
        arguments: Backend.allCases, 0..<4)
    func deletesOne(backend: Backend, position: Int) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        let ids = (0..<4).map { RecordID("r\($0)") }
        try first.push(
            ids.enumerated().map { number, row in
                first.row(row, under: id, order: Int64(number), ["x": .integer(Int64(number))])
            })
        try second.pull()
        try second.push(second.delete(ids[position]))
        try first.pull()
        let parts = try yard.store.export(form: nil)[0].parts
        #expect(parts.map(\.id) == ids.filter { $0 != ids[position] })
        #expect(parts.map(\.position) == [1, 2, 3])
        #expect(
            parts.map { $0.fields["part/x"] }
                == [0, 1, 2, 3].filter { $0 != position }.map { .integer(Int64($0)) })
    }

    @Test(
        "rows entered before their device heard that the site was lost wait for a person",
        arguments: Backend.allCases)
    func lostScope(backend: Backend) throws {
        let (yard, id, first, second) = try yard(backend)
        _ = try yard.store.importSites([SiteRow(id: "S1", name: "Dock", team: "south")])
        let verdicts = try first.push(
            first.row("r3", under: id, order: 3, ["text": .string("offline"), "x": .integer(8)]),
            first.change("r1", ["part/x": .integer(4)]))
        #expect(verdicts.map(\.status) == [.quarantined, .quarantined])
        try second.pull()
        let known = second.row("r4", under: id)
        #expect(try second.push(known)[0].error?.code == "out_of_scope")
        for item in try yard.store.openReviews() {
            try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss)
        }
        let parts = try yard.store.export(form: nil)[0].parts
        #expect(parts.map(\.id) == ["r1", "r2", "r3"])
        #expect(parts[0].fields["part/x"] == .integer(4))
        #expect(parts[2].fields == ["part/text": .string("offline"), "part/x": .integer(8)])
    }

    @Test(
        "what is approved has no gap in any of its rows", arguments: Backend.allCases)
    func approval(backend: Backend) throws {
        let yard = try Yard(backend)
        try yard.store.publish(try Self.strictForm())
        let first = try yard.enrol("a")
        try first.pull()
        let inspection = first.begin(
            "i1", asset: nil, ["@form": .string("strict"), "@state": .string("complete")])
        func row(_ id: RecordID, _ values: [String: FieldValue]) -> Mutation {
            var row = first.row(id, of: "pump", under: "i1", values)
            row.changes["@form"]?.value = .string("strict")
            return row
        }
        try first.push(
            inspection, row("r1", ["tag": .string("P-1")]), row("r2", ["note": .string("dry")]))
        func approve() throws { try yard.store.approve(inspection: "i1", by: boss) }
        do {
            try approve()
            Issue.record("a row without its tag was approved")
        } catch let error as ServerStoreError {
            #expect(error.code == .stateRefused)
            #expect(error.message.contains("pump[2]/tag needs an answer"), "\(error.message)")
        }
        try first.pull()
        try first.push(first.change("r2", ["pump/tag": .string("P-1")]))
        #expect(refusal(approve) == .stateRefused, "no tag twice")
        try first.push(first.change("r2", ["pump/tag": .string("P-2")]))
        try approve()
        let late = try first.push(
            first.change("r1", ["pump/tag": .string("P-9")]), row("r3", ["tag": .string("P-3")]),
            first.delete("r2"))
        #expect(late.map(\.error?.code) == ["locked", "locked", "locked"])
    }

    /// Each pump has a tag, no two the same one; who looks after it is known on the device only.
    private static func strictForm() throws -> FormDefinition {
        var tag = Question(
            path: "pump/tag", label: "Tag", type: .text(multiline: false), required: true)
        tag.rules.constraint = try FormExpression("count(/data/pump[tag = current()/.]) = 1")
        var inspector = Question(
            path: "inspector", label: "Inspector", type: .text(multiline: false))
        inspector.isHidden = true
        inspector.rules.calculate = try FormExpression("property('username')")
        let note = Question(path: "pump/note", label: "Note", type: .text(multiline: true))
        var parts = FormParts(id: "strict", version: "1", title: "Strict")
        parts.hidden = [inspector]
        parts.sections = [
            Section(
                name: "pumps", text: FormText("Pumps"),
                items: [
                    .repetition(
                        Repetition(path: "pump", items: [.question(tag), .question(note)]))
                ])
        ]
        return try FormDefinition(parts)
    }

    @Test(
        "a value for a row that is gone is taken into a new one", arguments: Backend.allCases)
    func rescued(backend: Backend) throws {
        let (yard, id, first, second) = try yard(backend)
        let late = second.change("r2", ["part/text": .string("late")])
        try first.push(first.delete("r2"))
        try first.pull()
        try second.pull()
        yard.clock.advance(seconds: 31 * 86_400)
        try first.pull()
        try second.pull()
        #expect(try yard.prune().pruned == 1)
        #expect(try second.push(late)[0].status == .quarantined)
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss)
        let parts = try yard.store.export(form: nil)[0].parts
        #expect(parts.count == 2 && parts.allSatisfy { $0.path == "part" })
        #expect(parts.contains { $0.fields["part/text"] == .string("late") })
        #expect(try yard.everything().values.filter { $0.parent == id }.count == 2)
    }
}
