import Coding
import Forms
import LocalStore
import Replication
import Testing

/// A form with rows, on a bench of its own.
struct RoundBench {
    let bench: StoreBench
    let id: String

    private static let form = """
        {"format": 2, "id": "round", "version": "1", "title": "Round", "sections": [
          {"name": "main", "title": "Main", "questions": [
            {"path": "site", "label": "Site", "type": "text", "required": true},
            {"path": "ok", "label": "All right?", "type": "choice", "choices": [
              {"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}]},
            {"path": "why", "label": "Why not", "type": "text", "required": true,
             "relevant": "/data/ok = 'no'"},
            {"path": "gauge", "label": "Gauge", "hint": "at the valve", "type": "decimal",
             "unit": "psi", "min": 0, "max": 500, "softMax": 300, "constraint": ". != 13",
             "constraintMessage": "not on a ship"},
            {"path": "sides", "label": "Sides", "type": "choices", "choices": [
              {"name": "l", "label": "Left"}, {"name": "r", "label": "Right"},
              {"name": "t", "label": "Top"}]},
            {"path": "begun", "label": "Begun", "type": "text", "initial": "today"},
            {"path": "pumps", "label": "Pumps", "type": "integer"}]},
          {"name": "doors", "title": "Doors", "questions": [
            {"begin": "repeat", "path": "door", "title": "Door"},
            {"path": "door/tag", "label": "Tag", "type": "text"},
            {"path": "door/gap", "label": "Gap", "type": "decimal", "min": 0, "max": 50},
            {"path": "door/seal", "label": "Seal", "type": "text", "required": true},
            {"end": "repeat"},
            {"begin": "repeat", "path": "pump", "title": "Pump", "count": "/data/pumps"},
            {"path": "pump/name", "label": "Name", "type": "text"},
            {"end": "repeat"}]}],
         "hidden": [{"path": "total", "label": "Total", "type": "decimal", "merge": "lww",
            "calculate": "sum(/data/door/gap)"}]}
        """

    init() throws {
        bench = try StoreBench()
        try bench.withStore { store in
            try store.store(form: FormDefinition(json: JSON.parse(Array(Self.form.utf8))))
        }
        id = try bench.document("new", "round").string("id")
    }

    func set(_ words: String...) throws -> Outcome { try bench.bench.run(["set", id] + words) }

    /// What a row's question says.
    func value(_ question: String, ofRow index: Int, in path: String = "door") throws -> JSON {
        let rows = try bench.document("show", id).object("repeats").elements(path)
        return try rows[index - 1].object("fields").member(question)?.member("value") ?? .null
    }

    func value(_ question: String) throws -> JSON {
        try bench.document("show", id).object("fields").member(question)?.member("value") ?? .null
    }
}

@Suite("Commands on rows of repeats")
struct RowCommandTests {
    private let round: RoundBench

    init() throws { round = try RoundBench() }

    @Test("a row is made, answered by its place, and shown with it")
    func rows() throws {
        #expect(try round.set("door[+]/tag=D-1", "door[+]/gap=2").status == 0)
        // Where there is one row only, the question's name suffices.
        #expect(try round.set("seal=good").status == 0)
        #expect(try round.set("door[+]/tag=D-2", "door[1]/gap=3").status == 0)
        #expect(try round.value("door/gap", ofRow: 1) == 3)
        #expect(try round.value("door/tag", ofRow: 2) == "D-2")
        #expect(try round.value("total") == 3)
        let rows = try round.bench.document("show", round.id).object("repeats").elements("door")
        #expect(try rows.map { try $0.integer("index") } == [1, 2])
        let text = try round.bench.run("show", round.id).output
        #expect(text.contains("door[2]/tag") && text.contains("door[1]/seal"))
        #expect(try round.bench.document("list").asArray().count == 2)
    }

    @Test(
        "what names no answer exits 3 and says why",
        arguments: [
            ("door[3]/tag=x", "there is no row 3 of door: there are 2"),
            ("tag=x", "say which row of door: there are 2"), ("door[0]/tag=x", "is no question"),
            ("door[x]/tag=x", "is no question"), ("site[1]=x", "no repeat"),
            ("door[1]=x", "no value of its own"), ("pump[+]/name=x", "how often pump is asked"),
            ("door[1]/gap=51", "at most 50"), ("door/nothing=1", "no such question"),
            ("why=x", "not asked now"), ("total=1", "filled in by the form"),
            ("gauge=13", "not on a ship"), ("ok=maybe", "yes, no"), ("pumps=1000", "500 rows"),
        ])
    func refused(word: String, reason: String) throws {
        #expect(try round.set("door[+]/tag=D-1").status == 0)
        #expect(try round.set("door[+]/tag=D-2").status == 0)
        let outcome = try round.set("site=Pier 4", word)
        #expect(outcome.status == 3)
        #expect(outcome.messages.contains(reason), "\(outcome.messages)")
        #expect(try round.value("site") == .null)
    }

