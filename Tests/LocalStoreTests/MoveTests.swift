import Coding
import Forms
import Inspections
import Replication
import SQLite
import Testing

@testable import LocalStore

/// F37: an inspection that cannot be finished by its version of the form goes on in another one.
struct MoveTests {
    private let device: Device
    private let server = StoryServer()
    private let id: RecordID
    private let pump: String
    private let valve: String

    init() throws {
        device = try Device()
        server.policies = ["total": .lww]
        for form in [try Self.form("1"), try Self.form("2")] { try device.store.store(form: form) }
        id = try device.store.createInspection(form: "round", version: "1", asset: nil)
        (pump, valve) = (device.store.newRowID(), device.store.newRowID())
        try device.store.change(
            id,
            by: [
                .answer(AnswerKey("site"), .string("Pier 4")),
                .answer(AnswerKey("remarks"), .string("hums")),
                .answer(AnswerKey("doors"), .integer(4)),
                .add(row: pump, path: "pump", parent: nil),
                .answer(AnswerKey(row: pump, "pump/tag"), .string("P-1")),
                .add(row: valve, path: "valve", parent: nil),
                .answer(AnswerKey(row: valve, "valve/tag"), .string("V-1")),
            ])
    }

    /// Version 1 asks for remarks and valves, version 2 for notes, with a default, and for the pumps' oil.
    private static func form(_ version: String) throws -> FormDefinition {
        let text = { (path: String) in
            Question(path: path, label: path, type: .text(multiline: false))
        }
        var notes = text("notes")
        notes.initial = "none"
        var total = Question(path: "total", label: "total", type: .decimal, merge: "lww")
        total.isHidden = true
        total.rules.calculate = try FormExpression("/data/doors * \(version)")
        let isOld = version == "1"
        let rows = { (path: String, names: [String]) in
            FormItem.repetition(
                Repetition(path: path, items: names.map { .question(text("\(path)/\($0)")) }))
        }
        var parts = FormParts(id: "round", version: version, title: "Round")
        parts.sections = [
            Section(
                name: "main", text: FormText("Main"),
                items: [
                    .question(text("site")), .question(isOld ? text("remarks") : notes),
                    .question(Question(path: "doors", label: "Doors", type: .integer)),
                    rows("pump", isOld ? ["tag"] : ["tag", "oil"]),
                ] + (isOld ? [rows("valve", ["tag"])] : []))
        ]
        parts.hidden = [total]
        return try FormDefinition(parts)
    }

    private func version(_ record: RecordID) throws -> FieldValue {
        try device.value("@formVersion", of: record)
    }

    @Test("F37 what was typed at a question that the version drops is told until it comes back")
    func strandedDraft() throws {
        try device.store.saveDraft("hums when", of: "remarks", in: id)
        try device.store.saveDraft("V-", of: "valve/tag", in: RecordID(valve))
        try device.store.saveDraft("P-", of: "pump/tag", in: RecordID(pump))
        #expect(try device.store.strandedDrafts() == [])
        try device.store.move(id)
        let stranded = try device.store.strandedDrafts()
        #expect(Set(stranded.map(\.draft.text)) == ["hums when", "V-"])
        #expect(stranded.allSatisfy { $0.inspection == id && $0.reason == .notAsked })
        #expect(try device.store.status().strandedDrafts == 2)
        try device.store.discardDraft(of: "valve/tag", in: RecordID(valve))
        try device.store.move(id, to: "1")
        #expect(try device.store.strandedDrafts() == [])
        #expect(try device.store.drafts(in: id).map(\.text) == ["hums when"])
        try device.finish()
    }

    @Test("F37 a look beforehand says what a move does, and writes nothing")
    func dryRun() throws {
        let before = try (device.queue(id), device.store.status())
        let move = try device.store.plannedMove(of: id)
        #expect(move.to == "2")
        #expect(Set(move.orphans.map(\.address)) == ["remarks", "valve[1]/tag"])
        #expect(try device.queue(id) == before.0)
        #expect(try device.store.status() == before.1)
        #expect(try version(id) == .string("1"))
        #expect(try device.store.newerVersion(for: id) == "2")
        try device.finish()
    }

