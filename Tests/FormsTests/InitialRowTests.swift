import Coding
import TestSupport
import Testing

@testable import Forms

@Suite("Rows that stand in the form itself")
struct InitialRowTests {
    /// Two pumps, the second with a seal; new ones are of kind `gear`.
    private static var parts: FormParts {
        get throws {
            let seal = Repetition(
                path: "pump/seal",
                items: [
                    .question(Question(path: "pump/seal/state", label: "State", type: .barcode))
                ])
            var kind = Question(path: "pump/kind", label: "Kind", type: .text(multiline: false))
            kind.initial = "gear"
            let pump = Repetition(
                path: "pump",
                items: [
                    .question(
                        Question(path: "pump/tag", label: "Tag", type: .text(multiline: false))),
                    .question(kind),
                    .question(Question(path: "pump/psi", label: "Psi", type: .decimal)),
                    .question(Question(path: "pump/seen", label: "Seen", type: .barcode)),
                    .repetition(seal),
                ])
            var parts = FormParts(id: "round", version: "1", title: "Round")
            parts.sections = [
                Section(name: "s1", text: FormText("Pumps"), items: [.repetition(pump)])
            ]
            parts.rows = [
                InitialRow(path: "pump", values: ["pump/tag": "P-1", "pump/psi": "12.50"]),
                InitialRow(path: "pump", values: ["pump/tag": "P-2", "pump/kind": "screw"]),
                InitialRow(path: "pump/seal", parent: 1, values: ["pump/seal/state": "new"]),
            ]
            parts.actions = [
                FormAction(events: [.firstLoad], target: "pump/seen", value: .literal("first")),
                FormAction(events: [.newRepeat], target: "pump/seen", value: .literal("added")),
            ]
            return parts
        }
    }

    @Test("are laid down when an inspection begins, with their values and no defaults")
    func begin() throws {
        var filling = FormFilling(
            try FormDefinition(try Self.parts), in: .looking(at: 0))
        let changed = filling.begin(newID: rowIDs())
        #expect(
            filling.answers.rows == [
                .init(
                    id: "new-1", path: "pump",
                    fields: [
                        "pump/tag": .string("P-1"), "pump/psi": .double(12.5),
                        "pump/seen": .string("first"),
                    ]),
                .init(
                    id: "new-2", path: "pump",
                    fields: [
                        "pump/tag": .string("P-2"), "pump/kind": .string("screw"),
                        "pump/seen": .string("first"),
                    ]),
                .init(
                    id: "new-3", parent: "new-2", path: "pump/seal",
                    fields: ["pump/seal/state": .string("new")]),
            ])
        #expect(changed.contains(AnswerKey(row: "new-3", "pump/seal/state")))
        _ = filling.add(FormAnswers.Row(id: "own", path: "pump"))
        #expect(filling.value(of: AnswerKey(row: "own", "pump/kind")) == .string("gear"))
        #expect(filling.value(of: AnswerKey(row: "own", "pump/seen")) == .string("added"))
    }

    @Test("read back as they were written")
    func coding() throws {
        let form = try FormDefinition(try Self.parts)
        let again = try FormDefinition(json: JSON.parse(form.json.serialized()))
        #expect(again == form && again.parts.rows.count == 3)
    }

    @Test(
        "that stand where their repeat does not, or answer what it does not ask, are refused",
        arguments: [
            (InitialRow(path: "door"), "rows[3].repeat"),
            (InitialRow(path: "pump/seal"), "rows[3]"),
            (InitialRow(path: "pump", parent: 0), "rows[3]"),
            (InitialRow(path: "pump/seal", parent: 2), "rows[3]"),
            (InitialRow(path: "pump/seal", parent: 3), "rows[3].in"),
            (InitialRow(path: "pump/seal", parent: -1), "rows[3].in"),
            (InitialRow(path: "pump", values: ["pump/seal/state": "x"]), "rows[3].values"),
        ])
    func refused(row: InitialRow, place: String) throws {
        var parts = try Self.parts
        parts.rows.append(row)
        do throws(FormError) {
            _ = try FormDefinition(parts)
            Issue.record("nothing was refused")
        } catch {
            #expect(error.place == place)
        }
        parts.rows = Array(repeating: InitialRow(path: "pump"), count: 501)
        #expect(throws: FormError.self) { try FormDefinition(parts) }
    }
}
