import Coding
import Forms
import Replication
import SQLite
import Testing

@testable import LocalStore

@Suite("SQL on a form that was changed at noon")
struct VersionViewTests {
    /// In the morning rounds ask for `shift` and for the gap of each door; from noon on for `crew`
    /// instead, and doors have no gap but a colour, and stand in halls.
    private static var noon: FormDefinition {
        get throws {
            var parts = try RoundForm.form.parts
            parts.version = "2"
            let crew = Question(path: "crew", label: "Crew", type: .text(multiline: false))
            let main = parts.sections[0].items.map { item in
                if case .question(let question) = item, question.path == "shift" {
                    return FormItem.question(crew)
                }
                return item
            }
            parts.sections[0].items = main
            let colour = Question(
                path: "hall/door/colour", label: "Colour", type: .text(multiline: false))
            let lamp = Question(path: "lamp/on", label: "On", type: .text(multiline: false))
            parts.sections[1].items = [
                .repetition(
                    Repetition(
                        path: "hall",
                        items: [
                            .question(
                                Question(
                                    path: "hall/name", label: "Name", type: .text(multiline: false))
                            ),
                            .repetition(
                                Repetition(path: "hall/door", items: [.question(colour)])),
                        ])),
                .repetition(Repetition(path: "lamp", items: [.question(lamp)])),
            ]
            parts.hidden = parts.hidden.filter { !$0.path.contains("door") && $0.name != "total" }
            parts.hidden.removeAll { $0.name == "doors" }
            return try FormDefinition(parts)
        }
    }

    private func rows(_ statement: String, of device: Device) throws -> [[DatabaseValue]] {
        try device.store.sql(statement, write: false).rows
    }

    private func write(_ statement: String, on device: Device) throws {
        _ = try device.store.sql(statement, write: true)
    }

    @Test(
        "F39 its views have the questions of both versions, whatever order they came in",
        arguments: [false, true])
    func union(isReversed: Bool) throws {
        let device = try Device()
        let versions = [try RoundForm.form, try Self.noon]
        for form in isReversed ? versions.reversed() : versions {
            try device.store.store(form: form)
        }
        let morning = try device.store.createInspection(form: "round", version: "1", asset: nil)
        let late = try device.store.createInspection(form: "round", version: "2", asset: nil)
        try device.answer(morning, ("shift", "night"))
        try device.answer(late, ("crew", "B"))
        let row = try device.addRow(to: morning, ("door/tag", "D-1"))
        let hall = try device.addRow("hall", to: late, ("hall/name", "North"))
        let door = try device.addRow("hall/door", in: hall, to: late, ("hall/door/colour", "red"))
        #expect(
            try rows("SELECT \"@formVersion\", shift, crew FROM round ORDER BY 1", of: device)
                == [["1", "night", .null], ["2", .null, "B"]])
        #expect(try rows("SELECT id, tag FROM round__door", of: device) == [[.text(row), "D-1"]])
        #expect(
            try rows("SELECT id, parent, colour FROM round__hall_door", of: device)
                == [[.text(door), .text(hall), "red"]])
        try device.finish()
    }

    @Test("What is written through them is held against the version of the record itself")
    func writes() throws {
        let device = try Device()
        try device.store.store(form: try RoundForm.form)
        let morning = try device.store.createInspection(form: "round", version: "1", asset: nil)
        try device.store.store(form: try Self.noon)
        try write("UPDATE round SET shift = 'late' WHERE id = '\(morning)'", on: device)
        #expect(try device.value("shift", of: morning) == "late")
        #expect(throws: StoreError.refused(.question, field: nil)) {
            try write("UPDATE round SET crew = 'A' WHERE id = '\(morning)'", on: device)
        }
        try write("INSERT INTO round (id, crew) VALUES ('new', 'C')", on: device)
        #expect(try device.value("@formVersion", of: "new") == "2")
        #expect(throws: StoreError.refused(.question, field: nil)) {
            try write("INSERT INTO round (shift) VALUES ('day')", on: device)
        }
        try write(
            "INSERT INTO round (id, \"@formVersion\", shift) VALUES ('old', '1', 'day')", on: device
        )
        #expect(try device.value("shift", of: "old") == "day")
        // Rows too: each version has its own.
        try write("INSERT INTO round__door (inspection, tag) VALUES ('old', 'D')", on: device)
        try write("INSERT INTO round__lamp (inspection, \"on\") VALUES ('new', 'yes')", on: device)
        for statement in [
            "INSERT INTO round__door (inspection, tag) VALUES ('new', 'D')",
            "INSERT INTO round__lamp (inspection, \"on\") VALUES ('old', 'yes')",
            "INSERT INTO round__lamp (inspection) VALUES ('old')",
        ] {
            #expect(throws: StoreError.refused(.row, field: nil)) {
                try write(statement, on: device)
            }
        }
        try device.finish()
    }

    @Test("Rows that stand elsewhere in a later version stay in the one view of their repeat")
    func moved() throws {
        let device = try Device()
        func form(_ version: String, hall: [FormItem]) throws -> FormDefinition {
            var parts = FormParts(id: "moved", version: version, title: "Moved")
            parts.sections = [Section(name: "s", text: FormText("S"), items: hall)]
            return try FormDefinition(parts)
        }
        let name = FormItem.question(
            Question(path: "hall/name", label: "Name", type: .text(multiline: false)))
        let doors = FormItem.repetition(
            Repetition(
                path: "hall/door",
                items: [
                    .question(
                        Question(path: "hall/door/tag", label: "Tag", type: .text(multiline: false))
                    )
                ]))
        try device.store.store(form: form("1", hall: [name, doors]))
        try device.store.store(
            form: form(
                "2", hall: [.repetition(Repetition(path: "hall", items: [name, doors]))]))
        let first = try device.store.createInspection(form: "moved", version: "1", asset: nil)
        let second = try device.store.createInspection(form: "moved", version: "2", asset: nil)
        let hall = try device.addRow("hall", to: second, ("hall/name", "North"))
        try write(
            "INSERT INTO moved__hall_door (inspection, tag) VALUES ('\(first)', 'a')", on: device)
        try write(
            "INSERT INTO moved__hall_door (parent, tag) VALUES ('\(hall)', 'b')", on: device)
        #expect(
            try rows(
                "SELECT inspection, parent, tag FROM moved__hall_door ORDER BY tag", of: device)
                == [
                    [.text(first.rawValue), .null, "a"],
                    [.text(second.rawValue), .text(hall), "b"],
                ])
        #expect(throws: StoreError.refused(.row, field: nil)) {
            try write(
                "INSERT INTO moved__hall_door (inspection, tag) VALUES ('\(second)', 'c')",
                on: device)
        }
        try device.finish()
    }
}