    @Test(
        "F37 a draft moves to version 2 with its data; what that does not ask for stays",
        arguments: [false, true])
    func moves(isSent: Bool) throws {
        if isSent { try device.sync(server) }
        try device.store.move(id)
        #expect(try version(id) == .string("2") && version(RecordID(pump)) == .string("2"))
        #expect(try version(RecordID(valve)) == .string("1"), "version 2 has no place for it")
        #expect(try device.value("remarks", of: id) == .string("hums"))
        #expect(try device.value("total", of: id) == .integer(8))
        #expect(try device.value("notes", of: id) == .string("none"))
        let filling = try device.store.filling(of: id)
        #expect(
            filling.orphans == [AnswerKey("remarks"), AnswerKey(row: valve, "valve/tag")])
        #expect(try device.store.newerVersion(for: id) == nil)
        try device.store.change(
            id, by: [.answer(AnswerKey(row: pump, "pump/oil"), .string("low"))])
        #expect(throws: AnswerRefusal.self) {
            try device.store.change(id, by: [.answer(AnswerKey("remarks"), .string("x"))])
        }
        try device.sync(server)
        #expect(server.records[id]?.fields["@formVersion"]?.value == .string("2"))
        #expect(server.records[id]?.fields["remarks"]?.value == .string("hums"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("F37 the move is a mutation of its own, behind what was entered before it")
    func queue() throws {
        try device.sync(server)
        try device.store.change(id, by: [.answer(AnswerKey("remarks"), .string("drips"))])
        try device.store.move(id, to: "2")
        try device.store.change(id, by: [.answer(AnswerKey("notes"), .string("new"))])
        #expect(
            try device.queue(id) == [
                "UPDATE PENDING remarks=drips on hums@1",
                "UPDATE PENDING @formVersion=2 on 1@1 notes=new on -@0 total=8 on 4@1",
            ])
        try device.store.move(id, to: "1")
        #expect(
            try device.queue(id) == [
                "UPDATE PENDING remarks=drips on hums@1", "UPDATE PENDING notes=new on -@0",
            ],
            "back before it was sent, nothing of the move is left but what was entered in between")
        #expect(try device.value("total", of: id) == .integer(4))
        #expect(try device.store.filling(of: id).orphans == [AnswerKey("notes")])
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("F37 another device's edit on the old version comes in after the move, as an orphan")
    func concurrentEdit() throws {
        try device.sync(server)
        try device.store.move(id)
        try device.store.change(id, by: [.answer(AnswerKey("site"), .string("Pier 5"))])
        server.edit(id, ["remarks": .string("theirs"), "doors": .integer(6)])
        let row: RecordID = "their-pump"
        server.edit(
            row,
            [
                "@form": .string("round"), "@formVersion": .string("1"),
                "@repeat": .string("pump"), "@order": .integer(2), "pump/tag": .string("P-2"),
            ], table: RecordTable.repetition, parent: id)
        try device.sync(server)
        #expect(try device.store.conflicts().isEmpty)
        #expect(try device.value("remarks", of: id) == .string("theirs"))
        #expect(try device.value("doors", of: id) == .integer(6))
        #expect(try version(row) == .string("1"))
        try device.store.change(
            id, by: [.answer(AnswerKey(row: row.rawValue, "pump/oil"), .string("full"))])
        #expect(
            try version(row) == .string("2"), "a row follows its inspection when it is answered")
        #expect(try device.value("total", of: id) == .integer(12))
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what is closed, not here or the same version is not moved")
    func refusals() throws {
        #expect(throws: MoveRefusal.isThere(version: "1")) { try device.store.move(id, to: "1") }
        #expect(throws: StoreError.unknownForm(id: "round", version: "3")) {
            try device.store.move(id, to: "3")
        }
        #expect(throws: StoreError.unknownRecord("none")) { try device.store.move("none") }
        try device.store.setState("closed", ofForm: "round", version: "2")
        #expect(try device.store.newerVersion(for: id) == nil)
        #expect(throws: MoveRefusal.isThere(version: "1")) { try device.store.move(id) }
        try device.store.setState("closed", ofForm: "round", version: "1")
        #expect(throws: MoveRefusal.noOpenVersion) { try device.store.plannedMove(of: id) }
        try device.store.complete(id)
        #expect(throws: StoreError.refused(.complete, field: nil)) {
            try device.store.move(id, to: "2")
        }
        try device.sync(server)
        server.edit(id, ["@state": .string("approved")])
        try device.sync(server)
        #expect(throws: StoreError.refused(.approved, field: nil)) {
            try device.store.plannedMove(of: id, to: "2")
        }
        try device.finish()
    }

    @Test("no statement of a person moves an inspection: its rows and reckonings would stay behind")
    func bySQL() throws {
        for sql in [
            "UPDATE round SET \"@formVersion\" = '2'",
            "UPDATE field SET value = '2' WHERE name = '@formVersion'",
        ] {
            #expect(throws: StoreError.self) { _ = try device.store.sql(sql, write: true) }
        }
        #expect(try version(id) == .string("1"))
        try device.finish()
    }

    @Test("an assigned inspection that nobody has begun moves and stays assigned")
    func assigned() throws {
        let assigned: RecordID = "assigned"
        server.edit(
            assigned,
            [
                "@form": .string("round"), "@formVersion": .string("1"),
                "@state": .string("assigned"),
            ])
        try device.sync(server)
        try device.store.move(assigned)
        #expect(
            try device.queue(assigned) == ["UPDATE PENDING @formVersion=2 on 1@1"])
        try device.finish()
    }
}