    @Test("F48 F51 rows with answers go when that was agreed to, and the right ones")
    func removal() throws {
        for number in 1...4 { #expect(try round.set("door[+]/tag=D-\(number)").status == 0) }
        let refusal = try round.set("door[2]=")
        #expect(refusal.status == 3)
        #expect(refusal.messages.contains("door[2]") && refusal.messages.contains("--yes"))
        #expect(!refusal.messages.contains("D-2"), "an answer is in no error")
        #expect(try round.set("door[2]=", "--yes").status == 0)
        #expect(
            try (1...3).map { try round.value("door/tag", ofRow: $0) } == ["D-1", "D-3", "D-4"])

        #expect(try round.set("pumps=3").status == 0)
        #expect(try round.set("pump[2]/name=P", "pump[3]/name=Q").status == 0)
        #expect(try round.set("pumps=1").status == 3)
        #expect(try round.set("pumps=1", "--yes").status == 0)
        let rows = try round.bench.document("show", round.id).object("repeats").elements("pump")
        #expect(rows.count == 1)
    }

    @Test("complete lists every problem with the number of its row")
    func complete() throws {
        #expect(try round.set("door[+]/tag=D-1").status == 0)
        #expect(try round.set("door[+]/tag=D-2", "ok=no").status == 0)
        let outcome = try round.bench.run("complete", round.id)
        #expect(outcome.status == 3)
        #expect(
            outcome.output == """
                site: needs an answer
                why: needs an answer
                door[1]/seal: needs an answer
                door[2]/seal: needs an answer

                """)
        #expect(
            try round.set("site=x", "why=x", "door[1]/seal=x", "door[2]/seal=x").status == 0)
        #expect(try round.bench.run("complete", round.id).status == 0)
        #expect(try round.set("door[1]/tag=late").status == 3)
        #expect(try round.set("door[+]/tag=late").status == 3)
    }

    @Test("export has no two columns that are called alike")
    func columns() throws {
        let form = """
            {"format": 2, "id": "names", "version": "1", "title": "Names", "sections": [
              {"name": "s", "title": "S", "questions": [
                {"path": "state", "label": "State", "type": "text"},
                {"path": "Asset", "label": "Asset", "type": "text"},
                {"path": "state_", "label": "Other", "type": "text"},
                {"begin": "repeat", "path": "pump"},
                {"path": "pump/id", "label": "Id", "type": "text"},
                {"end": "repeat"}]}]}
            """
        try round.bench.withStore { store in
            try store.store(form: FormDefinition(json: JSON.parse(Array(form.utf8))))
        }
        let id = try round.bench.document("new", "names").string("id")
        #expect(try round.bench.run("set", id, "state=fine", "state_=other").status == 0)
        let lines = try round.bench.run("export", "--form", "names").output.split(separator: "\n")
        #expect(lines[0] == "id,form,formVersion,asset,state,version,state__,Asset_,state_")
        #expect(lines[1].hasSuffix(",inProgress,0,fine,,other"), "\(lines[1])")
    }

    @Test("show lists the answers in the order of the form, rows where they stand")
    func order() throws {
        #expect(try round.set("gauge=40", "site=Pier", "ok=yes", "pumps=1").status == 0)
        #expect(try round.set("door[+]/seal=good", "door[+]/tag=D-1").status == 0)
        let lines = try round.bench.run("show", round.id).output.split(separator: "\n")
        let names = lines.drop { !$0.hasPrefix("QUESTION") }.dropFirst().map {
            String($0.prefix { $0 != " " })
        }
        #expect(
            names == [
                "site", "ok", "gauge", "begun", "pumps", "door[1]/tag", "door[1]/seal", "pump[1]",
                "total",
            ], "\(names)")
    }

    @Test("M05 sql reads and writes the rows of a form")
    func sql() throws {
        #expect(try round.set("door[+]/gap=2", "gauge=40").status == 0)
        #expect(
            try round.bench.run("sql", "SELECT avg(gauge) FROM round").output.contains("40"))
        #expect(
            try round.bench.run("sql", "--write", "UPDATE round__door SET tag = 'D-1'").status == 0)
        #expect(try round.value("door/tag", ofRow: 1) == "D-1")
    }

    @Test("new lays down the form's defaults")
    func defaults() throws {
        #expect(try round.value("begun") == "today")
    }

    @Test("export gives what the device holds, rows apart or in their inspections")
    func export() throws {
        #expect(try round.set("site=a, \"b\"", "gauge=1.5", "door[+]/tag==1").status == 0)
        let table = try round.bench.run("export", "--form", "round").output
        #expect(
            table == #"""
                id,form,formVersion,asset,state,version,site,ok,why,gauge,sides,begun,pumps,total
                \#(round.id),round,1,,inProgress,0,"a, ""b""",,,1.5,,today,,0

                """#)
        let rows = try round.bench.run("export", "--repeat", "door").output
        #expect(rows.contains(",\(round.id),\(round.id),1,round,1,,inProgress,0,'=1,,\n"))
        let document = try round.bench.document("export", "--form", "round").asArray()[0]
        let row = try document.object("repeats").elements("door")[0]
        #expect(try row.object("fields").string("door/tag") == "=1")
        #expect(try round.bench.run("export", "--repeat", "none").status == 1)
        #expect(try round.bench.run("export", "--form", "none").status == 1)
        #expect(try round.bench.run("export", "--json", "--repeat", "door").status == 2)
    }
}
