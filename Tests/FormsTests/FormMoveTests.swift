import Coding
import Forms
import Testing

/// What a move to another version does to answers; nothing of it loses one.
@Suite("Moving to another version")
struct FormMoveTests {
    private static func text(_ path: String, _ label: String) -> Question {
        Question(path: path, label: label, type: .text(multiline: false))
    }

    private static func reckoned(_ path: String, _ expression: String) throws -> Question {
        var question = Question(path: path, label: path, type: .decimal, merge: "lww")
        question.isHidden = true
        question.rules.calculate = try FormExpression(expression)
        return question
    }

    private static func rows(_ path: String, _ questions: [Question]) -> FormItem {
        .repetition(Repetition(path: path, items: questions.map { .question($0) }))
    }

    /// The version with the fault in it.
    static func old() throws -> FormDefinition {
        var parts = FormParts(id: "round", version: "1", title: "Round")
        parts.sections = [
            Section(
                name: "main", text: FormText("Main"),
                items: [
                    .question(text("site", "Site")), .question(text("remarks", "Notes")),
                    .question(Question(path: "psi", label: "Pressure", type: .decimal)),
                    .question(Question(path: "doors", label: "Doors", type: .integer)),
                    rows("pump", [text("pump/tag", "Tag"), text("pump/oil", "Oil")]),
                    rows("valve", [text("valve/tag", "Tag")]),
                ])
        ]
        parts.hidden = [try reckoned("total", "/data/doors * 2")]
        return try FormDefinition(parts)
    }

    static func new() throws -> FormDefinition {
        var shift = text("shift", "Shift")
        shift.initial = "day"
        var seal = Question(path: "seal", label: "Seal", type: .verdict)
        seal.rules.required = .always
        var psi = Question(path: "psi", label: "Pressure", type: .decimal, unit: "psi")
        psi.limits.hardMaximum = 150
        var parts = FormParts(id: "round", version: "2", title: "Round")
        parts.sections = [
            Section(
                name: "main", text: FormText("Main"),
                items: [
                    .question(text("site", "Site")), .question(text("notes", "Notes")),
                    .question(psi),
                    .question(Question(path: "doors", label: "Doors", type: .decimal)),
                    .question(shift), .question(seal),
                    rows("pump", [text("pump/tag", "Tag"), text("pump/seal", "Seal")]),
                ])
        ]
        parts.hidden = [try reckoned("total", "/data/doors * 3")]
        return try FormDefinition(parts)
    }

    private static var answers: FormAnswers {
        FormAnswers(
            [
                "site": .string("Pier 4"), "remarks": .string("hums"), "psi": .integer(160),
                "doors": .integer(4), "total": .integer(8),
            ],
            rows: [
                FormAnswers.Row(
                    id: "p", path: "pump",
                    fields: ["pump/tag": .string("P-1"), "pump/oil": .string("low")]),
                FormAnswers.Row(id: "v", path: "valve", fields: ["valve/tag": .string("V-1")]),
            ])
    }

    private static func move(
        _ answers: FormAnswers, _ from: FormDefinition, _ to: FormDefinition, begun: Bool = true
    ) -> FormMove {
        FormMove(
            FormFilling(from, answers: answers, in: .looking(at: 0)), to: to, hasBegun: begun,
            laidID: { "laid \($0)" }, countedID: { "\($0.path) \($1)" })
    }

    @Test("F37 each answer is told what becomes of it, and none of them goes")
    func fates() throws {
        let move = Self.move(Self.answers, try Self.old(), try Self.new())
        let fates = Dictionary(
            uniqueKeysWithValues: move.answers.map { ($0.address, $0.fate) })
        #expect(
            fates == [
                "site": .kept, "remarks": .gone(renamed: "notes"),
                "psi": .misfit(.aboveMaximum(150)),
                "doors": .retyped(from: "integer", to: "decimal"), "total": .reckoned(.integer(12)),
                "pump[1]/tag": .kept, "pump[1]/oil": .gone(renamed: nil),
                "valve[1]/tag": .gone(renamed: nil),
            ])
        #expect(move.from == "1" && move.to == "2")
        #expect(move.added.map(\.path) == ["notes", "shift", "seal", "pump/seal"])
        #expect(move.required == ["seal"])
        for (path, value) in Self.answers.fields where path != "total" {
            #expect(move.filling.answers.fields[path] == value)
        }
        #expect(move.filling.answers.rows == Self.answers.rows)
        #expect(move.filling.value(of: AnswerKey("total")) == .integer(12))
        #expect(move.filling.value(of: AnswerKey("shift")) == .string("day"))
        #expect(
            move.filling.orphans == [
                AnswerKey("remarks"), AnswerKey(row: "p", "pump/oil"),
                AnswerKey(row: "v", "valve/tag"),
            ])
        #expect(move.filling.hasPlace(forRow: "p") && !move.filling.hasPlace(forRow: "v"))
    }

    @Test("F37 moving back makes orphans answers again, and leaves nothing behind but new defaults")
    func back() throws {
        let there = Self.move(Self.answers, try Self.old(), try Self.new())
        let back = Self.move(there.filling.answers, try Self.new(), try Self.old())
        let fates = Dictionary(uniqueKeysWithValues: back.answers.map { ($0.address, $0.fate) })
        #expect(fates["remarks"] == .back && fates["valve[1]/tag"] == .back)
        #expect(!back.added.contains { $0.path == "remarks" || $0.path == "valve/tag" })
        #expect(fates["shift"] == .gone(renamed: nil))
        #expect(back.filling.value(of: AnswerKey("total")) == .integer(8))
        #expect(back.filling.orphans == [AnswerKey("shift")])
        var answers = back.filling.answers
        answers.fields["shift"] = nil
        #expect(answers == Self.answers)
    }

    @Test("F37 what a version sets and lays down at its beginning it does not do over what stands")
    func standing() throws {
        var parts = try Self.old().parts
        parts.rows = [InitialRow(path: "valve")]
        parts.actions = [
            FormAction(events: [.firstLoad], target: "remarks", value: .literal("nothing said"))
        ]
        let old = try FormDefinition(parts)
        let there = Self.move(Self.answers, old, try Self.new())
        let back = Self.move(there.filling.answers, try Self.new(), old)
        #expect(back.filling.answers.fields["remarks"] == .string("hums"))
        #expect(back.filling.answers.rows == Self.answers.rows)
        // Where nothing stands, both are done.
        let fresh = Self.move(FormAnswers(["site": .string("Pier 4")]), try Self.new(), old)
        #expect(fresh.filling.answers.fields["remarks"] == .string("nothing said"))
        #expect(fresh.filling.answers.rows.map(\.id) == ["laid 1"])
    }

    @Test("before anybody has answered anything a move lays down nothing")
    func unbegun() throws {
        let move = Self.move(FormAnswers(), try Self.old(), try Self.new(), begun: false)
        #expect(move.answers.isEmpty && move.filling.answers.fields["shift"] == nil)
    }

    @Test(
        "the newest of several versions is the one that people count as such",
        arguments: [
            ("9", "10"), ("2.9", "2.10"), ("2026-09-30", "2026-10-01"), ("v2", "v10"),
            ("1", "1.1"), ("2026100101", "2026100102"), ("1", "v1"), ("007", "8"),
        ])
    func versions(older: String, newer: String) {
        #expect(FormVersion.precedes(older, newer) && !FormVersion.precedes(newer, older))
        #expect(!FormVersion.precedes(older, older))
    }
}
