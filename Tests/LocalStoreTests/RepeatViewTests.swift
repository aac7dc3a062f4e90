import Coding
import Forms
import Replication
import SQLite
import Testing

@testable import LocalStore

@Suite("SQL on rows of repeats")
struct RepeatViewTests {
    private func rows(_ statement: String, of device: Device) throws -> [[DatabaseValue]] {
        try device.store.sql(statement, write: false).rows
    }

    @Test("M05 a form's view has its questions by their names, those too that the form works out")
    func formView() throws {
        let (device, id) = try Device.withRound()
        try device.addRow(to: id, ("door/gap", .integer(3)))
        try device.answer(id, ("psi", .integer(40)))
        let other = try device.newRound()
        try device.answer(other, ("psi", .integer(60)))
        #expect(try rows("SELECT avg(psi) FROM round", of: device) == [[.real(50)]])
        #expect(
            try rows("SELECT total, instanceID FROM round WHERE id = '\(id)'", of: device)
                == [[.integer(3), .text("uuid:" + id.rawValue)]])
        try device.finish()
    }

    @Test("A repeat's view reads like a table, with the inspection, the row around and the place")
    func repeatView() throws {
        let (device, id) = try Device.withRound()
        let first = try device.addRow(to: id, ("door/tag", "D-1"), ("door/gap", .integer(3)))
        let second = try device.addRow(to: id, ("door/tag", "D-2"))
        let hinge = try device.addRow(
            "door/hinge", in: second, to: id, ("door/hinge/play", .double(0.5)))
        #expect(
            try rows(
                "SELECT id, inspection, parent, position, tag, gap, half FROM round__door"
                    + " ORDER BY position", of: device) == [
                    [
                        .text(first), .text(id.rawValue), .null, .integer(1), "D-1", .integer(3),
                        .real(1.5),
                    ],
                    [.text(second), .text(id.rawValue), .null, .integer(2), "D-2", .null, .null],
                ])
        #expect(
            try rows("SELECT * FROM round__door_hinge", of: device) == [
                [.text(hinge), .text(id.rawValue), .text(second), .integer(1), .real(0.5)]
            ])
        try device.finish()
    }

    @Test("What is written through a repeat's view is captured and refused like a key press")
    func writes() throws {
        let (device, id) = try Device.withRound()
        func run(_ statement: String) throws { _ = try device.store.sql(statement, write: true) }
        try run("INSERT INTO round__door (inspection, tag, gap) VALUES ('\(id)', 'D-1', 2)")
        try run("INSERT INTO round__door (id, inspection, tag) VALUES ('two', '\(id)', 'D-2')")
        try run("INSERT INTO round__door_hinge (parent, play) VALUES ('two', 1)")
        #expect(try device.column("door/tag", of: id) == ["D-1", "D-2"])
        try run("UPDATE round__door SET gap = 4 WHERE tag = 'D-2'")
        try run("DELETE FROM round__door WHERE tag = 'D-1'")
        #expect(try device.column("door/gap", of: id) == [.integer(4)])
        #expect(
            try device.queue("two") == [
                """
                INSERT PENDING @form=round on -@0 @formVersion=1 on -@0 @order=2 on -@0 \
                @repeat=door on -@0 door/gap=4 on -@0 door/tag=D-2 on -@0
                """
            ])
        for (statement, refusal) in [
            ("UPDATE round__door SET gap = 51", Refusal.limit),
            ("UPDATE round__door SET seal = 'none'", .choice),
            ("UPDATE round__door SET position = 7", .key),
            ("INSERT INTO round__door (inspection) VALUES ('nowhere')", .row),
            ("INSERT INTO round__door_hinge (parent) VALUES ('\(id)')", .row),
            ("UPDATE field SET value = 'x' WHERE name = '@repeat' AND record_id = 'two'", .key),
            ("INSERT INTO field (record_id, name, value) VALUES ('two', 'site', 'x')", .question),
            (
                "INSERT INTO field (record_id, name, value) VALUES ('\(id)', 'door/tag', 'x')",
                .question
            ),
        ] {
            #expect(throws: StoreError.refused(refusal, field: nil), "\(statement)") {
                try run(statement)
            }
        }
        // The form's own sums follow with the next answer.
        try device.answer(id, ("site", "Pier 4"))
        #expect(try device.value("total", of: id) == .integer(4))
        try device.finish()
    }

    @Test(
        "The database holds what the types of a form's questions say",
        arguments: [
            ("seen_by", "anna dora", Refusal.choice), ("seen_by", "anna anna", .choice),
            ("seen_by", " anna", .choice), ("seen_by", "", .choice), ("at", "25:00", .type),
            ("when", "2026-03-14", .type), ("where", "north", .type), ("agreed", "no", .type),
            ("town", "nowhere", .choice),
        ])
    func types(question: String, text: String, refusal: Refusal) throws {
        let (device, id) = try Device.withRound()
        #expect(throws: StoreError.refused(refusal, field: question)) {
            try device.store.set([(question, .string(text))], on: id)
        }
        try device.finish()
    }

    @Test(
        "And takes what they allow",
        arguments: [
            ("seen_by", "anna"), ("seen_by", "cleo anna"), ("at", "14:00:00"),
            ("when", "2026-03-14T09:30:00.000+01:00"), ("where", "52.1 4.3 0 12"),
            ("agreed", "OK"), ("town", "south1"),
        ])
    func allowed(question: String, text: String) throws {
        let (device, id) = try Device.withRound()
        try device.store.set([(question, .string(text))], on: id)
        #expect(try device.value(question, of: id) == .string(text))
        try device.finish()
    }

    @Test("A repeat's view gives its name up to a form that is called so")
    func names() throws {
        let (device, id) = try Device.withRound()
        try device.addRow(to: id, ("door/tag", "D-1"))
        try device.store.store(
            form: FormDefinition(
                id: "round__door", version: "1", title: "Odd",
                sections: [
                    Section(
                        name: "main", title: "Main",
                        questions: [Question(path: "colour", label: "Colour", type: .integer)])
                ]))
        #expect(try rows("SELECT colour FROM round__door", of: device) == [])
        #expect(try rows("SELECT tag FROM round__door_2", of: device) == [["D-1"]])
        try device.finish()
    }
}
