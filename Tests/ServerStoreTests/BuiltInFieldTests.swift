import Coding
import Forms
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

@Suite("Conformance: what a device may say of a record itself")
struct BuiltInFieldTests {
    static let wrong: [(FieldName, FieldValue, String)] = [
        (BuiltInField.form, .null, "not_allowed"), (BuiltInField.form, .integer(5), "not_allowed"),
        (BuiltInField.form, .string("other"), "not_allowed"),
        (BuiltInField.formVersion, .null, "unknown_form"),
        (BuiltInField.formVersion, .integer(1), "unknown_form"),
        (BuiltInField.formVersion, .string("9"), "unknown_form"),
        (BuiltInField.state, .null, "invalid_value"),
        (BuiltInField.due, .integer(5), "invalid_value"),
        (BuiltInField.due, .string(""), "invalid_value"),
        (BuiltInField.due, .string("2026-13-45"), "invalid_value"),
        (BuiltInField.asset, .integer(5), "invalid_value"),
        (BuiltInField.title, .double(0.5), "invalid_value"),
        (BuiltInField.assignee, .integer(1), "invalid_value"),
        (BuiltInField.comment, .integer(1), "invalid_value"),
    ]

    @Test("is refused where it would break the record for everybody", arguments: wrong.indices)
    func refused(index: Int) throws {
        let (field, value, code) = Self.wrong[index]
        let yard = try Yard(.sqlite)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        let before = device.value(id, field)
        let verdict = try device.push(device.change(id, [field: value]))[0]
        #expect(verdict.status == .rejected)
        #expect(verdict.error?.code == code)
        #expect(verdict.error?.column == field)
        #expect(try device.push(device.change(id, ["notes": .string("x")]))[0].status == .applied)
        #expect(device.value(id, field) == before)
    }

    @Test("is taken where it is a text, a day or nothing")
    func taken() throws {
        let yard = try Yard(.sqlite)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        let verdict = try device.push(
            device.change(
                id,
                [
                    BuiltInField.due: .string("2026-04-01"), BuiltInField.assignee: .string("kim"),
                    BuiltInField.title: .null, BuiltInField.formVersion: .string("1"),
                ]))[0]
        #expect(verdict.status == .applied)
    }

    @Test(
        "a base from the future is no base: another's value is not written over",
        arguments: [21, 1000, Int64.max])
    func futureBase(version: Int64) throws {
        let yard = try Yard(.sqlite)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        try second.pull()
        try first.push(first.change(id, ["notes": .string("first")]))
        var forged = second.change(id, ["notes": .string("second")])
        forged.changes["notes"]?.baseVersion = version
        let verdict = try second.push(forged)[0]
        #expect(verdict.status == .conflict)
        #expect(second.value(id, "notes") == .string("first"))
        #expect(try second.push(forged)[0].status == .conflict, "the same content is the same")
    }

    @Test("an asset is called by its tag, whatever the inspection calls it")
    func assetTag() throws {
        let yard = try Yard(.sqlite)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        let asset = ImportedID.asset("A1")
        try first.push(
            first.begin(
                "i1", asset: asset,
                [BuiltInField.asset: .string(asset.rawValue), "pressure": .integer(1)]))
        try second.pull()
        try first.pull()
        try first.push(first.change("i1", ["pressure": .integer(2)]))
        try second.push(second.change("i1", ["pressure": .integer(3)]))
        try first.push(first.begin("loose", asset: nil, [BuiltInField.asset: .string("mine")]))
        #expect(
            try yard.store.export(form: nil).map(\.asset).sorted { ($0 ?? "") < ($1 ?? "") }
                == ["RT-1", "mine"])
        #expect(try yard.store.openReviews().map(\.asset) == ["RT-1"])
    }

    @Test("what is approved has no gap, and what is missing is named")
    func approveUnfinished() throws {
        let yard = try Yard(.sqlite)
        try yard.store.publish(
            FormDefinition(
                id: "cold", version: "2", title: "Cold",
                sections: [
                    Section(
                        name: "all", title: "All",
                        questions: [
                            Question(
                                path: "notes", label: "Notes", type: .text(multiline: false),
                                required: true, merge: "ask")
                        ])
                ]))
        let device = try yard.enrol("a")
        let complete = InspectionState.complete.rawValue
        try device.push(
            device.begin(
                "i1", asset: nil,
                [BuiltInField.formVersion: .string("2"), BuiltInField.state: .string(complete)]))
        #expect {
            try yard.store.approve(inspection: "i1", by: Supervisor(name: "kim"))
        } throws: { error in
            (error as? ServerStoreError)?.code == .stateRefused && "\(error)".contains("notes")
        }
        try device.pull()
        try device.push(device.change("i1", ["notes": .string("cold")]))
        try yard.store.approve(inspection: "i1", by: Supervisor(name: "kim"))
    }

    @Test("forms whose ids differ in case only cannot stand beside each other")
    func caseOfForms() throws {
        let yard = try Yard(.sqlite)
        let form = try FormDefinition(
            id: "COLD", version: "1", title: "Cold",
            sections: [Section(name: "all", title: "All", questions: Yard.form().questions)])
        #expect(refusal { try yard.store.publish(form) } == .formDiffers)
        #expect(try yard.store.publishedForms().count == 1)
    }

    @Test("the graver severity of a finding stands, its further status, and no other word")
    func finding() throws {
        let (yard, id, first, second) = try Yard.pair(.sqlite)
        try first.push(
            first.mutation(
                "f1", table: RecordTable.finding, parent: id, .insert,
                ["@severity": .string("major"), "@status": .string("pending")]))
        for device in [first, second] { try device.pull() }
        try first.push(
            first.change(
                "f1", ["@severity": .string("critical"), "@status": .string("corrected")]))
        let verdict = try second.push(
            second.change("f1", ["@severity": .string("minor"), "@status": .string("closed")]))[0]
        #expect(verdict.status == .merged)
        let here = try #require(try yard.everything()["f1"])
        #expect(here.fields["@severity"]?.value == .string("critical"))
        #expect(here.fields["@status"]?.value == .string("closed"))
        for (field, word) in [("@severity", "grave"), ("@status", "open")] {
            let refused = try second.push(second.change("f1", [field: .string(word)]))[0]
            #expect(refused.error?.code == "invalid_value" && refused.error?.column == field)
        }
    }
}
