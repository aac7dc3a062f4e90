import Coding
import Forms
import Inspections
import Replication
import ServerStore
import Testing

/// What a form works out, where the answers of two devices have met.
@Suite("Conformance: sums over the answers of several devices")
struct ReckonedTests {
    private func form() throws -> FormDefinition {
        var parts = FormParts(id: "cold", version: "2", title: "Sums")
        parts.sections = [
            Section(
                name: "main", title: "Main",
                questions: ["a", "b"].map { Question(path: $0, label: $0, type: .integer) })
        ]
        parts.hidden = try [("sum", "/data/a + /data/b"), ("when", "now()")].map { path, rule in
            var question = Question(
                path: path, label: path,
                type: path == "sum" ? .decimal : .text(multiline: false), merge: "lww")
            question.isHidden = true
            question.rules.calculate = try FormExpression(rule)
            return question
        }
        return try FormDefinition(parts)
    }

    @Test(
        "exported as the answers are, and written as such when it is approved",
        arguments: Backend.allCases)
    func meeting(backend: Backend) throws {
        let yard = try Yard(backend)
        try yard.store.publish(form())
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.push(
            first.begin(
                "i1", asset: nil,
                [
                    BuiltInField.formVersion: .string("2"), "a": .integer(10), "b": .integer(11),
                    "sum": .integer(21), "when": .string("then"),
                ]))
        try first.pull()
        try second.pull()
        // Each with the sum that it saw.
        try first.push(first.change("i1", ["a": .integer(30), "sum": .integer(41)]))
        try second.push(
            second.change(
                "i1",
                [
                    "b": .integer(40), "sum": .integer(50),
                    BuiltInField.state: .string(InspectionState.complete.rawValue),
                ]))
        func exported() throws -> [FieldName: FieldValue] {
            try #require(try yard.store.export(form: nil).first).fields
        }
        #expect(try exported()["sum"] == .integer(70))
        #expect(try yard.everything()["i1"]?.fields["sum"]?.value != .integer(70))
        try yard.store.approve(inspection: "i1", by: Supervisor(name: "kim"))
        let signed = try #require(try yard.everything()["i1"])
        #expect(signed.fields["sum"]?.value == .integer(70))
        #expect(signed.fields["sum"]?.stamp.node == "portal:kim")
        #expect(signed.fields["when"]?.value == .string("then"), "nobody's to reckon anew")
        try first.pull()
        #expect(first.value("i1", "sum") == .integer(70))
    }

    /// A question and a repeat that are asked where the first answer says so.
    private func hidingForm() throws -> FormDefinition {
        var parts = FormParts(id: "cold", version: "2", title: "Hiding")
        let isAsked = try FormExpression("/data/kind = 'full'")
        parts.sections = [
            Section(
                name: "main", text: FormText("Main"),
                items: [
                    .question(Question(path: "kind", label: "Kind", type: .text(multiline: false))),
                    .question(
                        Question(
                            path: "seal", label: "Seal", type: .text(multiline: false),
                            relevant: isAsked)),
                    .repetition(
                        Repetition(
                            path: "pump",
                            items: [
                                .question(
                                    Question(
                                        path: "pump/tag", label: "Tag",
                                        type: .text(multiline: false)))
                            ])),
                ])
        ]
        parts.groups = [GroupRules(path: "pump", relevant: isAsked, readonly: nil)]
        return try FormDefinition(parts)
    }

    @Test(
        "what the form does not ask any more is kept and not exported, signed or not",
        arguments: Backend.allCases)
    func hidden(backend: Backend) throws {
        let yard = try Yard(backend)
        try yard.store.publish(hidingForm())
        let device = try yard.enrol("a")
        let told = try device.push(
            device.begin(
                "i1", asset: nil,
                [
                    BuiltInField.formVersion: .string("2"), "kind": .string("full"),
                    "seal": .string("torn"),
                ]),
            device.mutation(
                "p1", table: RecordTable.repetition, parent: "i1", .insert,
                [
                    BuiltInField.repetition: .string("pump"), BuiltInField.form: .string("cold"),
                    BuiltInField.formVersion: .string("2"), "pump/tag": .string("P1"),
                ]))
        #expect(told.allSatisfy { $0.status == .applied }, "\(told.map(\.error))")
        func exported() throws -> [String] {
            let row = try #require(try yard.store.export(form: nil).first)
            return (Array(row.fields.keys) + row.parts.flatMap(\.fields.keys)).sorted()
                + row.parts.map(\.path)
        }
        #expect(try exported() == ["kind", "pump/tag", "seal", "pump"])
        try device.pull()
        try device.push(
            device.change(
                "i1",
                [
                    "kind": .string("short"),
                    BuiltInField.state: .string(InspectionState.complete.rawValue),
                ]))
        #expect(try exported() == ["kind"])
        try yard.store.approve(inspection: "i1", by: Supervisor(name: "kim"))
        #expect(try exported() == ["kind"])
        let kept = try yard.everything()
        #expect(kept["i1"]?.fields["seal"]?.value == .string("torn"))
        #expect(kept["p1"]?.fields["pump/tag"]?.value == .string("P1"))
    }

    /// A day that was to come when it was given, and a question that the last inspection on a device
    /// brought on.
    private func rulesOfTheDevice() throws -> FormDefinition {
        var parts = FormParts(id: "cold", version: "2", title: "Rules")
        var next = Question(path: "next", label: "Next visit", type: .date)
        next.rules.constraint = try FormExpression(". > today()")
        var why = Question(
            path: "why", label: "Why", type: .text(multiline: false),
            relevant: try FormExpression("instance('__last-saved')/data/next != ''"))
        why.rules.required = .always
        parts.sections = [Section(name: "main", title: "Main", questions: [next, why])]
        parts.lists["__last-saved"] = .lastSaved(root: "data")
        return try FormDefinition(parts)
    }

    @Test(
        "what only the device could judge keeps nobody from approving, and is exported",
        arguments: Backend.allCases, [nil, "late"])
    func rulesOfTheDevice(backend: Backend, why: String?) throws {
        let yard = try Yard(backend)
        try yard.store.publish(rulesOfTheDevice())
        let device = try yard.enrol("a")
        var answers: [FieldName: FieldValue] = [
            BuiltInField.formVersion: .string("2"), "next": .string("1970-01-02"),
            BuiltInField.state: .string(InspectionState.complete.rawValue),
        ]
        answers["why"] = why.map { .string($0) }
        try device.push(device.begin("i1", asset: nil, answers))
        try yard.store.approve(inspection: "i1", by: Supervisor(name: "kim"))
        let exported = try #require(try yard.store.export(form: nil).first).fields
        #expect(exported["next"] == .string("1970-01-02"))
        #expect(exported["why"] == why.map { .string($0) })
    }
}
