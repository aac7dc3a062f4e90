import Coding
import Forms
import Inspections
import Replication
import SQLite
import ServerStore
import TestSupport
import Testing

@Suite("The views that others read the server's database by")
struct FormViewTests {
    /// What a program of the operator's own reads.
    private func rows(_ yard: Yard, _ sql: String) throws -> [[DatabaseValue]] {
        let connection = try Connection.open(yard.folder.file("server.db"), mode: .readOnly)
        let rows = try connection.query(sql, [], \.values)
        try connection.close()
        return rows
    }

    @Test("an average over a form is one line of SQL")
    func average() throws {
        let yard = try Yard(.sqlite)
        let device = try yard.enrol("a")
        try device.pull()
        try device.push(
            (1...3).map { number in
                device.begin(
                    RecordID("i\(number)"), asset: ImportedID.asset("A1"),
                    ["pressure": .integer(Int64(number * 10))])
            })
        #expect(try rows(yard, "SELECT avg(pressure) FROM cold") == [[.real(20)]])
        try device.pull()
        try device.push(device.delete("i1"))
        #expect(try rows(yard, "SELECT avg(pressure) FROM cold") == [[.real(25)]])
        #expect(
            try rows(yard, #"SELECT DISTINCT "@asset", "@formVersion", notes FROM COLD"#)
                == [[.text("RT-1"), .text("1"), .null]])
    }

    @Test("the rows of a repeat stand in a view of their own, each with its place")
    func repeats() throws {
        let (yard, id, first, _) = try Yard.pair(.sqlite)
        try first.push(
            first.row("r2", under: id, order: 1, ["x": .integer(2)]),
            first.row("r1", under: id, order: 2, ["x": .integer(4)]),
            first.row("p1", of: "part/piece", under: "r1", order: 1, ["text": .string("a")]),
            first.row("p2", of: "part/piece", under: "r2", order: 1, ["text": .string("b")]))
        let own = try rows(
            yard, #"SELECT inspection, position, x FROM cold__part ORDER BY position"#)
        let inspection = DatabaseValue.text(id.rawValue)
        #expect(
            own == [
                [inspection, .integer(1), .integer(2)], [inspection, .integer(2), .integer(4)],
            ])
        let nested =
            #"SELECT inspection, parent, text FROM cold__part_piece ORDER BY id"#
        #expect(
            try rows(yard, nested) == [
                [inspection, .text("r1"), .text("a")], [inspection, .text("r2"), .text("b")],
            ])
        try first.pull()
        try first.push(first.delete("r1"))
        #expect(try rows(yard, nested).count == 1, "what stands in a deleted row went with it")
        try first.push(first.delete(id))
        #expect(try rows(yard, nested).isEmpty && rows(yard, "SELECT * FROM cold__part").isEmpty)
    }

    @Test("F39 the view holds the questions of all versions")
    func versions() throws {
        let (yard, id, first, _) = try Yard.pair(.sqlite)
        try first.push(first.change(id, ["notes": .string("old"), "high": .integer(1)]))
        var parts = try Yard.form(version: "2").parts
        parts.sections[0].items.removeFirst()
        parts.sections[0].items.append(
            .question(Question(path: "remarks", label: "Remarks", type: .text(multiline: true))))
        try yard.store.publish(FormDefinition(parts))
        #expect(
            try rows(yard, "SELECT notes, remarks, high FROM cold")
                == [[.text("old"), .null, .integer(1)]])
    }

    @Test("names that collide or are odd have a view each, whatever the order of publishing")
    func names() throws {
        let ids = ["Record", "sqlite_x", "two-day.round", "cold__part", "form_record", "Form"]
        for order in [ids, ids.reversed()] {
            let yard = try Yard(.sqlite)
            for id in order {
                var parts = FormParts(id: id, version: "1", title: "T")
                parts.sections = [
                    Section(
                        name: "s", title: "S",
                        questions: ["id", "ID", "@x", "_x"].filter { Question.mayBeCalled($0) }.map
                        {
                            Question(path: $0, label: "Q", type: .text(multiline: false))
                        })
                ]
                try yard.store.publish(FormDefinition(parts))
            }
            let views = try rows(yard, "SELECT name FROM sqlite_master WHERE type = 'view'")
            #expect(
                Set(views) == [
                    [.text("cold")], [.text("cold__part")], [.text("cold__part_2")],
                    [.text("cold__part_piece")], [.text("cold__part_piece_chip")],
                    [.text("form_record")], [.text("form_Record_2")], [.text("form_sqlite_x")],
                    [.text("two-day.round")], [.text("form_Form")],
                ])
            #expect(try rows(yard, #"SELECT id_, ID__, _x FROM "two-day.round""#).isEmpty)
        }
    }

    @Test("a view that somebody else made stays, and ours are made again where they are gone")
    func renewed() throws {
        let yard = try Yard(.sqlite)
        try yard.alter { connection in
            try connection.execute("CREATE VIEW mine AS SELECT 1 AS one")
            try connection.execute("DROP VIEW cold")
            try connection.execute("UPDATE identity SET value = 0 WHERE name = 'views'")
        }
        #expect(try rows(yard, "SELECT one FROM mine") == [[.integer(1)]])
        #expect(try rows(yard, "SELECT notes FROM cold").isEmpty)
        try yard.store.publish(try Yard.form(version: "2"))
        #expect(try rows(yard, "SELECT one FROM mine") == [[.integer(1)]])
    }

    @Test("a form with more questions than SQL has columns has a view of the first")
    func wide() throws {
        let yard = try Yard(.sqlite)
        let questions = (0..<2_500).map {
            Question(path: "q\($0)", label: "Q", type: .integer)
        }
        try yard.store.publish(
            FormDefinition(
                id: "wide", version: "1", title: "Wide",
                sections: [Section(name: "s", title: "S", questions: questions)]))
        #expect(try rows(yard, "SELECT q0, q1800 FROM wide").isEmpty)
    }
}
