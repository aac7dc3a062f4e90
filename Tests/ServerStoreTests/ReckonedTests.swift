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
}
