import Coding
import Forms
import Inspections
import Replication
import Testing

@testable import LocalStore

/// F37: what another version of the form finds in the answers that stand, and asks of rows that stand.
@Suite("What a move to another version finds")
struct MoveFindingTests {
    private let device: Device
    private let id: RecordID
    private let row: String

    init() throws {
        device = try Device()
        for version in ["1", "2"] { try device.store.store(form: try Self.form(version)) }
        id = try device.store.createInspection(form: "round", version: "1", asset: nil)
        row = try device.addRow(to: id, ("door/tag", "P-1"), ("door/seal", "fail"))
        try device.answer(id, ("seals", "fail"), ("hatch", "fail"))
    }

    /// Version 1 finds a broken hatch. Version 2 does not any more, but what is wrong with seals, and it asks
    /// for the unit and the state of pumps, with defaults.
    private static func form(_ version: String) throws -> FormDefinition {
        let isOld = version == "1"
        let verdict = { (path: String, finds: Bool) in
            Question(path: path, label: path, type: .verdict, findingOnFail: finds)
        }
        let text = { (path: String) in
            Question(path: path, label: path, type: .text(multiline: false))
        }
        var unit = text("door/unit")
        unit.initial = "bar"
        var state = verdict("door/state", true)
        state.initial = "fail"
        let pump =
            [text("door/tag"), verdict("door/seal", !isOld)]
            + (isOld ? [] : [unit, state, text("door/made")])
        var parts = FormParts(id: "round", version: version, title: "Round")
        parts.sections = [
            Section(
                name: "main", text: FormText("Main"),
                items: [
                    .question(verdict("seals", !isOld)), .question(verdict("hatch", isOld)),
                ] + (isOld ? [.question(verdict("latch", true))] : []) + [
                    .repetition(Repetition(path: "door", items: pump.map { .question($0) }))
                ])
        ]
        if !isOld {
            parts.actions = [
                FormAction(
                    events: [.newRepeat], target: "door/made", value: .literal("new"))
            ]
        }
        return try FormDefinition(parts)
    }

    @Test("F37 what fails first by the new version's rules is found with the move, and once")
    func raised() throws {
        #expect(try device.found(in: id) == ["hatch major pending pending"])
        try device.store.move(id)
        let found = [
            "seals major pending pending", "hatch major pending pending",
            "door[1]/seal major pending pending", "door[1]/state major pending pending",
        ]
        #expect(try device.found(in: id) == found)
        // There and back: nothing ended to fail, and nothing is found twice.
        try device.store.move(id, to: "1")
        try device.store.move(id, to: "2")
        #expect(try Set(device.found(in: id)) == Set(found))
        let seals = try #require(try device.store.inspection(id).findings.first?.view.id)
        try device.store.changeFinding(seals, by: [.status(.closed)])
        try device.store.move(id, to: "1")
        try device.store.move(id, to: "2")
        #expect(try device.found(in: id).count == found.count)
        try device.finish()
    }

    @Test("F37 a grave finding on a question that is gone has to say what is wrong all the same")
    func gone() throws {
        let finding = try device.store.raiseFinding(
            on: AnswerKey("latch"), of: id, [.severity(.critical)])
        try device.store.move(id)
        #expect(
            try device.store.filling(of: id).state.problems == [
                FormProblem(path: "latch", problem: .unexplainedFinding)
            ])
        try device.store.changeFinding(finding, by: [.note("torn off")])
        #expect(try device.store.filling(of: id).state.problems == [])
        try device.store.removeFinding(finding)
        try device.finish()
    }

    @Test("F37 a question that is new gets its default in the rows that stand, and over no answer")
    func defaults() throws {
        try device.store.move(id)
        #expect(try device.value("door/unit", of: RecordID(row)) == "bar")
        #expect(try device.value("door/made", of: RecordID(row)) == "new")
        #expect(try device.value("door/tag", of: RecordID(row)) == "P-1")
        try device.store.change(
            id, by: [.answer(AnswerKey(row: row, "door/unit"), .string("psi"))])
        try device.store.move(id, to: "1")
        try device.store.move(id, to: "2")
        #expect(try device.value("door/unit", of: RecordID(row)) == "psi")
        try device.finish()
    }
}
