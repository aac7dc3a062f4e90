import Coding
import Forms
import Inspections
import Testing

@Suite("Rows of repeats, from records to answers")
struct RowRecordTests {
    private static func form() throws -> FormDefinition {
        func question(_ path: String) -> FormItem {
            .question(Question(path: path, label: path, type: .text(multiline: false)))
        }
        let seal = Repetition(path: "plant/pump/seal", items: [question("plant/pump/seal/state")])
        let pump = Repetition(
            path: "plant/pump", items: [question("plant/pump/tag"), .repetition(seal)])
        var parts = FormParts(id: "f", version: "1", title: "F")
        parts.sections = [Section(name: "s", text: FormText("S"), items: [.repetition(pump)])]
        return try FormDefinition(parts)
    }

    private func row(
        _ id: String, _ path: String, in parent: String, _ order: FieldValue
    ) -> RowRecord {
        RowRecord(
            id: id, parent: parent,
            fields: [
                BuiltInField.repetition: .string(path), BuiltInField.order: order,
                "\(path)/tag": .string(id),
            ])
    }

    @Test("stand in their order, then in that of their ids, whatever order they came in")
    func order() throws {
        let form = try Self.form()
        let records = [
            row("c", "plant/pump", in: "i", .integer(1)), row("a", "plant/pump", in: "i", .null),
            row("d", "plant/pump", in: "i", .double(0.5)),
            row("b", "plant/pump", in: "i", .integer(1)),
        ]
        for records in [records, records.reversed()] {
            let answers = FormAnswers(["@state": .null], of: "i", records: records, in: [form])
            #expect(answers.rows.map(\.id) == ["d", "b", "c", "a"])
            #expect(answers.fields.isEmpty)
            #expect(answers.rows[0].fields == ["plant/pump/tag": .string("d")])
        }
    }

    @Test("are left out where their repeat does not stand")
    func misplaced() throws {
        let form = try Self.form()
        let records = [
            row("p", "plant/pump", in: "i", .null), row("s", "plant/pump/seal", in: "p", .null),
            row("x", "plant/pump/seal", in: "i", .null), row("y", "valve", in: "i", .null),
            row("z", "plant/pump", in: "p", .null), row("loop", "plant/pump", in: "loop", .null),
        ]
        let answers = FormAnswers([:], of: "i", records: records, in: [form])
        #expect(answers.rows.map(\.id) == ["p", "s"])
        #expect(answers.row("s")?.parent == "p" && answers.row("p")?.parent == nil)
        let unknown = FormAnswers([:], of: "i", records: records, in: [])
        #expect(unknown.rows.count == 5, "of an unknown form all are shown")
    }

    @Test("have addresses with the number of each row")
    func addresses() throws {
        let records = [
            row("p1", "plant/pump", in: "i", .integer(1)),
            row("p2", "plant/pump", in: "i", .integer(2)),
            row("s1", "plant/pump/seal", in: "p2", .integer(1)),
        ]
        let answers = FormAnswers([:], of: "i", records: records, in: [try Self.form()])
        func address(_ path: String, _ row: String?) -> String {
            answers.address(of: AnswerKey(row: row, path))
        }
        #expect(address("plant/pump/tag", "p2") == "plant/pump[2]/tag")
        #expect(address("plant/pump/seal/state", "s1") == "plant/pump[2]/seal[1]/state")
        #expect(address("notes", nil) == "notes")
    }
}
